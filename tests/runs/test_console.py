"""How a training looks: bars in a terminal, lines elsewhere."""

import io
import re

import pytest
from rich.console import Console

from unseen.runs import console
from unseen.runs.progress import Progress


def shown(terminal: bool, steps: list[Progress], width: int = 140) -> str:
    file = io.StringIO()
    with console.showing(Console(file=file, force_terminal=terminal, width=width)) as show:
        for progress in steps:
            show(progress)
    return file.getvalue()


STEPS = [
    Progress("minimize", 0, 20, 0),
    Progress("minimize", 10, 20, 0, {"step": 10, "round": 0, "loss": 0.5, "accuracy": {"held-out": 0.9}}),
    Progress("maximize", 64, 128, 0),
    Progress("maximize", 128, 128, 0),
    Progress("minimize", 20, 20, 1, {"step": 20, "round": 1, "loss": 0.25}),
]


def test_a_terminal_gets_bars_with_counts_and_the_loss():
    text = shown(True, STEPS)
    assert "\x1b[" in text
    assert "20/20" in text
    assert "128/128" in text
    assert "loss 0.250" in text


def test_values_of_watched_domains_are_shown_when_they_are_measured_and_stay():
    measured = {"loss": 0.5, "accuracy": {"validation": 0.9, "/photos/street": 0.7}}
    steps = [Progress("minimize", t, 30, 0, line) for t, line in ((0, None), (10, measured), (20, {"loss": 0.4}))]
    assert "training (rounds done: 0): 10 of 30 steps" in shown(False, steps)
    assert "loss 0.500, validation 90.0%, street 70.0%" in shown(False, steps)
    assert "loss 0.400, validation 90.0%, street 70.0%" in shown(True, steps)


def test_80_columns_have_room_for_the_time_left_and_the_loss():
    text = shown(True, [Progress("minimize", 0, 1500, 0), Progress("minimize", 1500, 1500, 0, {"loss": 0.5})], width=80)
    last = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text).strip().splitlines()[-1]
    assert last.startswith("training (rounds done: 0) ━")
    assert "1500/1500" in last
    assert "0:00:00 loss 0.500" in last


def test_of_many_trainings_one_that_is_over_is_taken_off():
    file = io.StringIO()
    with console.showing_many(Console(file=file, force_terminal=True, width=140)) as show:
        show("sweep", Progress("sweep", 0, 1, 0))
        show("first", Progress("minimize", 5, 10, 0))
        show("first", None)
        show("sweep", Progress("sweep", 1, 1, 0))
    shown_last = file.getvalue().rpartition("sweep")[2]
    assert "1/1" in shown_last
    assert "first" not in shown_last


def test_elsewhere_there_are_plain_lines_a_reader_of_a_log_understands():
    text = shown(False, STEPS)
    assert "\x1b" not in text
    assert "round 1: making fictitious images: 128 of 128 images" in text
    assert text.splitlines()[-1] == "training (rounds done: 1): 20 of 20 steps, loss 0.250"


def test_a_long_phase_gets_a_line_every_ten_seconds_with_rate_and_time_left(monkeypatch):
    now = iter([0.0, 4.0, 11.0])
    monkeypatch.setattr(console.time, "monotonic", lambda: next(now))
    text = shown(False, [Progress("minimize", done, 100, 0) for done in (0, 20, 55)])
    assert text.splitlines() == [
        "training (rounds done: 0): 0 of 100 steps",
        "training (rounds done: 0): 55 of 100 steps, 5.0 steps/s, 0:09 left",
    ]


def test_one_slow_step_hardly_moves_the_time_left(monkeypatch):
    steps = {2.0 * i: 10 * i for i in range(61)} | {140.0: 601}  # 5 a second, then one in 20 seconds
    now = iter(steps)
    monkeypatch.setattr(console.time, "monotonic", lambda: next(now))
    text = shown(False, [Progress("minimize", done, 1200, 0) for done in steps.values()])
    assert "5.0 steps/s, 2:00 left" in text
    assert text.splitlines()[-1].endswith("601 of 1200 steps, 3.6 steps/s, 2:45 left"), (
        "by the last step alone: 3 hours"
    )


def test_a_round_in_between_is_no_slow_step(monkeypatch):
    looks = {0.0: ("minimize", 0), 20.0: ("minimize", 100), 21.0: ("maximize", 0), 320.0: ("maximize", 8),
             321.0: ("minimize", 101), 341.0: ("minimize", 201)}  # fmt: skip
    now = iter(looks)
    monkeypatch.setattr(console.time, "monotonic", lambda: next(now))
    text = shown(
        False, [Progress(phase, done, 1000 if phase == "minimize" else 9, 0) for phase, done in looks.values()]
    )
    assert text.splitlines()[-1] == "training (rounds done: 0): 201 of 1000 steps, 5.0 steps/s, 2:40 left"


def test_an_evaluation_is_silent_for_ten_seconds_then_says_its_rate(monkeypatch):
    now = iter([0.0, 4.0, 12.0, 13.0])
    monkeypatch.setattr(console.time, "monotonic", lambda: next(now))
    text = shown(False, [Progress("evaluate", done, 100, 0) for done in (0, 20, 60, 100)])
    assert text.splitlines() == ["evaluating: 60 of 100 images, 5.0 images/s, 0:08 left"]


RUNS = {0.0: 0, 600.0: 2, 1200.0: 3, 1211.0: 4}  # seconds: runs done, the last two almost at once
SWEEP = [Progress("sweep", done, 8, 0) for done in RUNS.values()]


def test_the_time_left_of_a_sweep_is_by_all_runs_done_and_not_by_the_last_that_ended_together(monkeypatch):
    now = iter(RUNS)
    monkeypatch.setattr(console.time, "monotonic", lambda: next(now))
    assert shown(False, SWEEP).splitlines() == [
        "runs done: 0 of 8 runs",
        "runs done: 2 of 8 runs, 30:00 left",
        "runs done: 3 of 8 runs, 33:20 left",
        "runs done: 4 of 8 runs, 20:11 left",
    ]


def test_in_a_terminal_too():
    seconds = [0.0]
    bars = console.Bars(console._Rate(), console._Left(), console=Console(quiet=True), get_time=lambda: seconds[0])
    show = console._Bars(bars)
    for seconds[0], progress in zip(RUNS, SWEEP, strict=True):
        show("sweep", progress)
    assert [column.render(bars.tasks[0]).plain for column in bars.columns] == ["", "20:11"]


@pytest.mark.parametrize(("seconds", "text"), [(5, "0:05"), (65.4, "1:05"), (7200, "2:00:00")])
def test_times_are_written_as_clocks(seconds, text):
    assert console.clock(seconds) == text


def test_an_adaptation_is_called_one():
    assert "adapting: 5 of 5 steps" in shown(False, [Progress("adapt", 5, 5, 0)])


def test_of_many_rounds_the_last_two_have_bars():
    bars = console.Bars(console=Console(quiet=True))
    show = console._Bars(bars)
    for k in range(20):
        show("", Progress("minimize", k, 20, k))
        show("", Progress("maximize", 8, 8, k))
    assert [task.description for task in bars.tasks] == [
        "training (rounds done: 19)",
        "round 19: making fictitious images",
        "round 20: making fictitious images",
    ]
