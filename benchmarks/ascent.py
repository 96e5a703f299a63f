"""The ascent against a plain twin: `make bench`, or `python -m benchmarks.ascent --images 256 --repeats 5`.

Both make the same fictitious images of the same digits on one thread, turn about, and the best of several repeats
counts. The twin does it the plain way: standard layout, batches of 32, gradients for the weights too, reference
features computed again at every step.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

import unseen
from unseen.cost import scale_of, softmax_loss, transport_cost

RESULTS = Path(__file__).parent / "results" / "ascent.jsonl"


def plain_ascend(net: unseen.Split, x: Tensor, y: Tensor, ada: unseen.ADA) -> Tensor:
    return torch.cat([_plain_batch(net, a, b, ada) for a, b in zip(x.split(32), y.split(32), strict=True)])


def _plain_batch(net: unseen.Split, x0: Tensor, y: Tensor, ada: unseen.ADA) -> Tensor:
    x = x0
    for _ in range(ada.T_max):
        x = x.detach().requires_grad_()
        z0 = net.features(x0)
        z = net.features(x)
        objective = softmax_loss(net.head(z), y) - ada.gamma * transport_cost(ada, z, z0, x, x0)
        objective.sum().backward()
        x = x + scale_of(ada, 1).step * x.grad
    return x.detach()


def seconds(work: Callable[[], Tensor]) -> tuple[float, Tensor]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=256)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    ada = unseen.ADA()
    digits = unseen.domain("mnist5k-train").head(options.images)
    plain = unseen.split(unseen.models.ConvNet(seed=0)).eval()
    fast = unseen.split(unseen.models.ConvNet(seed=0))
    engine = unseen.Engine("cpu", threads=1)
    fast_times, plain_times = [], []
    with engine.running():
        engine.place(fast)
        x, y = engine.put(digits.images, digits.labels)
        for _ in range(options.repeats):
            took, ours = seconds(lambda: unseen.ascend(fast, x, y, ada))
            fast_times.append(took)
            took, theirs = seconds(lambda: plain_ascend(plain, digits.images, digits.labels, ada))
            plain_times.append(took)
    # On a digit's flat background every pooling window is a tie, which rounding breaks one way or the other: single
    # pixels may differ, so what both moved the images by is compared as a whole.
    apart = float((ours - theirs).norm() / (theirs - digits.images).norm())
    assert apart < 0.05, f"the twins moved the images differently: {apart:.3f} of the movement"
    work = options.images * ada.T_max
    result = {
        "benchmark": "ascent, ConvNet, float32, 1 thread",
        "us_per_image_step": round(min(fast_times) / work * 1e6),
        "plain_us_per_image_step": round(min(plain_times) / work * 1e6),
        "ratio": round(min(plain_times) / min(fast_times), 2),
        "apart": round(apart, 4),
        "images": options.images,
        "best_of": options.repeats,
        "torch": torch.__version__,
        "cpu": next(
            (
                line.split(":")[1].strip()
                for line in Path("/proc/cpuinfo").read_text().splitlines()
                if "model name" in line
            ),
            platform.processor(),
        ),
        "date": datetime.date.today().isoformat(),
    }
    with RESULTS.open("a") as file:
        file.write(json.dumps(result) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
