"""A model's file that can't be used: one message with the user's own line, before anything is trained."""

import pytest
import torch

import unseen
from unseen.errors import InputError
from unseen.runs.request import read_request

FILES = {
    "a syntax error": (
        "import torch\ndef make(classes:\n    pass\n",
        ["can't be imported: SyntaxError: '(' was never closed (line 2 in ", "nets.py: def make(classes:)"],
    ),
    "an exception": (
        "import torch\n\nlayers = {}\nsize = layers['none']\n",
        ["can't be imported: KeyError: 'none' (line 4 in ", "nets.py: size = layers['none'])"],
    ),
    "an exception in a function of it": (
        "def broken():\n    raise OSError(5, 'no such camera')\n\nbroken()\n",
        ["OSError: [Errno 5] no such camera (line 2 in ", "raise OSError(5, 'no such camera'))"],
    ),
    "an exception in a library": (
        "import json\nmade = json.loads('{')\n",
        ["JSONDecodeError: Expecting property name", "(line 2 in ", "nets.py: made = json.loads('{'))"],
    ),
    "an end of the program": (
        "import sys\nsys.exit(0)\n",
        ["can't be imported: it called sys.exit(0) (line 2 in ", "nets.py: sys.exit(0))"],
    ),
    "an end of another kind": ("raise GeneratorExit\n", ["can't be imported: GeneratorExit (line 1 in "]),
    "a module that isn't there": ("import no_such_module\n", ["No module named 'no_such_module' (line 1 in "]),
    "a factory that fails": (
        "def make(classes):\n    return [][classes]\n",
        ["calling it with classes=10 failed: IndexError: list index out of range (line 2 in ", "return [][classes])"],
    ),
    "a factory that ends the program": (
        "def make(classes):\n    raise SystemExit\n",
        ["calling it with classes=10 failed: it called sys.exit(None) (line 2 in "],
    ),
    "a factory that makes no module": (
        "def make(classes):\n    return {}\n",
        ["gave a dict, expected a torch.nn.Module"],
    ),
    "no factory": ("make = 3\n", ["calling it with classes=10 failed: TypeError: 'int' object is not callable"]),
    "a model that ends the program": (
        "import sys\nfrom torch import nn\nclass Net(nn.Sequential):\n    def forward(self, x):\n        sys.exit(0)\n"
        "def make(classes):\n    return Net(nn.Flatten(), nn.Linear(3072, classes))\n",
        ["SystemExit: 0", "nets.py, line 5"],
    ),
    "a model that fails": (
        "from torch import nn\nclass Net(nn.Sequential):\n    def forward(self, x):\n        return 1 / 0\n"
        "def make(classes):\n    return Net(nn.Flatten(), nn.Linear(3072, classes))\n",
        ["ZeroDivisionError: division by zero", "nets.py, line 4"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), FILES.values(), ids=FILES)
def test_a_file_that_makes_no_model_is_one_message_with_the_line_that_failed(text, said, shell, tmp_path):
    (tmp_path / "nets.py").write_text(text)
    code, printed = shell("train", "--model", "nets.py:make", "--out", "run")
    printed = " ".join(printed.split())
    assert code == 2, printed
    assert [part for part in said if part not in printed] == [], printed
    assert not (tmp_path / "run").exists()


def test_half_of_a_file_is_nobodys_module(tmp_path):
    import sys

    (tmp_path / "halved.py").write_text("first = 1\nraise RuntimeError\n")
    with pytest.raises(InputError, match="RuntimeError"):
        unseen.model(f"{tmp_path}/halved.py:make", 2)
    assert "halved" not in sys.modules


def test_a_head_that_does_not_make_the_scores_is_refused_before_the_first_step(tmp_path):
    (tmp_path / "nets.py").write_text(
        "from torch import nn\n"
        "def make(classes):\n"
        "    return nn.Sequential(nn.Flatten(), nn.Linear(3072, 8), nn.ReLU(), nn.Linear(8, classes))\n"
    )
    given = {"model": f"{tmp_path}/nets.py:make", "head": "1", "images": 8, "T": 1, "K": 0, "out": tmp_path / "run"}
    with pytest.raises(InputError, match=r'head "1": the scores also depend on "3.weight".*head="3"'):
        read_request(None, given).training()
    net = unseen.split(unseen.model(f"{tmp_path}/nets.py:make", 4).model, head="1")
    data = torch.rand(8, 3, 32, 32, generator=torch.Generator().manual_seed(0)), torch.arange(8) % 4
    with pytest.raises(InputError, match=r'head "1": the scores also depend on "3.weight"'):
        unseen.fit(net, data, unseen.ERM(T=1, batch=2), folder=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_model_that_ends_the_program_later_ends_no_training_in_silence(digits):
    class Tired(torch.nn.Sequential):
        def forward(self, x):
            if self.training:
                raise SystemExit(0)
            return super().forward(x)

    with torch.random.fork_rng(devices=[]):
        net = Tired(torch.nn.Flatten(), torch.nn.Linear(192, 4))
    with pytest.raises(InputError, match=r"the model called sys.exit\(0\)"):
        unseen.fit(net, digits, unseen.ERM(T=1, batch=2))
