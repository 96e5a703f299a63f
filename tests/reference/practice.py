"""Training as people train, number by number: what a step does to the weights, and what it is a step of."""

import math

import torch


class Optimizer:
    """Gradients of every trainable parameter, shortened to a norm; then each moves by a rule of its own."""

    def __init__(self, model, *, rates, decay=0.0, clip=None, momentum=0.0):
        """``rates`` gives each parameter's factor of the learning rate."""
        self.theta = [p for p in model.parameters() if p.requires_grad]
        self.rates, self.decay, self.clip, self.momentum, self.t = rates, decay, clip, momentum, 0
        self.m = [torch.zeros_like(p) for p in self.theta]
        self.v = [torch.zeros_like(p) for p in self.theta]

    def descend(self, objective, alpha):
        gradients = torch.autograd.grad(objective, self.theta)
        if self.clip is not None:
            norm = math.sqrt(sum(float((g**2).sum()) for g in gradients))
            gradients = [g * min(1.0, self.clip / (norm + 1e-6)) for g in gradients]
        self.t += 1
        with torch.no_grad():
            for j, g in enumerate(gradients):
                decay = self.decay if self.theta[j].dim() >= 2 else 0.0
                self.move(j, g, alpha * self.rates(self.theta[j]), decay)


class SGD(Optimizer):
    """v <- momentum v + g + decay theta; theta <- theta - alpha v."""

    def move(self, j, g, alpha, decay):
        self.v[j] = self.momentum * self.v[j] + g + decay * self.theta[j]
        self.theta[j] -= alpha * self.v[j]


class AdamW(Optimizer):
    """Loshchilov & Hutter 2019, Algorithm 2: Adam of the gradient, and apart from it -alpha decay theta."""

    def move(self, j, g, alpha, decay):
        self.m[j] = 0.9 * self.m[j] + 0.1 * g
        self.v[j] = 0.999 * self.v[j] + 0.001 * g**2
        m_hat, v_hat = self.m[j] / (1 - 0.9**self.t), self.v[j] / (1 - 0.999**self.t)
        self.theta[j] -= alpha * (m_hat / (v_hat.sqrt() + 1e-8) + decay * self.theta[j])


def rate(alpha, t, T, *, schedule, warmup=0, drops=(), drop=1.0):
    """Of the step after the t-th."""
    if schedule == "cosine":
        alpha = alpha * math.cos(math.pi / 2 * t / T) ** 2
    if schedule == "steps":
        for at in drops:
            if t >= at * T:
                alpha = alpha * drop
    if t < warmup:
        alpha = alpha * (t + 1) / warmup
    return alpha


def smoothed_loss(scores, label, smoothing):
    """Cross entropy with the label 1 - s + s/C for the true class and s/C for the others (Szegedy et al. 2016)."""
    total = sum(math.exp(score) for score in scores)
    loss = 0.0
    for c, score in enumerate(scores):
        share = smoothing / len(scores) + (1 - smoothing) * (c == label)
        loss -= share * math.log(math.exp(score) / total)
    return loss


def balanced_weights(labels, classes):
    """N / (C n_c) for each class that is there, 0 for one that isn't."""
    counts = [sum(label == c for label in labels) for c in range(classes)]
    there = sum(count > 0 for count in counts)
    return [len(labels) / (there * count) if count else 0.0 for count in counts]


def moving_average(values, decay):
    """Of numbers, the first of them before any step."""
    mean = values[0]
    for t, value in enumerate(values[1:], 1):
        d = min(decay, (1 + t) / (10 + t))
        mean = d * mean + (1 - d) * value
    return mean
