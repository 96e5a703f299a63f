"""The inner maximization, eq. (max-phase), one image at a time."""

import torch
from torch import Tensor, nn


def loss(scores: Tensor, y: Tensor) -> Tensor:
    """Eq. (softmax), one value per sample; for scores per pixel, the mean over the sample's pixels."""
    of_label = scores.gather(1, y.unsqueeze(1)).squeeze(1)
    minus_log_softmax = torch.logsumexp(scores, 1) - of_label
    return minus_log_softmax.reshape(len(scores), -1).mean(1)


def transport_cost(features, x: Tensor, x_0: Tensor, *, cost: str, scale: str) -> Tensor:
    """c_theta((x, y), (x_0, y)), a number; x and x_0 are batches of one image."""
    if cost == "semantic":
        moved = features(x) - features(x_0)  # g(theta_f; x) - g(theta_f; x_0)
    elif cost == "pixel":
        moved = x - x_0
    else:
        raise ValueError(f"cost is 'semantic' or 'pixel', not {cost!r}")
    p = moved.numel()
    if scale == "paper":
        return (moved**2).sum() / 2
    if scale == "released":
        return (moved**2).sum() / p
    raise ValueError(f"scale is 'paper' or 'released', not {scale!r}")


def objective(model, features, x: Tensor, x_0: Tensor, y: Tensor, *, gamma, cost, scale) -> Tensor:
    """What phi_gamma takes the supremum of, eq. (surrogate): a number for a batch of one image."""
    (value,) = loss(model(x), y)
    return value - gamma * transport_cost(features, x, x_0, cost=cost, scale=scale)


def ascend(
    model: nn.Module, features, x: Tensor, y: Tensor, *, gamma, eta, T_max, cost, scale, batch, clip
) -> list[list[Tensor]]:
    """For each sample its whole trajectory: X_i, then the image after each of the T_max steps."""
    modes = {module: module.training for module in model.modules()}
    model.eval()
    # The released code averages over the batch, so that one sample's own gradient counts for 1/batch.
    step = eta if scale == "paper" else eta / batch

    trajectories = []
    for i in range(len(x)):
        X_0, Y = x[i : i + 1].detach().clone(), y[i : i + 1]
        X = X_0.clone()
        trajectory = [X[0]]
        for _ in range(T_max):
            X = X.detach().requires_grad_()
            value = objective(model, features, X, X_0, Y, gamma=gamma, cost=cost, scale=scale)
            (gradient,) = torch.autograd.grad(value, X)
            X = (X + step * gradient).detach()
            if clip:
                X = X.clamp(0, 1)
            trajectory.append(X[0])
        trajectories.append(trajectory)

    for module, training in modes.items():
        module.training = training
    return trajectories
