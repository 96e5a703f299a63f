"""Impossible settings: whatever is put into a setting is taken, or refused by one message; nothing else comes out."""

import math
import random
import tomllib
from contextlib import suppress
from dataclasses import fields

import pytest
import torch
import typer.main

import unseen
from unseen import ADDA, Cadence, Engine
from unseen.base.checks import shown
from unseen.choosing.choose import plan as plan_choice
from unseen.choosing.choose import read_candidates
from unseen.cli.app import app
from unseen.errors import InputError
from unseen.runs.job import Job
from unseen.runs.request import KNOWN, read_request
from unseen.sweep.grid import grid, read_grid


def _nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


VALUES = {
    "None": None,
    "True": True,
    "empty text": "",
    "text": "nonsense",
    "no user's home": "~nobody-here/x",
    "long text": "x" * 5000,
    "text with a zero byte": "a\0b",
    "text that no file system takes": "\ud800",
    "code": "no_such_file.py:make",
    "list": [],
    "list of numbers": [1, 2.5],
    "list of names": ["a", "b"],
    "mixed list": [1, "a", None],
    "tuple": (3, 4),
    "dict": {"a": 1},
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "beyond float32": 1e308,
    "least float": 5e-324,
    "2**64": 2**64,
    "10**12": 10**12,
    "400 digits": 10**400,
    "5,000 digits": 10**5000,
    "negative": -1,
    "0": 0,
    "nested": _nested(50),
    "nested deeply": _nested(100_000),
    "bytes": b"x",
    "an object": object(),
}
KINDS = {"ADA": unseen.ADA, "Cadence": Cadence, "Job": Job, "ADDA": ADDA}
FIELDS = [(kind, field.name) for kind, made in KINDS.items() for field in fields(made)]


def _only_input_errors(call, *arguments, **settings):
    with suppress(InputError):
        call(*arguments, **settings)


@pytest.mark.parametrize(("kind", "name"), FIELDS)
def test_a_setting_takes_a_value_or_refuses_it(kind, name):
    for value in VALUES.values():
        _only_input_errors(KINDS[kind], **{name: value})


@pytest.mark.parametrize("name", ["device", "precision", "threads"])
def test_the_engine_takes_a_value_or_refuses_it(name):
    for value in VALUES.values():
        _only_input_errors(Engine, **{name: value})


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_request_takes_a_value_or_refuses_it(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in VALUES.values():
        _only_input_errors(read_request, None, {name: value})
        _only_input_errors(grid, {}, **{"out": tmp_path} | {name: value})
        _only_input_errors(grid, {name: value}, out=tmp_path, seed=[0])
        _only_input_errors(plan_choice, {"one": {name: value}}, {}, tmp_path, 1)
    assert not list(tmp_path.iterdir()), "nothing is written before it is known to be right"


@pytest.mark.parametrize(
    ("kind", "settings", "said"),
    [
        (unseen.ADA, {"gamma": 10**400}, "gamma=1000"),
        (unseen.ADA, {"gamma": 10**5000}, "gamma=a int that is too large to show: expected a number"),
        (unseen.ADA, {"eta": 1e308}, "eta=1e+308: expected a finite number, 0 or more (in float32, below 3e38)"),
        (unseen.ADA, {"T": 10**30}, "T=1000000000000000000000000000000: expected a whole number"),
        (Job, {"width": math.inf}, "width=inf: expected 1/64 to 1,024"),
        (Job, {"width": math.nan}, "width=nan: expected 1/64 to 1,024"),
        (Job, {"size": (10**6, 10**6)}, "size is (1000000, 1000000), expected sides of at most 65,500 pixels"),
        (Job, {"size": 65_000}, "one image of 65000x65000 takes 47 GiB"),
        (Engine, {"precision": []}, 'precision=[]: expected "float32" or "bf16"'),
        (Engine, {"device": "meta"}, 'device="meta": nothing can be trained there'),
        (Engine, {"device": []}, 'device=[]: expected a name such as "cpu"'),
        (Engine, {"threads": 10**12}, "threads=1000000000000: expected a whole number, 1 or more and at most 4,096"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_the_message_names_the_setting_and_what_was_expected(kind, settings, said, monkeypatch):
    monkeypatch.setattr("unseen.engine.cpu.memory", lambda: 16 * 2**30)
    with pytest.raises(InputError) as caught:
        kind(**settings)
    assert said in str(caught.value)


SEEDED = {
    "a request": lambda seed, net, data: read_request(None, {"seed": seed}),
    "fit": lambda seed, net, data: unseen.fit(net, data, unseen.ERM(T=1, batch=2), seed=seed),
    "model": lambda seed, net, data: unseen.model("convnet", 4, seed=seed),
    "GrowingPool": lambda seed, net, data: unseen.GrowingPool(data, unseen.ADA(), seed=seed),
    "fictitious": lambda seed, net, data: unseen.fictitious(net, *data, unseen.ADA(over="colour"), seed=seed),
}


@pytest.mark.parametrize("call", SEEDED.values(), ids=SEEDED)
def test_a_seed_that_no_generator_takes_is_refused(call, make_net, digits):
    for seed in (-1, 2**63, 2**64, True, "1", 1.0):
        with pytest.raises(InputError, match=r"seed=.*expected a whole number, 0 or more and below 2\*\*63"):
            call(seed, unseen.split(make_net()), digits)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"batch": 10**12}, "batch=1,000,000,000,000 images of 3x8x8 takes"),
        ({"K": 10**9, "T": 10**12, "T_min": 1}, "a pool of 1,000,000,000 rounds of 24 images"),
        ({"K": 1, "n": 10**15, "T": 200}, "a pool of 1 rounds of 1,000,000,000,000,000 images"),
    ],
    ids=["batch", "K", "n"],
)
def test_what_no_memory_holds_is_refused_before_it_is_allocated(settings, said, make_net, digits):
    with pytest.raises(InputError, match=said):
        unseen.fit(make_net(), digits, unseen.ADA(**settings))


def test_more_scenes_than_memory_holds_are_refused_before_one_is_rendered():
    with pytest.raises(InputError, match=r"highway-dawn with images=1,000,000,000,000 of 192x320 takes"):
        unseen.domain("highway-dawn", images=10**12)


def test_a_network_wider_than_memory_is_refused_before_it_is_made(monkeypatch):
    with pytest.raises(InputError, match=r"the convnet with width=1000 takes .* give a smaller width"):
        unseen.models.ConvNet(width=1000)


def test_batch_norm_over_a_single_value_is_refused_before_the_first_step(digits):
    with torch.random.fork_rng(devices=[]):
        net = torch.nn.Sequential(
            torch.nn.Flatten(), torch.nn.Linear(192, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 4)
        )
    with pytest.raises(InputError, match="batch=1: the model has BatchNorm"):
        unseen.fit(net, digits, unseen.ERM(T=1, batch=1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = " + "[" * 100_000, "is nested too deeply"),
        ("x = " + "{a = " * 5000, "is nested too deeply"),
        ("gamma = 1" + "0" * 5000, "damaged"),
        ("\0", "not valid TOML"),
    ],
    ids=["lists", "tables", "digits", "zero byte"],
)
@pytest.mark.parametrize("read", [lambda f: read_request(f, {}), lambda f: read_grid(f, None), read_candidates])
def test_a_file_of_settings_that_cannot_be_read_is_one_message(tmp_path, read, text, said):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(InputError, match=said):
        read(tmp_path / "s.toml")


@pytest.mark.parametrize("name", sorted(KNOWN | {"grid", "candidates"}))
def test_a_file_of_settings_takes_a_value_or_refuses_it(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "s.toml"
    for value in ('"~nobody-here/x"', "true", "nan", "inf", "-1", "0", "1e308", "10000000000000000000", "[]", "{a = 1}",
                  "[[[1]]]", '""', '"x.py:y"', "1979-05-27", f'"{"x" * 300}"', "[{}]"):  # fmt: skip
        file.write_text(f"{name} = {value}\n")
        tomllib.loads(file.read_text())
        _only_input_errors(read_request, file, {})
        _only_input_errors(read_grid, file, None)
        file.write_text(f"{name} = {value}\n[candidates.one]\nK = 1\n")
        _only_input_errors(lambda: plan_choice(*read_candidates(file), tmp_path, 1))
        file.write_text(f"[grid]\n{name} = {value}\n")
        _only_input_errors(read_grid, file, None)


def test_a_grid_with_more_runs_than_anybody_has_time_for_is_refused(tmp_path):
    many = list(range(1000))
    with pytest.raises(InputError, match=r"the lists have 1000000000 combinations, expected 100,000 or fewer"):
        grid({}, out=tmp_path, seed=many, T=many, batch=many)


def test_what_can_be_gone_through_once_is_a_list_of_a_grid_too(tmp_path):
    assert len(grid({}, out=tmp_path, seed=(seed for seed in (0, 1)))) == 2


def test_a_folder_named_by_its_settings_has_a_name_that_file_systems_take(tmp_path):
    over = ",".join(["colour"] * 60).split(",")
    assert len(read_request(None, {"over": over}).out.name) < 255


def test_a_value_is_shown_whatever_it_is():
    assert shown([1, "a"]) == "[1, 'a']"
    assert shown("x" * 100).endswith("...")
    assert len(shown("x" * 100)) == 80
    assert shown(_nested(100_000)) == "a list that is too large to show"


FLAGS = {
    verb: [
        parameter.opts[0]
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.is_flag and parameter.opts[0] != "--resume"
    ]
    for verb, command in typer.main.get_command(app).commands.items()
}
ARGUMENTS = {
    "train": [], "evaluate": ["none"], "report": ["none"], "diagnose": ["none"], "play": ["none"],
    "predict": ["none", "none.png"], "export": ["none"], "ensemble": ["none"], "sweep": ["none.toml"],
    "choose": ["none.toml"], "results": ["none.jsonl"], "leaderboard": ["none"], "reproduce": ["none"],
    "download": ["none"], "demo": [], "domains": [],
}  # fmt: skip
WORDS = ["", "nan", "-inf", "1e400", "-1", "0", "99999999999999999999", "9" * 5000, "~nobody-here/x", "x" * 300, "[]",
         "a:b", "0x0", "9" * 20 + "x" + "9" * 20]  # fmt: skip


SHARE = 2
"""words that each flag meets here, drawn; all of them are too many for every day"""


@pytest.mark.parametrize("verb", FLAGS)
def test_a_flag_takes_a_value_or_refuses_it(verb, shell, monkeypatch):
    monkeypatch.setattr("unseen.cli.demo.run_demo", lambda *_: None)
    monkeypatch.setattr("unseen.cli.train._train", lambda *_, **__: None)
    monkeypatch.setattr("unseen.deploy.play.serving._need_gradio", lambda: None)  # importing it takes seconds
    draw = random.Random(verb)
    for flag in FLAGS[verb]:
        for word in draw.sample(WORDS, SHARE):
            code, text = shell(verb, *ARGUMENTS[verb], flag, word)
            assert code in (0, 2, 3, 5), (flag, word, text)
            assert "Traceback" not in text
