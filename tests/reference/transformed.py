"""The ascent over the parameters of transformations, one image at a time: x = T_w(x_0), and on top, if asked, d."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .ascent import loss, transport_cost


@dataclass
class Link:
    """One transformation of a chain."""

    apply: Any  # of images (1, C, H, W) and w (1, P)
    least: Tensor
    greatest: Tensor
    u: Tensor  # where it starts, in units of its range
    ascended: bool = True


def transformed(x_0: Tensor, chain: list[Link], us: list[Tensor]) -> Tensor:
    x = x_0
    for link, u in zip(chain, us, strict=True):
        sides = zip(u, link.least, link.greatest, strict=True)
        w = torch.stack([u_p * greatest if u_p >= 0 else -u_p * least for u_p, least, greatest in sides])
        if link.ascended:
            x = link.apply(x, w[None]).clamp(0, 1)
        else:  # its value, and the slope of the identity
            made = link.apply(x.detach(), w.detach()[None])
            x = (made + x - x.detach()).clamp(0, 1)
    return x


def entropy(scores: Tensor) -> Tensor:
    p = torch.softmax(scores, 1)
    return -(p * p.log()).sum()


def ascend(
    model, features, x: Tensor, y: Tensor, chains: list[list[Link]], *,
    gamma, eta, T_max, cost, scale, batch, clip, step, strength, entropy_weight, pixels,
) -> list[list[tuple[list[Tensor], Tensor]]]:  # fmt: skip
    """For each sample, after each of 0..T_max steps: the chain's u, and the image."""
    trajectories = []
    for i, chain in enumerate(chains):
        x_0, label = x[i : i + 1], y[i : i + 1]
        us, d = [link.u.clone() for link in chain], torch.zeros_like(x_0)
        trajectory = []
        for t in range(T_max + 1):
            us = [u.detach().requires_grad_() for u in us]
            d = d.detach().requires_grad_()
            image = transformed(x_0, chain, us)
            if pixels:
                image = image + d
                image = image.clamp(0, 1) if clip else image
            trajectory.append(([u.detach() for u in us], image.detach()[0]))
            if t == T_max:
                break
            scores = model(image)
            value = loss(scores, label).sum() - gamma * transport_cost(features, image, x_0, cost=cost, scale=scale)
            value = value + entropy_weight * entropy(scores)
            gradients = torch.autograd.grad(value, [*us, d], allow_unused=True, materialize_grads=True)
            for j, (link, gradient) in enumerate(zip(chain, gradients[:-1], strict=True)):
                if link.ascended:
                    low, high = _sides(link, strength)
                    us[j] = torch.minimum(torch.maximum(us[j] + step * gradient.sign(), -low), high)
            d = d + (eta if scale == "paper" else eta / batch) * gradients[-1]
        trajectories.append(trajectory)
    return trajectories


def _sides(link: Link, strength: float) -> tuple[Tensor, Tensor]:
    """How far each parameter may go down and up: not at all where its range ends at 0."""
    return tuple((side != 0) * torch.full_like(side, strength) for side in (link.least, link.greatest))
