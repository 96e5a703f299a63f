"""Where and how the arithmetic runs: device, precision, threads, memory and ranks. Nothing else mentions them."""

from __future__ import annotations

import copy
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from unseen.base.checks import is_whole, seed_problems, shown
from unseen.base.images import FileRows, Space
from unseen.base.writing import nameless_file
from unseen.engine import cpu
from unseen.engine.fast_ascent import FewChannels, bf16_weights, channels_last_weights
from unseen.engine.narrow_maps import NarrowMaps
from unseen.engine.ranks import Ranks
from unseen.errors import InputError, all_problems, did_you_mean

if TYPE_CHECKING:
    from lightning_fabric import Fabric

ASCENT_VALUES = 128 * 3 * 32 * 32  # pixels at once: 128 digits, 2 street scenes; the result doesn't depend on it
TOGETHER = 4  # times as many pixels where images are transformed
EVALUATION_VALUES = 2 * ASCENT_VALUES
LEAST_BATCH = 4
PART_BYTES = 16 * 2**20
POOL_BYTES = 2**30  # of fictitious images in memory; half of what there is, where that is less
POOL_SHARE = 0.5
ANOTHER_FOLDER = "free as much there or choose another folder"
PRECISIONS = {"float32": "32-true", "bf16": "bf16-mixed"}  # our word, Fabric's word
DEVICES = ("cpu", "cuda", "mps")
FOR_TRAINING = '"cpu", "cuda" or "mps", or nothing for what there is'
MOST_THREADS = 4096
MOST_SAID = 120  # characters of what torch says of a device
PATIENCE = timedelta(minutes=30)  # how long a rank waits for the others


@dataclass(frozen=True, kw_only=True)
class EngineRecord:
    """The hardware a run used, as its config has it."""

    device: str
    precision: str
    threads: int
    ranks: int = 1

    def engine(self) -> Engine:
        """An engine like it, here; ranks are torchrun's to start."""
        return Engine(self.device, self.precision, self.threads)


@dataclass
class Engine(Ranks):
    """The hardware a run uses, chosen by what is there: ``Engine()`` is a GPU when there is one, else the CPU.

    ``precision`` is "bf16" or "float32"; bf16 is the default where the hardware multiplies it faster (a GPU, AMX,
    AVX512-BF16). Then convolutions and matrix products are bf16, while images, weights, loss and cost stay float32.
    ``threads=None`` is torch's choice. Under ``torchrun``, this is one rank of several.
    """

    device: str = "auto"
    precision: str = "auto"
    threads: int | None = None
    resolved: torch.device = field(init=False, repr=False)
    _fabric: Fabric = field(init=False, repr=False, compare=False)
    _layout: torch.memory_format = field(default=torch.channels_last, init=False, repr=False, compare=False)
    _narrow_maps: bool = field(default=False, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_threads(self.threads)
        self.threads = self.threads or torch.get_num_threads()
        chosen = self.device
        if not isinstance(chosen, str):
            raise InputError(f'device={shown(chosen)}: expected a name such as "cpu" or "cuda"')
        if chosen == "auto":
            chosen = "cuda" if torch.cuda.is_available() else "cpu"
        if chosen == "cuda" and self.ranks > 1:
            chosen = f"cuda:{os.environ['LOCAL_RANK']}"
        if chosen.partition(":")[0] not in DEVICES:
            raise InputError(f'device="{chosen:.40}": nothing can be trained there; expected {FOR_TRAINING}')
        try:
            self.resolved = torch.empty(0, device=chosen).device
        except (RuntimeError, AssertionError, ImportError) as error:  # torch's own sentences go on for a page
            said = re.split(r"\. |\n", str(error), maxsplit=1)[0][:MOST_SAID]
            raise InputError(f'device="{self.device:.40}": not usable here ({said}); try "cpu"') from error
        if self.precision == "auto":
            self.precision = "bf16" if self._bf16_pays else "float32"
        if not isinstance(self.precision, str) or self.precision not in PRECISIONS:
            given = f'"{self.precision:.40}"' if isinstance(self.precision, str) else shown(self.precision)
            near = did_you_mean(given, PRECISIONS, listed=True)
            raise InputError(f'precision={given}: expected "float32" or "bf16"{near}')

    def __str__(self) -> str:
        """For people: ``cpu, bf16 (avx512_bf16), 2 threads``."""
        unit = cpu.bf16_unit() if self.on_cpu else None
        how = f"{self.precision} ({unit})" if self.precision == "bf16" and unit else self.precision
        words = [self.resolved.type, how, f"{self.threads} thread{'s' * (self.threads != 1)}"]
        return ", ".join(words + [f"{self.ranks} ranks"] * (self.ranks > 1))

    def record(self) -> EngineRecord:
        """What a run's config keeps of the engine: the same record gives the same bits."""
        assert self.threads is not None
        device = str(self.resolved) if self.ranks == 1 else self.resolved.type
        return EngineRecord(device=device, precision=self.precision, threads=self.threads, ranks=self.ranks)

    @property
    def on_cpu(self) -> bool:
        """Whether the arithmetic is the CPU's."""
        return self.resolved.type == "cpu"

    @property
    def on_gpu(self) -> bool:
        """Whether it is a GPU's."""
        return self.resolved.type == "cuda"

    @property
    def _bf16_pays(self) -> bool:
        if self.on_gpu:
            return bool(torch.cuda.is_bf16_supported(including_emulation=False))
        return self.on_cpu and cpu.bf16_unit() is not None

    # A run.

    @contextmanager
    def running(self, *, unused: bool = False) -> Iterator[None]:
        """Inside: this many threads, denormals flushed, memory kept between steps, ranks connected. After: as before.

        ``unused``: some parameters may get no gradient, which DDP has to be told.
        """
        assert self.threads is not None
        before = torch.get_num_threads()
        with ExitStack() as stack:
            torch.set_num_threads(self.threads)
            stack.callback(torch.set_num_threads, before)
            stack.enter_context(cpu.flushed_denormals())
            stack.enter_context(cpu.kept_memory())
            self._fabric = self._make_fabric(unused)
            if self.ranks > 1:
                stack.enter_context(self._connected())
            yield

    def _make_fabric(self, unused: bool) -> Fabric:
        # Here and not above: importing it takes as long as importing torch, and only a training needs it.
        from lightning_fabric import Fabric
        from lightning_fabric.strategies.ddp import DDPStrategy

        logging.getLogger("lightning_fabric").setLevel(logging.WARNING)  # it would report its precision, as we do
        here = int(os.environ["LOCAL_WORLD_SIZE"]) if self.ranks > 1 else 1
        return Fabric(
            accelerator=self.resolved.type,
            devices=here if self.ranks > 1 or self.on_cpu else [self.resolved.index or 0],
            num_nodes=self.ranks // here,
            strategy=DDPStrategy(timeout=PATIENCE, find_unused_parameters=unused) if self.ranks > 1 else "auto",
            precision=PRECISIONS[self.precision],  # type: ignore[arg-type]
        )

    # The model and its data.

    def place(self, net: nn.Module, image: Tensor | None = None) -> None:
        """Move a model to the device, in the layout its convolutions like best; the values stay.

        With ``image``, one that the model gets, that layout is tried: models that call ``view`` on images may not take
        it. Then, for the model and what is ``put`` beside it, torch's usual layout is used.
        """
        net.to(self.resolved)
        if any(isinstance(m, nn.Conv2d) for m in net.modules()):
            net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        if image is not None:
            self._layout = torch.channels_last
            with NarrowMaps() as maps:
                taken = _takes(net, image.to(self.resolved, memory_format=self._layout))
            self._narrow_maps = maps.met
            if not taken:
                self._layout = torch.contiguous_format
                net.to(memory_format=self._layout)  # type: ignore[call-overload]

    def prepare(self, net: nn.Module) -> Callable[[Tensor], Tensor]:
        """The model as training calls it: in this precision, its gradients averaged over the ranks. Same weights."""
        forward = self._fabric.setup_module(net, move_to_device=False)
        if not (self._narrow_maps and self.precision == "bf16" and self.on_cpu):
            return forward

        def padded(x: Tensor) -> Tensor:
            with NarrowMaps():
                scores: Tensor = forward(x)
            return scores

        return padded

    def backward(self, loss: Tensor) -> None:
        """Gradients of ``loss``, this rank's term of a sum over the ranks."""
        self._fabric.backward(loss * self.ranks if self.ranks > 1 else loss)  # DDP takes the mean over the ranks

    def put(self, images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """A minibatch on the device, in the model's layout."""
        return (
            images.to(self.resolved, memory_format=self._layout, non_blocking=True),
            labels.to(self.resolved, non_blocking=True),
        )

    @contextmanager
    def fast_ascent(self, net: nn.Module) -> Iterator[Callable[[], AbstractContextManager[Any]]]:
        """Inside: a frozen ``net`` runs in this precision, and as fast as only the images' gradient takes.

        What it gives makes a context for the calls of the net, and for nothing else: every call of torch inside that
        goes through Python.
        """
        with ExitStack() as stack:
            if self.precision == "bf16":
                stack.enter_context(bf16_weights(net))
                stack.enter_context(torch.autocast(_device_of(net).type, torch.bfloat16))
            yield FewChannels if _device_of(net).type == "cpu" else nullcontext

    @contextmanager
    def for_one_call(self, net: nn.Module, image: Tensor) -> Iterator[torch.memory_format]:
        """Inside: what ``running`` and ``place`` do for a training, for one call of a frozen ``net``.

        Memory is kept between steps, and the convolutions' weights are in the layout they like best, where the model
        takes images in it; the format given is the one to bring them in. After: the net's own tensors as before.
        """
        with cpu.kept_memory(), channels_last_weights(net) as any_weights:
            like = torch.channels_last if any_weights else torch.preserve_format
            with self.seeded(0):  # a model may draw even in evaluation
                taken = not any_weights or _takes(net, image.to(memory_format=like))
            if taken:
                yield like
        if not taken:
            with cpu.kept_memory():
                yield torch.preserve_format

    @contextmanager
    def seeded(self, seed: int, *, alike: bool = False) -> Iterator[None]:
        """Inside: what the model draws (dropout) follows ``seed``, each rank its own. After: generators as before.

        ``alike``: every rank draws the same.
        """
        all_problems("settings", seed_problems(seed))
        generators = [torch.default_generator]
        if self.on_gpu:
            generators.append(torch.cuda.default_generators[self.resolved.index or 0])
        before = [g.get_state() for g in generators]
        for g in generators:
            g.manual_seed(seed if alike else seed + self.rank)
        try:
            yield
        finally:
            for g, state in zip(generators, before, strict=True):
                g.set_state(state)

    def part_size(self, image: Tensor) -> int:
        """How many images the ascent makes between two saves: about 16 MiB, whole ascent batches on every rank."""
        step = ascent_batch(image) * self.ranks
        fit = PART_BYTES // (image.numel() * image.element_size())
        return max(fit // step, 1) * step

    def allocate(self, rows: int, like: Tensor, folder: Path | None) -> Space:
        """Space for ``rows`` images; on the disk of ``folder`` when they take 1 GiB or half of the memory there is."""
        size = rows * like[0].numel() * like.element_size()
        if size <= min(POOL_BYTES, POOL_SHARE * cpu.memory()) / int(os.environ.get("LOCAL_WORLD_SIZE", 1)):
            return torch.empty(rows, *like.shape[1:], dtype=like.dtype)
        return FileRows(nameless_file(size, folder, "the pool", ANOTHER_FOLDER), (rows, *like.shape[1:]), like.dtype)


def _check_threads(threads: object) -> None:
    if threads is not None and not (isinstance(threads, int) and is_whole(threads) and 1 <= threads <= MOST_THREADS):
        raise InputError(f"threads={shown(threads)}: expected a whole number, 1 or more and at most {MOST_THREADS:,}")


@contextmanager
def using_threads(threads: int | None) -> Iterator[str | None]:
    """Inside: so many threads, torch's choice for None; what is worth saying about them, if there is something."""
    _check_threads(threads)
    before = torch.get_num_threads()
    torch.set_num_threads(threads or before)
    try:
        yield busy_machine(threads or before)
    finally:
        torch.set_num_threads(before)


def busy_machine(threads: int) -> str | None:
    """A remark where several threads would wait for each other, because others use the cores; else None."""
    cores, busy = cpu.cores(), cpu.busy_cores()
    if threads == 1 or busy < 1 or threads <= cores - busy:
        return None
    return (
        f"others use about {busy:.0f} of the {cores} cores here: {threads} threads that wait for each other can be "
        "slower than one; --threads 1 (threads = 1 in a file) may be faster"
    )


def in_float32(images: Tensor) -> torch.autocast:
    """Inside: what happens to the images themselves is in their own precision, whatever the model computes in."""
    return torch.autocast(images.device.type, enabled=False)


def ascent_batch(image: Tensor, *, transformed: bool = False) -> int:
    """How many images ascend at once: as many as a CPU's cache likes, or a few when they are large.

    Where they are transformed, several times as many: each transformation is called for a few of them, and a call
    takes its time however few they are.
    """
    return max((TOGETHER if transformed else 1) * ASCENT_VALUES // image.numel(), LEAST_BATCH)


def evaluation_batch(image: Tensor) -> int:
    """How many images are scored at once."""
    return max(EVALUATION_VALUES // image.numel(), LEAST_BATCH)


def at_least_float32(tensor: Tensor) -> Tensor:
    """Scores and features that came in bf16, as float32: a loss and a distance are never computed in less."""
    return tensor.float() if tensor.dtype in (torch.bfloat16, torch.float16) else tensor


@torch.no_grad()
def _takes(net: nn.Module, image: Tensor) -> bool:
    """Whether the model runs on an image in this layout."""
    try:
        net(image)
    except RuntimeError as error:
        if "view" not in str(error):
            raise
        return False
    return True


def to_device_of(net: nn.Module, images: Tensor) -> Tensor:
    """The images on the device where the model is."""
    return images.to(_device_of(net))


def to_host(tensor: Tensor) -> Tensor:
    """The tensor in the computer's own memory, where the pool, files and statistics are."""
    return tensor.cpu()


def host_copies(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """A copy of each in the computer's own memory, as safetensors takes it.

    They are copies because safetensors refuses tensors that share memory, as tied weights do.
    """
    return {
        name: to_host(tensor.detach()).clone(memory_format=torch.contiguous_format) for name, tensor in tensors.items()
    }


def usual_copy(net: nn.Module) -> nn.Module:
    """A copy of a model in the computer's own memory and torch's usual layout, whatever it was trained in."""
    copied = copy.deepcopy(net).cpu()
    copied.to(memory_format=torch.contiguous_format)  # type: ignore[call-overload]
    return copied


def _device_of(net: nn.Module) -> torch.device:
    return next((p.device for p in net.parameters()), torch.device("cpu"))
