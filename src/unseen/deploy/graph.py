"""A predictor as one graph, from pictures to answers, that runs without unseen."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from typing_extensions import override

from unseen.data.images import Size, checked_size
from unseen.deploy.predictor import Predictor
from unseen.engine import usual_copy
from unseen.ensembles.ensemble import Ensemble
from unseen.errors import InputError

OF_ONE, OF_SEVERAL = ("label", "probabilities", "scores"), ("label", "probabilities", "answered_by", "scores")
"""The outputs of a network's graph and of an ensemble's."""
INPUT = "images"


@dataclass(frozen=True)
class GraphInput:
    """What a graph takes: ``images``, any number of them."""

    size: tuple[int, int]
    channels: int
    bytes_: bool = False
    """whether they are bytes (N, height, width, channels), as image libraries have them"""

    @classmethod
    def of(cls, predictor: Predictor, size: Size = None, *, bytes_: bool = False) -> GraphInput:
        """Images of the size that pictures are resized to, or of ``size`` where they are left as they are."""
        given, own = checked_size(size), predictor.size
        if own is None and given is None:
            raise InputError(
                "export: the run doesn't say how large its images were, and a graph takes one size; give it with --size"
            )
        if own is not None and given not in (None, own):
            raise InputError(
                f"export: size={given} was asked for, but its images were {own[0]}x{own[1]}; leave --size out"
            )
        chosen = own or given
        assert chosen is not None
        return cls(chosen, predictor.prepare.channels, bytes_)

    def __str__(self) -> str:
        (height, width), colour = self.size, "RGB" if self.channels == 3 else "grey"
        if self.bytes_:
            return f"{INPUT}: uint8 (N, {height}, {width}, {self.channels}), {colour}, 0..255"
        return f"{INPUT}: float32 (N, {self.channels}, {height}, {width}), {colour} in [0, 1]"

    def taken(self, images: Tensor) -> Tensor:
        """Images (N, channels, height, width) in [0, 1] in the form that the graph takes."""
        return (images * 255).round().byte().permute(0, 2, 3, 1).contiguous() if self.bytes_ else images

    def example(self) -> Tensor:
        """Two images that are nothing but black."""
        return self.taken(torch.zeros(2, self.channels, *self.size))


class Graph(nn.Module):
    """The networks, the preparation that a graph can do, and the rule: images in, ``outputs`` out."""

    def __init__(self, predictor: Predictor, expected: GraphInput) -> None:
        super().__init__()
        several = isinstance(predictor.net, Ensemble)
        self.networks = nn.ModuleList(usual_copy(net) for net in predictor.networks)
        self.rule = predictor.rule if several else None
        self.outputs = OF_SEVERAL if several else OF_ONE
        self.expected = expected
        self.eval()

    @override
    def forward(self, images: Tensor) -> tuple[Tensor, ...]:
        if self.expected.bytes_:
            images = images.permute(0, 3, 1, 2).float() / 255
        scores = [network(images).float() for network in self.networks]
        return self.said(scores[0] if self.rule is None else torch.stack(scores))

    def said(self, scores: Tensor) -> tuple[Tensor, ...]:
        """The outputs for images with these scores; those of an ensemble have the members in front."""
        if self.rule is None:
            return scores.argmax(1), scores.softmax(1), scores
        choice = self.rule.choose(scores)
        return choice.classes, self.rule.probabilities(scores, choice), choice.member, scores


def traced(graph: Graph) -> torch.export.ExportedProgram:
    """The graph as torch.export has it, for any number of images; a network that can't be traced is refused."""
    try:
        with untroubled(), torch.no_grad():
            return torch.export.export(
                graph, (graph.expected.example(),), dynamic_shapes=({0: torch.export.Dim("N", min=1)},)
            )
    except Exception as error:  # the network may be the user's, and torch.export raises of many kinds
        raise InputError(
            f"export: torch.export can't make a graph of the network for any number of images: {first_line(error)}; "
            "let its forward depend on the images' values and number through torch operations only"
        ) from error


@contextmanager
def untroubled() -> Iterator[None]:
    """Inside: torch doesn't warn of how torch itself is written."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*LeafSpec.*", category=FutureWarning)
        yield


def first_line(error: BaseException) -> str:
    """The first line of what an error says, which is all that a message has room for."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
