"""Selection rules one sample at a time, in float64, straight from their definitions."""

import math


def softmax(scores):
    weights = [math.exp(score - max(scores)) for score in scores]
    return [weight / sum(weights) for weight in weights]


def surest(samples, certainty):
    """The class of the member with the greatest certainty, that member, its softmax."""
    member = max(range(len(samples)), key=lambda m: certainty(samples[m]))
    shares = softmax(samples[member])
    return shares.index(max(shares)), member, max(shares)


def greatest_softmax(samples):
    return surest(samples, lambda scores: max(softmax(scores)))


def greatest_score(samples):
    return surest(samples, max)


def greatest_margin(samples):
    return surest(samples, lambda scores: sorted(scores)[-1] - sorted(scores)[-2])


def least_entropy(samples):
    return surest(samples, lambda scores: sum(p * math.log(p) for p in softmax(scores)))


def mean_softmax(samples):
    shares = [softmax(scores) for scores in samples]
    mean = [sum(column) / len(samples) for column in zip(*shares, strict=True)]
    answer = mean.index(max(mean))
    return answer, max(range(len(samples)), key=lambda m: shares[m][answer]), mean[answer]


def majority_vote(samples):
    shares = [softmax(scores) for scores in samples]
    votes = [row.index(max(row)) for row in shares]
    mean = [sum(column) / len(samples) for column in zip(*shares, strict=True)]
    answer = max(range(len(mean)), key=lambda j: (votes.count(j), mean[j]))
    voters = [m for m, vote in enumerate(votes) if vote == answer]
    return answer, max(voters, key=lambda m: max(shares[m])), len(voters) / len(samples)


TWINS = {
    "greatest-softmax": greatest_softmax,
    "greatest-score": greatest_score,
    "greatest-margin": greatest_margin,
    "least-entropy": least_entropy,
    "mean-softmax": mean_softmax,
    "majority-vote": majority_vote,
}
