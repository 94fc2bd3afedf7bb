# Every target sets up what it needs in .venv first; `make help` lists them.
#   PYTHON=python3.12 make setup     another interpreter (3.11 or later)
#   make test ARGS="-k terms -x"     ARGS goes to the program behind the target

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup lock demo lint test test-slow fuzz fuzz-c bench bench-terms bench-smt clean

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.stamp
PIP := $(PY) -m pip --disable-pip-version-check -q
ARGS ?=

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP)  ## install the locked dependencies and obligato itself into .venv

# The first interpreter that is new enough and can make a virtual environment; 3.11 is the one the lock was made with.
$(PY):
	@python="$${PYTHON:-}"; \
	for p in python3.11 python3.12 python3.13 python3; do \
	  [ -n "$$python" ] || ! $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || python=$$p; \
	done; \
	[ -n "$$python" ] || { echo "setup: Python 3.11 or later (with venv) is needed" >&2; exit 1; }; \
	echo "setup: $$python -m venv $(VENV)"; $$python -m venv $(VENV)

$(STAMP): pyproject.toml requirements.lock | $(PY)
	@echo "setup: installing the locked dependencies"
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

# Names, exact versions and hashes only: where packages come from is the installing machine's business.
lock: $(STAMP)  ## resolve the dependencies in pyproject.toml anew (UPGRADE=1: to the newest allowed)
	@$(PY) -m piptools compile -q $(if $(UPGRADE),--upgrade) --extra dev --extra bench --all-build-deps --allow-unsafe --strip-extras \
	  --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
	  --no-header --no-annotate -o requirements.lock pyproject.toml

demo: $(STAMP)  ## prove the running example in C and refute a broken variant
	@$(PY) examples/demo.py $(ARGS)

lint: $(STAMP)  ## ruff, mypy --strict, import contracts
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/mypy --strict
	@$(VENV)/bin/lint-imports

test: lint  ## lint, then every test that is not slow
	@$(PY) -m pytest -q -n auto --dist worksteal -m "not slow" $(ARGS)

test-slow: $(STAMP)  ## the slow tests only
	@$(PY) -m pytest -q -m slow $(ARGS)

# $(call script,FILE): run it, or say plainly that it does not exist yet.
script = @[ -f $(1) ] || { echo "make $@: $(1) does not exist yet" >&2; exit 2; }; $(PY) $(1) $(ARGS)

# 20,000 systems (about 20 minutes of CPU time), 20,000 of infinite runs (30), 20,000 of branching time (10), 100,000 mutated files (3), 3,000 mangled claims
# (1), 5,000 Lustre programs (2), then the solver backends.
# A complaint names its case: python tests/fuzz/systems_run.py --only CASE shows it again.
fuzz: $(STAMP)  ## random systems and programs, mutated files and claims, solver backends (ARGS="--count 100 --seed 1")
	@$(PY) tests/fuzz/systems_run.py $(ARGS)
	@$(PY) tests/fuzz/integers_run.py $(ARGS)
	@$(PY) tests/fuzz/live_run.py $(ARGS)
	@$(PY) tests/fuzz/ctl_run.py $(ARGS)
	@$(PY) tests/fuzz/programs_run.py $(ARGS)
	@$(PY) tests/fuzz/mutants_run.py $(ARGS)
	@$(PY) tests/fuzz/claims_run.py $(ARGS)
	@$(PY) tests/fuzz/lustre_run.py $(ARGS)
	@HYPOTHESIS_PROFILE=fuzz $(PY) -m pytest -q tests/fuzz

fuzz-c: $(STAMP)  ## random C programs against a compiler and its sanitizers (ARGS="--from 0 --count 400 --log FILE", CSMITH=...)
	@$(PY) tests/fuzz/everyday_run.py $(ARGS)
	@$(PY) tests/fuzz/types_run.py
	@$(PY) tests/fuzz/pointers_run.py
	@if command -v csmith > /dev/null; then $(PY) tests/fuzz/csmith_run.py $(CSMITH); else echo "csmith is not installed: left out"; fi

# --within: 280 runs on two idle cores get 5 s of processor time each; on busy ones it stops in time, and goes on if asked again.
# Twice the same?  make bench OUT=a && make bench OUT=b && obligato bench compare a b --same
CORPUS = $(or $(OBLIGATO_CORPUS),../shared/corpus)
SAMPLE = $(CORPUS) --track C-core --track C-ext --track CHC --sample 40 --seed 1 --engine all --peer spacer \
  --timeout 15 --wall 60 --within 14 --jobs 2 --title "A sample of the corpus" $(if $(OUT),--out $(OUT))

bench: $(STAMP)  ## 40 tasks of the corpus, all engines and Spacer (OUT=FOLDER, or ARGS="TASKS...")
	@$(VENV)/bin/obligato bench $(or $(ARGS),$(SAMPLE))

bench-terms: $(STAMP)  ## our terms against z3's; the last line is JSON
	$(call script,benchmarks/bench_terms.py)

bench-smt: $(STAMP)  ## our solvers on IC3-like query streams; the last line is JSON
	$(call script,benchmarks/bench_smt.py)

clean:  ## remove .venv, caches and build output
	@rm -rf $(VENV) build dist out .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
