import copy
import errno
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
import safetensors.torch
import torch
from configs import rewrite
from torch import nn

import unseen
from unseen.base.torchrun import leads
from unseen.engine import PART_BYTES, Engine, EngineRecord, ascent_batch, cpu, evaluation_batch
from unseen.engine.cpu import bf16_unit
from unseen.engine.optimizers import make_optimizer
from unseen.errors import InputError, RunFolderError, SaveFailed
from unseen.models.split import split

SETTINGS = unseen.ADA(K=1, T=12, T_min=6, T_max=2, batch=8, eta=20.0, alpha=1e-2)


def denormals_flushed():
    return float(torch.full((), 1e-30) * 1e-10) == 0


@pytest.fixture
def engine():
    return Engine(device="cpu", threads=1)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
def test_threads_that_are_no_number_of_threads_are_refused(threads):
    with pytest.raises(InputError, match=f"threads={threads!r}: expected a whole number, 1 or more"):
        Engine(threads=threads)


@pytest.mark.parametrize("device", ["cuda:77", "mps:9"])
def test_a_device_that_is_not_here_is_refused_with_one_that_is(device):
    with pytest.raises(InputError, match=f'device="{device}": not usable here .*; try "cpu"') as caught:
        Engine(device=device)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("device", ["gpu", "hpu", "tpu", "nonsense", "x" * 99])
def test_a_device_of_another_name_is_refused_with_those_there_are(device):
    with pytest.raises(InputError, match='expected "cpu", "cuda" or "mps"') as caught:
        Engine(device=device)
    assert len(str(caught.value)) < 200


def test_the_record_has_what_decides_the_bits():
    assert Engine("cpu", "bf16", threads=3).record() == EngineRecord(device="cpu", precision="bf16", threads=3, ranks=1)
    assert Engine("cpu", "float32").record().threads == torch.get_num_threads()


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("fp16", '; did you mean "bf16"?'),
        ("float16", '; did you mean "float32"?'),
        ("half", ""),
    ],
)
def test_a_precision_that_is_none_of_ours_is_refused_with_those_there_are(word, hint):
    with pytest.raises(InputError) as refused:
        Engine("cpu", word)
    assert str(refused.value) == f'precision="{word}": expected "float32" or "bf16"{hint}'


@pytest.mark.parametrize(("unit", "precision"), [(None, "float32"), ("amx_bf16", "bf16"), ("avx512_bf16", "bf16")])
def test_the_precision_is_bf16_where_the_cpu_multiplies_it_faster(monkeypatch, unit, precision):
    monkeypatch.setattr(cpu, "bf16_unit", lambda: unit)
    assert Engine("cpu").precision == precision
    assert {Engine("cpu", word).precision for word in ("float32", "bf16")} == {"float32", "bf16"}


@pytest.mark.parametrize(
    ("can", "unit"),
    [
        ({"avx512_bf16": True, "amx_bf16": True}, "amx_bf16"),
        ({"avx512_bf16": True, "amx_bf16": False}, "avx512_bf16"),
        ({"avx512_bf16": False, "avx512_f": True}, None),
        ({"architecture": "aarch64"}, None),
    ],
)
def test_the_unit_for_bf16_is_what_the_cpu_says_it_has(monkeypatch, can, unit):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: can)
    monkeypatch.setattr(cpu, "tiles_are_empty", lambda: False)
    assert bf16_unit() == unit


def test_amx_without_tiles_is_no_unit_for_bf16(monkeypatch):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True, "amx_bf16": True})
    monkeypatch.setattr(cpu, "tiles_are_empty", lambda: True)
    assert bf16_unit() is None


@pytest.mark.parametrize(
    ("precision", "threads", "unit", "words"),
    [
        ("float32", 1, "amx_bf16", "cpu, float32, 1 thread"),
        ("bf16", 2, "avx512_bf16", "cpu, bf16 (avx512_bf16), 2 threads"),
        ("bf16", 3, None, "cpu, bf16, 3 threads"),
    ],
)
def test_an_engine_tells_people_what_it_is(monkeypatch, precision, threads, unit, words):
    monkeypatch.setattr(cpu, "bf16_unit", lambda: unit)
    assert str(Engine("cpu", precision, threads)) == words


@pytest.fixture
def as_rank(monkeypatch):
    """Call it with a rank, and how many there are: the environment that torchrun makes."""

    def be(rank, of):
        names = {"RANK": rank, "WORLD_SIZE": of, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": of, "TORCHELASTIC_RUN_ID": 1}
        for name, value in names.items():
            monkeypatch.setenv(name, str(value))

    return be


def test_a_rank_knows_how_many_there_are_and_who_talks(as_rank):
    assert (Engine("cpu").ranks, Engine("cpu").rank, leads()) == (1, 0, True)
    as_rank(0, of=3)
    assert leads()
    as_rank(2, of=3)
    engine = Engine("cpu", "float32", threads=1)
    assert (engine.ranks, engine.rank, leads()) == (3, 2, False)
    assert str(engine) == "cpu, float32, 1 thread, 3 ranks"
    assert engine.record().ranks == 3


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 7, 9])
def test_the_ranks_share_out_every_row_once_in_order_and_evenly(as_rank, rows):
    parts = []
    for rank in range(3):
        as_rank(rank, of=3)
        parts.append(Engine("cpu", threads=1).share(torch.arange(rows)))
    assert torch.cat(parts).tolist() == list(range(rows))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_ranks_draw_differently_for_the_model(as_rank):
    drawn = []
    for rank in range(3):
        as_rank(rank, of=3)
        with Engine("cpu", threads=1).seeded(5):
            drawn.append(float(torch.rand(())))
    assert len(set(drawn)) == 3


def test_a_part_is_whole_ascent_batches_on_every_rank(as_rank):
    image = torch.zeros(3, 32, 32)
    as_rank(0, of=3)
    size = Engine("cpu", threads=1).part_size(image)
    assert size % (3 * ascent_batch(image)) == 0
    assert 0 < size * image.numel() * 4 <= PART_BYTES


class WithSpare(nn.Module):
    def __init__(self, used):
        super().__init__()
        self.used, self.spare = used, nn.Parameter(torch.zeros(2))

    def forward(self, x):
        return self.used(x)


def test_a_parameter_that_gets_no_gradient_is_noticed_and_the_model_left_as_it_was(make_net, digits):
    net = make_net("normalized").train()
    net[1].eval()
    before, modes = copy.deepcopy(net.state_dict()), [m.training for m in net.modules()]
    assert not split(net).leaves_out(digits[0][:1])
    assert split(WithSpare(net), head="used.9").leaves_out(digits[0][:1])
    assert not split(net.requires_grad_(False)).leaves_out(digits[0][:1])
    assert [m.training for m in net.modules()] == modes
    assert all(torch.equal(before[name], tensor) for name, tensor in net.state_dict().items())
    assert all(p.grad is None for p in net.parameters())


@pytest.mark.parametrize("flushed", [False, True], ids=["denormals kept before", "denormals flushed before"])
@pytest.mark.parametrize("raises", [False, True], ids=["returns", "raises"])
def test_threads_and_denormals_are_set_while_running_and_put_back(flushed, raises):
    torch.set_flush_denormal(flushed)
    try:
        with pytest.raises(KeyError) if raises else nullcontext(), Engine(device="cpu", threads=2).running():
            assert torch.get_num_threads() == 2
            assert denormals_flushed()
            if raises:
                raise KeyError
        assert torch.get_num_threads() == 1
        assert denormals_flushed() == flushed
    finally:
        torch.set_flush_denormal(False)


EVERY_THREAD = """
import torch
from unseen.engine import Engine
def flushed(): return float((torch.full((400_000,), 1e-30) * 1e-10 == 0).double().mean())
torch.set_num_threads(2)
before = flushed()  # the threads exist from here on, as they do in a program that has used torch before
with Engine(device="cpu", threads=2).running():
    inside = flushed()
print(before, inside, flushed())
"""


def test_denormals_are_flushed_on_every_thread_and_kept_again_afterwards():
    """The flag belongs to a thread: setting it on the caller's leaves half of the arithmetic slow, and its bits
    dependent on whether the other threads were started before or after.
    """
    done = subprocess.run([sys.executable, "-c", EVERY_THREAD], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0.0", "1.0", "0.0"]


def test_what_the_model_draws_follows_the_seed_and_the_global_generator_does_not(engine):
    before = torch.get_rng_state()
    drawn = []
    for seed in (1, 1, 2):
        with engine.seeded(seed):
            drawn.append(torch.rand(5).tolist())
    assert drawn[0] == drawn[1] != drawn[2]
    assert torch.equal(torch.get_rng_state(), before)


def test_the_global_generator_is_put_back_after_an_error_too(engine):
    before = torch.get_rng_state()
    with pytest.raises(RuntimeError), engine.seeded(1):
        torch.rand(5) @ torch.rand(6)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("kind", ["plain", "normalized", "user"])
def test_placing_a_model_changes_no_value(engine, make_net, kind):
    net = make_net(kind)
    placed = copy.deepcopy(net)
    engine.place(placed)
    for before, after in zip(net.state_dict().values(), placed.state_dict().values(), strict=True):
        assert torch.equal(before, after)


def test_putting_a_minibatch_changes_no_value(engine, digits):
    x, y = engine.put(*digits)
    assert torch.equal(x, digits[0])
    assert torch.equal(y, digits[1])


@pytest.mark.parametrize(
    "shape", [(3, 32, 32), (1, 8, 8), (3, 96, 160), (3, 224, 224), (3, 192, 320)], ids=lambda s: "x".join(map(str, s))
)
def test_a_part_is_a_whole_number_of_ascent_batches_of_about_16_MiB(engine, shape):
    image = torch.zeros(shape)
    size = engine.part_size(image)
    batch = ascent_batch(image)
    assert size % batch == 0
    assert size == batch or size * image.numel() * 4 <= PART_BYTES < (size + batch) * image.numel() * 4


@pytest.mark.parametrize("batch", [ascent_batch, evaluation_batch])
def test_large_images_are_taken_a_few_at_a_time(batch):
    assert [batch(torch.zeros(()).expand(3, *side)) for side in ((512, 1024), (1024, 2048), (8000, 8000))] == [4, 4, 4]
    assert batch(torch.zeros(3, 32, 32)) >= 128
    assert batch(torch.zeros(3, 192, 320)) <= 8


def test_a_run_in_bf16_keeps_everything_it_carries_in_float32(tmp_path, make_net, digits):
    runs = {}
    for precision in ("bf16", "float32"):
        folder, engine = tmp_path / precision, Engine("cpu", precision, threads=1)
        runs[precision] = unseen.fit(make_net("normalized"), digits, SETTINGS, folder=folder, engine=engine)
    run = runs["bf16"]
    last = safetensors.torch.load_file(max((tmp_path / "bf16" / "checkpoints").iterdir()))
    carried = {name: t.dtype for name, t in last.items() if name.startswith(("net.", "optimizer."))}
    assert {n: d for n, d in carried.items() if d != torch.float32 and "num_batches_tracked" not in n} == {}
    assert len(carried) > 20
    assert run.pool.images.dtype == torch.float32
    assert not torch.equal(run.pool.images, run.pool.images.bfloat16().float())
    assert not torch.equal(run.pool.images, runs["float32"].pool.images), "bf16 was not used"
    torch.testing.assert_close(run.pool.images, runs["float32"].pool.images, rtol=0, atol=0.3)


def test_minimization_is_in_the_engines_precision(make_net, digits):
    plain, rounded = (
        unseen.fit(make_net(), digits, unseen.ERM(T=3, batch=8, alpha=1e-2), engine=Engine("cpu", precision, threads=1))
        for precision in ("float32", "bf16")
    )
    assert rounded.metrics != plain.metrics
    for ours, theirs in zip(rounded.net.parameters(), plain.net.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=3e-2)


@pytest.mark.parametrize(
    ("recorded", "named"),
    [
        ({"precision": "bf16"}, "engine.precision is 'bf16' there, 'float32' here"),
        ({"ranks": 2}, "engine.ranks is 2 there, 1 here"),
    ],
    ids=str,
)
def test_a_run_does_not_go_on_in_another_precision_or_with_another_number_of_ranks(
    tmp_path, make_net, digits, recorded, named
):
    unseen.fit(make_net(), digits, SETTINGS, folder=tmp_path / "run")
    rewrite(tmp_path / "run", lambda config: config["engine"].update(recorded))
    with pytest.raises(RunFolderError, match="belongs to another config") as refused:
        unseen.fit(make_net(), digits, SETTINGS, folder=tmp_path / "run", resume=True)
    assert f"  - {named}\n" in str(refused.value)


FAULTS = """
import resource, torch
from contextlib import nullcontext
from pathlib import Path
from unseen.engine.cpu import kept_memory
torch.set_num_threads(1)
def step(): return sum(float(t[-1]) for t in [torch.full((4_000_000,), 1.0) for _ in range(8)])  # 128 MB in all
def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def resident(): return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
def steps():
    step()
    before = faults()
    step(), step()
    return faults() - before
outside = steps()
with kept_memory():
    inside, meanwhile = steps(), resident()
print(outside, inside, meanwhile, resident(), step())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it is about glibc")
def test_a_step_gets_the_memory_of_the_step_before_and_afterwards_it_is_given_back():
    """Outside, every page of every large tensor is a fault, at every step (a huge page is one, too)."""
    done = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True, timeout=120)
    outside, inside, meanwhile, after, works = map(float, done.stdout.split())
    assert outside > 100
    assert inside < outside / 10
    assert after < meanwhile - 100e6
    assert works == 8


@pytest.mark.parametrize(("limit", "expected"), [("1000000\n", 1_000_000), ("max\n", None), (None, None)])
def test_memory_is_the_machines_or_the_containers_share_of_it(tmp_path, monkeypatch, limit, expected):
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.setattr(cpu, "CGROUP_LIMIT", tmp_path / "memory.max")
    if limit:
        cpu.CGROUP_LIMIT.write_text(limit)
    assert cpu.memory() == (expected or machine)
    cpu.CGROUP_LIMIT.write_text(str(2 * machine))
    assert cpu.memory() == machine


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(cpu, "memory", lambda: 2000)


LIKE = torch.zeros(1, 1, 5, 5)  # 100 bytes an image


def nameless(folder):
    """The files of ``folder`` that this process has open and that have no name."""
    places = [str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()]
    return [place for place in places if place.startswith(str(folder)) and place.endswith("(deleted)")]


def test_a_pool_of_up_to_half_of_the_memory_is_in_memory(engine, tmp_path, little_memory):
    room = engine.allocate(10, LIKE, tmp_path)
    assert isinstance(room, torch.Tensor)
    assert (room.shape, room.dtype) == ((10, 1, 5, 5), torch.float32)
    assert nameless(tmp_path) == []


def test_a_greater_pool_is_a_file_in_the_folder_that_has_no_name(engine, tmp_path, little_memory):
    room = engine.allocate(11, LIKE, tmp_path)
    assert (room.shape, room.dtype) == ((11, 1, 5, 5), torch.float32)
    assert len(nameless(tmp_path)) == 1
    assert list(tmp_path.iterdir()) == []
    assert room.nbytes == 0
    room[0:11] = torch.arange(11.0).view(11, 1, 1, 1).expand(11, 1, 5, 5)
    assert room[:].sum() == 25 * 55
    assert room[torch.tensor([7, 2, 3])][:, 0, 0, 0].tolist() == [7, 2, 3]
    del room
    assert nameless(tmp_path) == []


def test_a_pool_of_more_than_a_gibibyte_is_on_the_disk_however_much_memory_there_is(engine, tmp_path, monkeypatch):
    monkeypatch.setattr(cpu, "memory", lambda: 2**40)
    monkeypatch.setattr("unseen.engine.POOL_BYTES", 1000)
    engine.allocate(10, LIKE, tmp_path)
    assert nameless(tmp_path) == []
    room = engine.allocate(11, LIKE, tmp_path)
    assert len(nameless(tmp_path)) == 1
    del room


def test_ranks_on_one_machine_share_its_memory(as_rank, tmp_path, little_memory):
    as_rank(0, of=2)
    Engine("cpu", threads=1).allocate(5, LIKE, tmp_path)
    assert nameless(tmp_path) == []
    room = Engine("cpu", threads=1).allocate(6, LIKE, tmp_path)
    assert len(nameless(tmp_path)) == 1
    del room


def test_training_has_the_same_bits_with_a_pool_on_the_disk(tmp_path, monkeypatch, make_net, digits):
    in_memory = unseen.fit(make_net("normalized"), digits, SETTINGS, folder=tmp_path / "memory")
    monkeypatch.setattr(cpu, "memory", lambda: 0)
    on_disk = unseen.fit(make_net("normalized"), digits, SETTINGS, folder=tmp_path / "disk")
    assert len(nameless(tmp_path / "disk")) == 1
    assert nameless(tmp_path / "memory") == []
    assert torch.equal(on_disk.pool.images, in_memory.pool.images)
    assert on_disk.metrics == in_memory.metrics
    for ours, theirs in zip(on_disk.net.parameters(), in_memory.net.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert [p.name for p in (tmp_path / "disk").iterdir() if p.name.startswith(".")] == []


def test_a_disk_too_small_for_the_pool_is_told_with_what_it_needs(engine, tmp_path, monkeypatch, little_memory):
    def no_room(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", no_room)
    with pytest.raises(SaveFailed) as failed:
        engine.allocate(30_000_000, LIKE, tmp_path)
    assert str(failed.value) == (
        f"the pool needs 2.8 GiB on the disk of {tmp_path}: No space left on device; free as much there or choose "
        "another folder"
    )
    assert list(tmp_path.iterdir()) == []


NO_ROOM = """
import resource, sys, torch
from pathlib import Path
from unseen.engine import Engine, cpu
from unseen.errors import SaveFailed
cpu.memory = lambda: 2000
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
Engine("cpu", threads=1).allocate(20, torch.zeros(1, 1, 5, 5), Path(sys.argv[1]))
try:
    Engine("cpu", threads=1).allocate(21, torch.zeros(1, 1, 5, 5), Path(sys.argv[1]))
except SaveFailed as error:
    print(error)
"""


def test_what_the_kernel_does_not_give_is_found_before_training(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", NO_ROOM, str(tmp_path)], capture_output=True, text=True, check=True, timeout=120
    )
    assert f"on the disk of {tmp_path}: File too large; free as much there" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_adam_decays_weights_but_no_bias_and_no_scale_of_a_normalization(make_net):
    net = make_net("normalized")
    optimizer = make_optimizer(net, alpha=0.5, ridge=0.25)
    decay = {id(p): group["weight_decay"] for group in optimizer.param_groups for p in group["params"]}
    for name, parameter in net.named_parameters():
        assert decay[id(parameter)] == (0.25 if parameter.ndim > 1 else 0.0), name
    assert {group["lr"] for group in optimizer.param_groups} == {0.5}


def test_adam_has_every_trainable_parameter_once_and_no_other(make_net):
    net = make_net("plain")
    net[0].requires_grad_(False)
    taken = [id(p) for group in make_optimizer(net, 0.1, ridge=0.1).param_groups for p in group["params"]]
    assert sorted(taken) == sorted(id(p) for p in net.parameters() if p.requires_grad)
    assert len(taken) == 4


def test_adam_needs_something_to_train():
    with pytest.raises(
        InputError, match=r"no trainable parameter \(requires_grad is False for all\): nothing to train"
    ):
        make_optimizer(nn.ReLU(), 0.1)
