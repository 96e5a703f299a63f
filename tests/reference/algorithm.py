"""Algorithm 1, with every random choice given as data."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .ascent import ascend, loss


@dataclass
class Record:
    losses: list[float]  # at each minimization step, the mean loss of the minibatch before the update
    objectives: list[float]  # the same plus ridge: what the step descends
    images: Tensor  # the pool at the end: source, then each round's samples
    labels: Tensor
    rounds: list[tuple[Tensor, Tensor]]  # each round's (X^k, Y)
    parameters: dict[str, Tensor]


class Adam:
    """Kingma & Ba, Algorithm 1: one m and v per parameter, one clock t for the whole training."""

    def __init__(self, model: nn.Module, alpha: float):
        self.alpha, self.t = alpha, 0
        self.theta = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.m = [torch.zeros_like(parameter) for parameter in self.theta]
        self.v = [torch.zeros_like(parameter) for parameter in self.theta]

    def descend(self, objective: Tensor) -> None:
        beta_1, beta_2, epsilon = 0.9, 0.999, 1e-8
        gradients = torch.autograd.grad(objective, self.theta)
        self.t += 1
        for j, g in enumerate(gradients):
            self.m[j] = beta_1 * self.m[j] + (1 - beta_1) * g
            self.v[j] = beta_2 * self.v[j] + (1 - beta_2) * g**2
            m_hat = self.m[j] / (1 - beta_1**self.t)
            v_hat = self.v[j] / (1 - beta_2**self.t)
            with torch.no_grad():
                self.theta[j] -= self.alpha * m_hat / (v_hat.sqrt() + epsilon)


def train(
    model: nn.Module, features, x: Tensor, y: Tensor, *,
    gamma, K, T_min, T_max, eta, alpha, T, batch, cost, scale, sampling, clip, ridge, n,
    minibatches: Iterable[Tensor], draws: Iterable[Tensor],
) -> Record:  # fmt: skip
    """Train `model` in place on the source (x, y). T counts every minimization step."""
    assert K * T_min <= T
    assert sampling in ("union", "chain")
    minibatches, draws = iter(minibatches), iter(draws)
    images, labels = x.clone(), y.clone()
    losses, objectives, rounds = [], [], []
    adam = Adam(model, alpha)

    def minimize(steps: int) -> None:
        model.train()
        for _ in range(steps):
            chosen = next(minibatches)
            data_loss = loss(model(images[chosen]), labels[chosen]).mean()
            # Weights have 2 or more dimensions; biases and the scales of norms don't.
            squares = sum((w**2).sum() for w in model.parameters() if w.dim() >= 2)
            objective = data_loss + ridge / 2 * squares
            adam.descend(objective)
            losses.append(data_loss.item())
            objectives.append(objective.item())

    for k in range(1, K + 1):
        minimize(T_min)
        if sampling == "union":  # Algorithm 1: sample {X_i, Y_i} from the dataset as it stands
            chosen = next(draws)
            X_start, Y = images[chosen], labels[chosen]
        elif k == 1:  # eq. (max-phase): X_i^0 are original samples
            chosen = next(draws)
            assert chosen.max() < len(x)
            X_start, Y = x[chosen], y[chosen]
        else:  # eq. (max-phase): X_i^k grows from X_i^{k-1}
            X_start, Y = rounds[-1]
        assert len(X_start) == n
        trajectories = ascend(
            model, features, X_start, Y, gamma=gamma, eta=eta, T_max=T_max, cost=cost, scale=scale,
            batch=batch, clip=clip,
        )  # fmt: skip
        X_k = torch.stack([trajectory[-1] for trajectory in trajectories])
        rounds.append((X_k, Y))
        images, labels = torch.cat([images, X_k]), torch.cat([labels, Y])
    minimize(T - K * T_min)

    parameters = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    return Record(losses, objectives, images, labels, rounds, parameters)
