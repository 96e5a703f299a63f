import random
import sys

import pytest

from unseen.base.extras import carried, missing, require
from unseen.errors import InputError


def test_an_installed_module_is_imported():
    assert require("os.path", "digits").basename("a/b") == "b"


def test_a_package_that_is_not_installed_is_named_with_the_pip_command():
    with pytest.raises(InputError, match=r"^nowhere_to_be_found is not installed: pip install 'unseen\[digits\]'$"):
        require("nowhere_to_be_found.inner", "digits")


def test_a_package_goes_by_the_name_pip_knows(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(InputError, match=r"^scikit-learn is not installed"):
        require("sklearn", "digits")


def test_a_broken_package_keeps_its_own_error(tmp_path, monkeypatch):
    (tmp_path / "broken_on_purpose.py").write_text("import nowhere_to_be_found")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="nowhere_to_be_found"):
        require("broken_on_purpose", "digits")


def test_an_import_that_draws_random_numbers_leaves_no_trace(tmp_path, monkeypatch):
    (tmp_path / "draws_on_import.py").write_text("import random; VALUE = random.random()")
    monkeypatch.syspath_prepend(tmp_path)
    before = random.getstate()
    assert 0 <= require("draws_on_import", "digits").VALUE < 1
    assert random.getstate() == before


def test_a_file_that_a_package_carries_is_found_without_importing_it(tmp_path, monkeypatch):
    (tmp_path / "never_imported").mkdir()
    (tmp_path / "never_imported" / "__init__.py").write_text("raise AssertionError")
    monkeypatch.syspath_prepend(tmp_path)
    assert carried("never_imported", "data/a.csv", "digits") == tmp_path / "never_imported" / "data" / "a.csv"


@pytest.mark.parametrize("package", ["nowhere_to_be_found", "this"], ids=["not there", "a module"])
def test_a_package_that_carries_nothing_is_named_with_the_pip_command(package):
    with pytest.raises(InputError, match=rf"^{package} is not installed: pip install 'unseen\[digits\]'$"):
        carried(package, "a.csv", "digits")


def test_missing_lists_every_package_that_is_not_there_and_none_when_all_are():
    assert missing(("os", "sys"), "digits") is None
    advice = missing(("os", "nowhere_a", "nowhere_b"), "folder")
    assert advice == "nowhere_a and nowhere_b are not installed: pip install 'unseen[folder]'"
