"""Training and measuring where labels are masks."""

import json
import math

import numpy as np
import pytest
import torch
from torch import nn

import unseen
from unseen.base.labels import VOID
from unseen.errors import InputError
from unseen.method.cost import softmax_loss
from unseen.reporting.evaluation import result_line, score_run
from unseen.scoring.confusion import confusion, miou

CLASSES = 3
ADA = unseen.ADA(K=1, T=8, T_min=3, T_max=2, batch=4, n=6, eta=2.0, alpha=1e-2)
EVERY = unseen.Cadence(record=2, watch=2, save=2)
FLOAT32 = unseen.Engine("cpu", "float32")


def small_net(seed=0, classes=CLASSES):
    """A body with BatchNorm and a stride, a 1x1 convolution, and scores at the image's size."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Conv2d(3, 6, 3, padding=1, stride=2), nn.BatchNorm2d(6), nn.ReLU(), nn.Conv2d(6, classes, 1),
            nn.Upsample(scale_factor=2, mode="bilinear"),
        )  # fmt: skip


def scenes(n=12, seed=0, void=0.1):
    """Noise with a bright square on a dark ground: what is bright is class 1, a corner class 2."""
    draw = torch.Generator().manual_seed(seed)
    images = 0.3 * torch.rand(n, 3, 8, 12, generator=draw)
    labels = torch.zeros(n, 8, 12, dtype=torch.uint8)
    for i, column in enumerate(torch.randint(0, 8, (n,), generator=draw).tolist()):
        images[i, :, 2:6, column : column + 4] += 0.6
        labels[i, 2:6, column : column + 4] = 1
    labels[:, 0, 0] = 2
    labels[torch.rand(labels.shape, generator=draw) < void] = VOID
    return unseen.Domain("squares", images, labels, ("ground", "square", "corner"))


def split(net):
    return unseen.split(net, head="3")


def train(folder=None, domain=None, **options):
    return unseen.fit(
        split(small_net()), domain or scenes(), ADA, folder=folder, cadence=EVERY, engine=FLOAT32, **options
    )


def test_the_loss_is_the_mean_over_a_samples_labelled_pixels():
    scores = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(0))
    labels = torch.randint(3, (2, 4, 5), generator=torch.Generator().manual_seed(1), dtype=torch.uint8)
    labels[0, :2] = VOID
    expected = [
        np.mean([-scores[i].log_softmax(0)[int(labels[i, r, c]), r, c].item() for r in range(4) for c in range(5)
                 if labels[i, r, c] != VOID])
        for i in range(2)
    ]  # fmt: skip
    assert softmax_loss(scores, labels).tolist() == pytest.approx(expected)


def test_a_sample_without_a_labelled_pixel_has_no_loss_and_no_gradient():
    scores = torch.randn(1, 3, 2, 2, generator=torch.Generator().manual_seed(0)).requires_grad_()
    loss = softmax_loss(scores, torch.full((1, 2, 2), VOID, dtype=torch.uint8))
    loss.sum().backward()
    assert loss.tolist() == [0]
    assert not scores.grad.any()


def test_class_255_of_a_classifier_is_a_class_and_not_void():
    scores = torch.zeros(1, 300)
    assert float(softmax_loss(scores, torch.tensor([255]))) == pytest.approx(math.log(300))


def test_training_learns_and_makes_fictitious_scenes():
    run = train(watch={"squares": scenes(4, seed=9)})
    steps = [line for line in run.metrics if "miou" in line]
    assert steps[-1]["miou"]["squares"] > steps[0]["miou"]["squares"]
    (made,) = [line for line in run.metrics if "fictitious" in line]
    assert made["loss_after"] > made["loss_before"]
    assert made["moved"] > 0
    assert "supremum" not in made
    assert run.pool.labels.dtype == torch.uint8
    fictitious, parents = run.pool.round(1), run.pool.parents[run.pool.round(1)]
    assert torch.equal(run.pool.labels[fictitious], run.pool.labels[parents])


def test_the_ascent_leaves_batchnorms_statistics_alone_and_samples_independent():
    net, domain = split(small_net()), scenes()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    together = unseen.ascend(net, domain.images, domain.labels, ADA)
    alone = torch.cat([unseen.ascend(net, domain.images[i : i + 1], domain.labels[i : i + 1], ADA) for i in range(12)])
    torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-6)
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())


class Interrupted(Exception):
    pass


def test_an_interrupted_training_goes_on_to_the_same_bits(tmp_path):
    whole = train(tmp_path / "whole")

    def stop(progress):
        if progress.done == 5 and progress.phase == "minimize":
            raise Interrupted

    with pytest.raises(Interrupted):
        train(tmp_path / "cut", progress=stop)
    again = train(tmp_path / "cut", resume=True)
    for name, value in whole.net.state_dict().items():
        assert torch.equal(value, again.net.state_dict()[name]), name
    assert whole.metrics == again.metrics


def test_images_without_a_labelled_pixel_are_left_out_and_counted(tmp_path):
    domain = scenes()
    domain.labels[[2, 5]] = VOID
    said = []
    run = train(tmp_path / "run", domain, warn=said.append)
    left_out, moved = said
    assert left_out == "squares: 2 of its 12 images have no labelled pixel and are left out of the training"
    assert moved.startswith("round 1 moved its images by")
    assert run.pool.source_size == 10
    assert run.config.source.unlabelled == 2
    assert run.config.source.images == 12


def test_the_miou_is_that_of_one_matrix_over_the_domain():
    domain, net = scenes(), small_net().eval()
    with torch.no_grad():
        matrix = confusion(net(domain.images).argmax(1), domain.labels, CLASSES).sum(0)
    assert unseen.evaluate(split(net), domain) == pytest.approx(miou(matrix))
    assert unseen.evaluate(split(net), domain, batch=5) == pytest.approx(miou(matrix))


def test_an_ensemble_answers_pixel_by_pixel():
    domain, nets = scenes(), [split(small_net(seed)) for seed in (1, 5)]
    ensemble = unseen.Ensemble(nets)
    choice = ensemble.predict(domain.images)
    assert choice.classes.shape == domain.labels.shape
    assert {0, 1} == set(choice.member.unique().tolist())
    expected = miou(confusion(choice.classes, domain.labels, CLASSES).sum(0))
    assert unseen.evaluate(ensemble, domain, batch=5) == pytest.approx(expected)


def test_a_runs_miou_is_kept_with_that_of_each_class(tmp_path):
    run = train(tmp_path / "run")
    classes = scenes().classes
    domain = unseen.Domain("rest", scenes(4, seed=5).images, scenes(4, seed=5).labels.clamp_max(1), classes)
    (score,) = score_run(tmp_path / "run", [domain], run.net)
    file = json.loads((tmp_path / "run" / "evaluation.json").read_text())
    kept = file["scores"][0]
    assert (file["classes"], len(kept["iou"])) == (list(classes), 3)
    assert score.value == score.miou == kept["miou"] == pytest.approx(unseen.evaluate(run.net, domain))
    assert "accuracy" not in kept
    known = [value for value in kept["iou"] if value is not None]
    assert sum(known) / len(known) == pytest.approx(score.miou)
    assert score_run(tmp_path / "run", [domain], run.net) == [score]
    assert result_line(tmp_path / "run")["scores"][0]["miou"] == score.miou


def test_a_classifier_is_refused_for_masks_and_a_segmenter_for_labels():
    domain = scenes()
    classifier = nn.Sequential(nn.Flatten(), nn.Linear(288, CLASSES, device="meta").to_empty(device="cpu"))
    with pytest.raises(InputError, match=r"shape \(3,\) for an image of \(8, 12\).*masks, expected \(classes"):
        unseen.fit(classifier, domain, ADA)
    with pytest.raises(InputError, match=r"expected one number for each class.*or give masks as labels"):
        unseen.fit(split(small_net()), (domain.images, torch.zeros(12, dtype=torch.long)), ADA)
    with pytest.raises(InputError, match=r"\(3, 4, 6\) for an image of \(8, 12\).*let it end at the image's size"):
        unseen.evaluate(unseen.split(small_net()[:4]), domain)


def test_more_classes_than_the_model_scores_are_refused():
    domain, net = scenes(), unseen.split(small_net(classes=2), head="3")
    with pytest.raises(InputError, match="squares has 3 classes and the model gives 2 scores"):
        unseen.fit(net, domain, ADA)
    with pytest.raises(InputError, match=r"source: .*0\.\.1"):
        unseen.fit(net, (domain.images, domain.labels), ADA)
