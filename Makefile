# Every target makes its own environment when it is missing: python3 (3.11 or newer) and make are all that is needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test lint bench docs clean
.DEFAULT_GOAL := test

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "graphbrick needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)

# One stamp an extra, renewed when the dependencies change.
$(VENV)/.demo: $(BIN)/python pyproject.toml
	$(PIP) -e '.[demo]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo  ## build the world graph and answer questions over it
	$(BIN)/graphbrick demo

test: lint  ## lint, types, doctests, tests
	$(BIN)/python -m pytest -q

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/generate.py --check

bench: $(VENV)/.dev  ## measure; see benchmarks/README.md for what each prints
	$(BIN)/python benchmarks/run_all.py

docs: $(VENV)/.dev  ## write docs/cli.md and docs/bricks.md from the code
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist
