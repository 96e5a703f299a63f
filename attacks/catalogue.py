"""Every attack, in the order they are carried out in."""

from __future__ import annotations

from attacks import (
    archives,
    bombs,
    disks,
    kills,
    models,
    mutations,
    paths,
    permissions,
    rounds,
    server,
    settings,
    writers,
)
from attacks.harness import Attack

MODULES = (kills, disks, permissions, writers, rounds, mutations, bombs, settings, paths, models, server, archives)
ATTACKS: dict[str, Attack] = {module.ATTACK.name: module.ATTACK for module in MODULES}
