# Every target works from nothing but Python ≥ 3.11, git and make: what it needs, it installs into .venv first.
PYTHON ?= python3
BIN := .venv/bin
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: setup test demo check bench soak test-system format clean

setup: .venv/.ready

.venv/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[dev]"
	touch $@

test: setup
	$(BIN)/python -m pytest -n auto -m "not system and not soak"

demo: setup
	$(BIN)/classinet demo

check: setup
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy

test-system: setup
	command -v xmllint >/dev/null && command -v chromium >/dev/null && test -e /usr/share/wordnet/data.noun || \
		{ $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq chromium libxml2-utils wordnet-base; }
	$(BIN)/python -m pytest tests -m system

bench: setup
	$(BIN)/python benchmarks/bench_text.py
	$(BIN)/python benchmarks/bench_cli.py
	$(BIN)/python benchmarks/bench_predict.py
	$(BIN)/python benchmarks/bench_server.py
	$(BIN)/python benchmarks/bench_core.py

soak: setup
	CLASSINET_SOAK_RESULTS=benchmarks/results/soak.json $(BIN)/python -m pytest tests -m soak -s

format: setup
	$(BIN)/ruff check --fix src tests benchmarks
	$(BIN)/ruff format src tests benchmarks

clean:
	rm -rf .venv build dist src/*.egg-info
