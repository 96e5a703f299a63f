# The two commands of the README: `make demo` and `make test`. Both need Python 3.11.4 or later and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TESTS := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt

# Bytecode is kept, whatever the shell says: pip compiles nothing, and dozens of processes import torch, 10 seconds each.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all tests tests-all lint style types format bench attack docs clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/demo-installed  ## install, then train ERM, ADA and ADA over transformations on the built-in digits
	$(BIN)/unseen demo

# Types are checked while the tests run: mypy takes most of a minute on one core, and leaves the other idle.
test: style  ## install, check style and types, run the tests; the slow ones it skips are listed
	@$(MAKE) --no-print-directory --jobs 2 types tests

test-all: $(VENV)/all-installed style  ## the same with the slow tests
	@$(MAKE) --no-print-directory --jobs 2 types tests-all

tests: $(VENV)/dev-installed
	$(TESTS)

tests-all: $(VENV)/all-installed
	$(TESTS) --all

lint: style types  ## ruff, mypy, and who may import whom

style: $(VENV)/dev-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

types: $(VENV)/dev-installed
	$(BIN)/mypy

format: $(VENV)/dev-installed  ## put the code into the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev-installed  ## measure speed, as ratios against slow twins (20 minutes; nothing else should run)
	$(BIN)/python -m benchmarks

attack: $(VENV)/dev-installed  ## attack every promise: kills, full disks, damaged files, hostile servers (30 to 60 minutes on two cores; Linux)
	$(BIN)/python -m attacks

docs: $(VENV)/docs-installed  ## build the documentation as a site: site/index.html (no network needed; warnings are errors)
	$(BIN)/python -m sphinx -W --keep-going -q -c docs . site
	@echo "The site: $(CURDIR)/site/index.html"

clean:  ## remove the virtual environment and what tools left behind
	rm -rf $(VENV) site .pytest_cache .mypy_cache .ruff_cache

# A pip of the year: the one that Python 3.11 brings takes a minute longer for the same packages.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip

# torch goes first and alone: with the pinned version there, nothing later asks the registry for a CUDA build.
$(VENV)/torch-installed: constraints.txt | $(BIN)/python
	$(PIP) torch
	touch $@

$(VENV)/demo-installed: pyproject.toml $(VENV)/torch-installed
	$(PIP) --editable '.[all]'
	touch $@

$(VENV)/dev-installed: pyproject.toml $(VENV)/torch-installed
	$(PIP) --editable '.[dev]'
	touch $@ $(VENV)/demo-installed

$(VENV)/all-installed: $(VENV)/dev-installed
	$(PIP) --editable '.[dev,test-all]'
	touch $@

$(VENV)/docs-installed: pyproject.toml $(VENV)/torch-installed
	$(PIP) --editable '.[docs]'
	touch $@
