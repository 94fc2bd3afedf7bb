# Every target sets up what it needs in .venv first; `make help` lists them.
#   PYTHON=python3.12 make setup     another interpreter (3.11 or later)
#   make test ARGS="-k terms -x"     ARGS goes to the program behind the target

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup browser lock demo lint test test-slow fuzz fuzz-c faults bench bench-terms bench-smt bench-start bench-scale clean docs docs-write coverage dist bench-profile compiled pure

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.stamp
EXTRA := $(VENV)/.extra
NATIVE := $(VENV)/.native
PIP := $(PY) -m pip --disable-pip-version-check -q
ARGS ?=

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Bytecode is written here: whoever runs with PYTHONDONTWRITEBYTECODE would else compile the sources in each run.
setup: $(STAMP) $(NATIVE)  ## install the locked dependencies and obligato itself into .venv
	@$(PY) -m compileall -q src

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

# Tests of pages use a Chromium that is there, or that CHROMIUM names; without one they are skipped and say so.
browser:  ## install Chromium for the tests of HTML pages (Debian, Ubuntu; needs root)
	@command -v chromium || command -v google-chrome || { apt-get update -q && apt-get install -yq --no-install-recommends chromium; }

# The optional SAT solver, compiled in place where there is a C compiler. `make pure` removes it; OBLIGATO_PURE=1 ignores it.
$(NATIVE): $(wildcard src/obligato/smt/native/*) hatch_build.py | $(STAMP)
	@$(PY) hatch_build.py
	@touch $@

compiled: $(NATIVE)  ## compile the optional SAT solver (done by setup)
pure:  ## remove what was compiled: everything is Python then
	@rm -f src/obligato/smt/_cdcl*

# Names, exact versions and hashes only: where packages come from is the installing machine's business.
lock: $(STAMP)  ## resolve the dependencies in pyproject.toml anew (UPGRADE=1: to the newest allowed)
	@$(PY) -m piptools compile -q $(if $(UPGRADE),--upgrade) --extra dev --extra bench --extra cluster --all-build-deps --allow-unsafe --strip-extras \
	  --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-emit-options \
	  --no-header --no-annotate -o requirements.lock pyproject.toml
	@$(PY) -c 'import tomllib; e = tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]; print("\n".join(e["docs"] + e["coverage"]))' \
	| $(PY) -m piptools compile -q $(if $(UPGRADE),--upgrade) --allow-unsafe --strip-extras --generate-hashes --no-emit-index-url \
	  --no-emit-trusted-host --no-emit-find-links --no-emit-options --no-header --no-annotate -o requirements-extra.lock -

# What only the site and the coverage report need.
$(EXTRA): requirements-extra.lock | $(STAMP)
	@$(PIP) install --require-hashes -r requirements-extra.lock
	@touch $@

demo: $(STAMP) $(NATIVE)  ## prove the running example in C and refute a broken variant
	@$(PY) examples/demo.py $(ARGS)

lint: $(STAMP)  ## ruff, mypy --strict, import contracts
	@$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check -q .
	@$(VENV)/bin/mypy --strict
	@$(VENV)/bin/lint-imports

# Types are checked beside the tests: mypy has one core only.
test: $(STAMP) $(NATIVE)  ## lint, and every test that is not slow
	@$(VENV)/bin/ruff check . && $(VENV)/bin/ruff format --check -q .
	@{ $(VENV)/bin/mypy --strict && $(VENV)/bin/lint-imports; } > $(VENV)/.lint 2>&1 & lint=$$!; status=0; \
	$(PY) -m pytest -q -n auto --dist worksteal -m "not slow" $(ARGS) || status=$$?; \
	wait $$lint || { cat $(VENV)/.lint; status=1; }; exit $$status

test-slow: $(STAMP) $(NATIVE)  ## the slow tests only
	@$(PY) -m pytest -q -m slow $(ARGS)

# The site needs no network. Output that differs from what the tutorial shows, and a reference that is not up to date, are errors.
docs: $(EXTRA)  ## run the tutorial, check the reference pages, build the site into out/site
	@$(PY) tools/reference.py
	@$(PY) tools/tutorial.py docs/tutorial.md
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build -q --strict
	@echo "docs: out/site/index.html"

docs-write: $(STAMP)  ## write the reference pages, the man page and the output in the tutorial anew
	@$(PY) tools/reference.py --write
	@$(PY) tools/tutorial.py docs/tutorial.md --write

coverage: $(EXTRA)  ## which lines the tests run: out/coverage (ARGS="tests/unit/test_terms.py")
	@$(PY) -m coverage run -m pytest -q -m "not slow" $(ARGS) || true
	@$(PY) -m coverage combine -q && $(PY) -m coverage html -q -d out/coverage && $(PY) -m coverage report --skip-covered | tail -30

dist: $(STAMP)  ## sdist and wheel, looked into, installed into a fresh environment and tried
	@rm -rf dist && $(PY) -m hatchling build -d dist > /dev/null
	@$(PY) tools/dist.py dist $(ARGS)

# $(call script,FILE): run it, or say plainly that it does not exist yet.
script = @[ -f $(1) ] || { echo "make $@: $(1) does not exist yet" >&2; exit 2; }; $(PY) $(1) $(ARGS)

# 20,000 systems (about 20 minutes of CPU time), 20,000 of infinite runs (30), 20,000 of branching time (10),
# 10,000 Horn problems (3), 2,000 VMT systems (3), 10,000 programs that end or do not (6), 100,000 mutated files (3), 3,000 mangled claims
# (1), 5,000 Lustre programs (2), then the solver backends.
# A complaint names its case: python tests/fuzz/systems_run.py --only CASE shows it again.
fuzz: $(STAMP)  ## random systems and programs, mutated files and claims, solver backends (ARGS="--count 100 --seed 1")
	@$(PY) tests/fuzz/systems_run.py $(ARGS)
	@$(PY) tests/fuzz/integers_run.py $(ARGS)
	@$(PY) tests/fuzz/arrays_run.py $(ARGS)
	@$(PY) tests/fuzz/horn_run.py $(ARGS)
	@$(PY) tests/fuzz/vmt_run.py $(ARGS)
	@$(PY) tests/fuzz/live_run.py $(ARGS)
	@$(PY) tests/fuzz/ctl_run.py $(ARGS)
	@$(PY) tests/fuzz/endings_run.py $(ARGS)
	@$(PY) tests/fuzz/programs_run.py $(ARGS)
	@$(PY) tests/fuzz/mutants_run.py $(ARGS)
	@$(PY) tests/fuzz/claims_run.py $(ARGS)
	@$(PY) tests/fuzz/lustre_run.py $(ARGS)
	@HYPOTHESIS_PROFILE=fuzz $(PY) -m pytest -q tests/fuzz

faults: $(STAMP)  ## 300 faults injected into runs: killed workers, failing solvers, full disks, signals (ARGS="--count 30 --seed 1")
	@$(PY) tests/fuzz/faults_run.py $(ARGS)

fuzz-c: $(STAMP)  ## random C programs against a compiler and its sanitizers (ARGS="--from 0 --count 400 --log FILE", CSMITH=...)
	@$(PY) tests/fuzz/everyday_run.py $(ARGS)
	@$(PY) tests/fuzz/expressions_run.py
	@$(PY) tests/fuzz/types_run.py
	@$(PY) tests/fuzz/pointers_run.py
	@$(PY) tests/fuzz/corners_run.py
	@$(PY) tests/fuzz/battery_run.py --every 4
	@$(PY) tests/fuzz/loops_run.py
	@$(PY) tests/fuzz/whole_run.py
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

bench-start: $(STAMP)  ## what a run costs before it works: imports and the smallest verdicts, as JSON
	$(call script,benchmarks/bench_start.py)

bench-profile: $(STAMP)  ## share of solvers, Python by package, calls per second on 20 tasks, as JSON (ARGS="--seconds 8")
	$(call script,benchmarks/bench_profile.py)

# A few minutes; ARGS="--families machines --sizes 250 500 1000 --limit 100" measures one family as far as it goes.
bench-scale: $(STAMP)  ## large and easy inputs: processor time per stage and how it grows; the last line is JSON
	$(call script,benchmarks/bench_scale.py)

clean:  ## remove .venv, caches and build output
	@rm -rf $(VENV) build dist out .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
