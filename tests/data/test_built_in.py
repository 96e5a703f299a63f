"""What every built-in domain promises, checked on each; the builds run in processes of their own."""

import json
import os
import subprocess
import sys

import pytest
import torch

from unseen.data.catalogue import domain, domains, targets

BUILT_IN = ("mnist5k-train", "mnist5k-heldout", "photo-blend", "typeset", "uci-8x8")

BUILD = """
import json, random, sys
import numpy as np, torch
from unseen.data.catalogue import domain
seed, threads = int(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(threads); random.seed(seed); np.random.seed(seed); torch.manual_seed(seed)
def states():
    return [repr(random.getstate()), repr(np.random.get_state()), repr(torch.get_rng_state().tolist())]
before = states()
prints = {name: domain(name).fingerprint for name in sys.argv[3:]}
print(json.dumps({"fingerprints": prints, "untouched": before == states()}))
"""


def build_in_a_process(seed, threads, names):
    environment = os.environ | {"PYTHONHASHSEED": str(seed), "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, "-W", "error", "-c", BUILD, str(seed), str(threads), *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def two_builds():
    return build_in_a_process(1, 1, BUILT_IN), build_in_a_process(2, 2, BUILT_IN[::-1])


def test_two_processes_build_the_same_bits_whatever_the_global_seed_the_threads_and_the_order(two_builds):
    first, second = two_builds
    assert first["fingerprints"] == second["fingerprints"]
    assert len(set(first["fingerprints"].values())) == len(BUILT_IN)


def test_building_leaves_the_global_generators_as_they_were(two_builds):
    assert [build["untouched"] for build in two_builds] == [True, True]


def test_the_catalogue_lists_exactly_these_built_in_domains():
    assert [entry.name for entry in domains()][: len(BUILT_IN)] == list(BUILT_IN)
    assert targets() == BUILT_IN[2:]


@pytest.mark.parametrize("name", BUILT_IN)
def test_images_are_32x32_rgb_and_use_the_range_from_0_to_1(name):
    built = domain(name)
    assert built.name == name
    assert built.images.shape[1:] == (3, 32, 32)
    assert built.images.dtype == torch.float32
    assert built.images.is_contiguous()
    assert built.images.min() < 0.02
    assert built.images.max() > 0.98
    assert built.classes == tuple("0123456789")


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_count_in_the_catalogue_is_the_count_of_the_domain(name):
    (entry,) = (entry for entry in domains() if entry.name == name)
    assert len(domain(name)) == entry.count


@pytest.mark.parametrize(
    ("name", "each"),
    [("mnist5k-train", 400), ("mnist5k-heldout", 100), ("photo-blend", 100), ("typeset", 200)],
)
def test_every_digit_comes_equally_often_and_once_in_every_ten(name, each):
    labels = domain(name).labels
    assert torch.bincount(labels).tolist() == [each] * 10
    assert all(sorted(ten.tolist()) == list(range(10)) for ten in labels.split(10))


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_two_images_of_a_domain_are_the_same(name):
    images = domain(name).images
    assert len({image.numpy().tobytes() for image in images}) == len(images)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_domain_is_built_once_for_the_process(name):
    assert domain(name) is domain(name)


@pytest.mark.parametrize(
    ("name", "grey"),
    [
        ("mnist5k-train", True),
        ("mnist5k-heldout", True),
        ("uci-8x8", True),
        ("photo-blend", False),
        ("typeset", False),
    ],
)
def test_handwriting_is_grey_and_its_stand_ins_have_colour(name, grey):
    images = domain(name).images
    has_colour = (images.amax(1) - images.amin(1)).flatten(1).amax(1) > 0.02
    assert has_colour.float().mean() < 0.001 if grey else has_colour.float().mean() > 0.9
