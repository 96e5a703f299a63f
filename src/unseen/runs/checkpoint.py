"""A checkpoint in memory: the tensors of a state under their names, and a state made from them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TypeAlias

import torch
from torch import Tensor

from unseen.base.reading import reading
from unseen.errors import RunFolderError
from unseen.method.moves import Fictitious
from unseen.method.state import Checkpointed, State

Part: TypeAlias = tuple[Fictitious, Tensor]
"""some samples of a round, and the pool rows they were made from"""


@dataclass(frozen=True)
class Checkpoint:
    """What a run resumes from: a checkpoint's tensors and counters, and what to warn of."""

    tensors: dict[str, Tensor]
    t: int
    k: int
    warnings: list[str]
    path: Path | None = None
    """its file; None where there was none, and the run starts again"""

    def restore(self, state: Checkpointed) -> None:
        """Make it what was saved; it stays new where nothing was."""
        if self.path is not None:
            with reading(self.path, RunFolderError, fix="it holds another training's state; restore the run's own"):
                _restore_tensors(state, self.tensors)
        state.t, state.k = self.t, self.k

    def restore_with_rounds(self, state: State, read_part: Callable[[int, int], Part | None]) -> None:
        """The same for Algorithm 1, whose rounds are in files of their own; ``read_part`` gives None after the last."""
        self.restore(state)
        state.pool.resume(self.k)
        for k in range(state.pool.rounds + 1, self.k + 1):
            at = 0
            for number in count():
                part = read_part(k, number)
                if part is None:
                    break
                made, parents = part
                state.pool.write(made.images, parents, at=at, labels=made.labels)
                at += len(parents)
            state.pool.close()


def tensors_of(state: Checkpointed) -> dict[str, Tensor]:
    """Everything that a step hands to the next, by name."""
    tensors = {f"net.{name}": tensor for name, tensor in state.net.model.state_dict().items()}
    for i, slots in state.optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{i}.{slot}": tensor for slot, tensor in slots.items()}
    tensors |= {f"draws.{purpose}": tensor for purpose, tensor in state.draws.state().items()}
    tensors |= {f"result.{name}": tensor for name, tensor in state.result.tensors().items()}
    return tensors | {"losses": state.losses}


def _restore_tensors(state: Checkpointed, tensors: dict[str, Tensor]) -> None:
    groups: dict[str, dict[str, Tensor]] = {"net": {}, "optimizer": {}, "draws": {}, "result": {}}
    for name, tensor in tensors.items():
        group, _, rest = name.partition(".")
        if group in groups:
            groups[group][rest] = tensor
    state.net.model.load_state_dict(groups["net"])
    parameters = [p for group in state.optimizer.param_groups for p in group["params"]]
    slots: dict[int, dict[str, Tensor]] = {}
    for name, tensor in groups["optimizer"].items():
        i, _, slot = name.partition(".")
        slots.setdefault(int(i), {})[slot] = _laid_out_as(parameters[int(i)], tensor)
    if len({frozenset(names) for names in slots.values()}) > 1:
        raise ValueError("the optimizer's state lacks tensors of some parameters")
    state.optimizer.load_state_dict({**state.optimizer.state_dict(), "state": slots})
    state.draws.restore(groups["draws"])
    state.result.restore(groups["result"])
    state.losses = tensors["losses"].clone()


def _laid_out_as(parameter: Tensor, slot: Tensor) -> Tensor:
    """The fused Adam walks a parameter and its moments side by side in memory: they need one shape and one layout."""
    if slot.shape not in (parameter.shape, torch.Size()):
        raise ValueError(f"the optimizer's state is for a parameter of shape {tuple(slot.shape)}")
    return torch.empty_like(parameter).copy_(slot) if slot.shape == parameter.shape else slot
