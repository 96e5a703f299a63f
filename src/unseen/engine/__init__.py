"""Where and how the arithmetic runs: device, precision, threads, memory and ranks. Nothing else mentions them."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from unseen.base.checks import is_whole
from unseen.engine import cpu
from unseen.engine.fast_ascent import FewChannels, bf16_weights
from unseen.engine.ranks import Ranks
from unseen.errors import InputError, SaveFailed, did_you_mean

if TYPE_CHECKING:
    from lightning_fabric import Fabric

ASCENT_VALUES = 128 * 3 * 32 * 32  # pixels at once: 128 digits, 2 street scenes; the result doesn't depend on it
EVALUATION_VALUES = 2 * ASCENT_VALUES
LEAST_BATCH = 4
PART_BYTES = 16 * 2**20
POOL_SHARE = 0.5
PRECISIONS = {"float32": "32-true", "bf16": "bf16-mixed"}  # our word, Fabric's word
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

    def __post_init__(self) -> None:
        if self.threads is not None and (not is_whole(self.threads) or self.threads < 1):
            raise InputError(f"threads={self.threads!r}: expected a whole number, 1 or more")
        self.threads = self.threads or torch.get_num_threads()
        chosen = self.device
        if chosen == "auto":
            chosen = "cuda" if torch.cuda.is_available() else "cpu"
        if chosen == "cuda" and self.ranks > 1:
            chosen = f"cuda:{os.environ['LOCAL_RANK']}"
        try:
            self.resolved = torch.empty(0, device=chosen).device
        except (RuntimeError, AssertionError) as error:
            raise InputError(f'device="{self.device}": not usable here ({error}); try "cpu"') from error
        if self.precision == "auto":
            self.precision = "bf16" if self._bf16_pays else "float32"
        if self.precision not in PRECISIONS:
            raise InputError(
                f'precision="{self.precision}": expected "float32" or "bf16"'
                f"{did_you_mean(str(self.precision), PRECISIONS, listed=True)}"
            )

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
            if not _takes(net, image.to(self.resolved, memory_format=self._layout)):
                self._layout = torch.contiguous_format
                net.to(memory_format=self._layout)  # type: ignore[call-overload]

    def prepare(self, net: nn.Module) -> Callable[[Tensor], Tensor]:
        """The model as training calls it: in this precision, its gradients averaged over the ranks. Same weights."""
        return self._fabric.setup_module(net, move_to_device=False)

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
    def fast_ascent(self, net: nn.Module) -> Iterator[None]:
        """Inside: a frozen ``net`` runs in this precision, and as fast as only the images' gradient takes."""
        with ExitStack() as stack:
            if self.precision == "bf16":
                stack.enter_context(bf16_weights(net))
                stack.enter_context(torch.autocast(_device_of(net).type, torch.bfloat16))
            if _device_of(net).type == "cpu":
                stack.enter_context(FewChannels())
            yield

    @contextmanager
    def seeded(self, seed: int) -> Iterator[None]:
        """Inside: what the model draws (dropout) follows ``seed``, each rank its own. After: generators as before."""
        generators = [torch.default_generator]
        if self.on_gpu:
            generators.append(torch.cuda.default_generators[self.resolved.index or 0])
        before = [g.get_state() for g in generators]
        for g in generators:
            g.manual_seed(seed + self.rank)
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

    def allocate(self, rows: int, like: Tensor, folder: Path | None) -> Tensor:
        """Space for ``rows`` images; on the disk of ``folder`` when it would take half of the memory there is."""
        values = rows * like[0].numel()
        if values * like.element_size() <= POOL_SHARE * cpu.memory() / int(os.environ.get("LOCAL_WORLD_SIZE", 1)):
            return torch.empty(rows, *like.shape[1:], dtype=like.dtype)
        return _mapped(values, like.dtype, folder).view(rows, *like.shape[1:])


@contextmanager
def using_threads(threads: int | None) -> Iterator[str | None]:
    """Inside: so many threads, torch's choice for None; what is worth saying about them, if there is something."""
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


def ascent_batch(image: Tensor) -> int:
    """How many images ascend at once: as many as a CPU's cache likes, or a few when they are large."""
    return max(ASCENT_VALUES // image.numel(), LEAST_BATCH)


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


def adam(net: nn.Module, alpha: float, ridge: float) -> torch.optim.Adam:
    """Adam on every trainable parameter, with the gradient of ridge/2 ||W||^2 for the weights.

    Weights are parameters with two or more dimensions: biases and normalization scales are not among them.
    """
    parameters = [p for p in net.parameters() if p.requires_grad]
    if not parameters:
        raise InputError("the model has no trainable parameter (requires_grad is False for all): nothing to train")
    weights = [p for p in parameters if p.ndim >= 2]
    others = [p for p in parameters if p.ndim < 2]
    groups = [
        {"params": weights, "weight_decay": ridge},
        {"params": others, "weight_decay": 0.0},
    ]
    return torch.optim.Adam([g for g in groups if g["params"]], lr=alpha, fused=True)


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """The learning rate of the next step."""
    for group in optimizer.param_groups:
        group["lr"] = rate


def _device_of(net: nn.Module) -> torch.device:
    return next((p.device for p in net.parameters()), torch.device("cpu"))


def _mapped(values: int, dtype: torch.dtype, folder: Path | None) -> Tensor:
    """A tensor whose memory is a nameless file in ``folder``: it goes with the process, however that ends."""
    size = values * dtype.itemsize
    with tempfile.NamedTemporaryFile(prefix=".pool-", dir=folder) as file:
        try:
            os.posix_fallocate(file.fileno(), 0, size)  # a full disk is found here, not at some later write
        except OSError as error:
            raise SaveFailed(
                f"the pool needs {size / 2**30:.1f} GiB on the disk of {Path(file.name).parent}: {error.strerror}; "
                "free as much there or choose another folder"
            ) from error
        return torch.from_file(file.name, shared=True, size=values, dtype=dtype)
