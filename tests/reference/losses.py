"""The terms of the minimization, number by number, straight from their definitions."""

import math


def softmax(scores):
    weights = [math.exp(score - max(scores)) for score in scores]
    return [weight / sum(weights) for weight in weights]


def entropy_of(p):
    return -sum(q * math.log(q) for q in p)


def entropy(scores):
    return entropy_of(softmax(scores))


def jensen_shannon(views):
    """Of one sample: each view's scores. The mean Kullback-Leibler divergence from the mean prediction."""
    shares = [softmax(scores) for scores in views]
    mean = [sum(column) / len(shares) for column in zip(*shares, strict=True)]
    return sum(p * math.log(p / m) for row in shares for p, m in zip(row, mean, strict=True)) / len(shares)


def supervised_contrast(z, y, tau=0.1):
    """Khosla et al., eq. (2), for each sample; 0 for one that is alone in its class."""
    unit = [[v / math.sqrt(sum(w * w for w in row)) for v in row] for row in z]

    def similar(i, j):
        return math.exp(sum(a * b for a, b in zip(unit[i], unit[j], strict=True)) / tau)

    values = []
    for i in range(len(z)):
        positives = [j for j in range(len(z)) if j != i and y[j] == y[i]]
        all_others = sum(similar(i, a) for a in range(len(z)) if a != i)
        terms = [math.log(similar(i, j) / all_others) for j in positives]
        values.append(-sum(terms) / len(terms) if terms else 0.0)
    return values


def cosine_rate(alpha, t, T):
    """From alpha at the first step, t = 0, to 0 after the T-th."""
    return alpha * math.cos(math.pi / 2 * t / T) ** 2
