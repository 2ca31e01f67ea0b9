# make audit   an example audit: synthetic people, two systems, a signed report    make test    the tests, 5 to 6 minutes of two quiet cores
# make check   format, lint, types, layers, PDF/A, coverage                   make test-all   and those that take long
# make docs    the documentation as a site, in .site/                         make bench   measured ratios against other ways
# make guarantees   what the intervals cover: synthetic subjects and real sets of known truth, some hours of one core
# make claims   what the publications claim, computed again on real templates
# make clean   remove what make made (not your reports)
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .venv/bin
# What is installed in .venv: what an audit needs; what tests and checks need besides; what the site needs.
FOR_AUDIT := .venv/.audit
FOR_IMAGES := .venv/.images
FOR_TESTS := .venv/.test
FOR_DOCS := .venv/.docs
AUDIT ?= demo
PYTHON ?=
WORKERS ?= 2
BENCH ?=
GUARANTEES ?=
BIAS ?=
VENDORS ?=
LABELS ?= --searches 5 --queries 40
SETS ?=
DECISIONS ?=
MOVING ?= --people 60 --people 150
export PYTHON
# The tests start the command a hundred times: its bytecode is kept.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help audit images-audit test test-all test-slow processors check types style coverage bench guarantees claims reference docs images gallery axe clean

help:
	@sed -n '1,6s/^# //p' Makefile

.venv/.%: pyproject.toml constraints.txt .ci/setup
	@.ci/setup $*

# A requirement that failed (exit 3) is a finding of the audit, not a fault of the command.
audit: $(FOR_AUDIT)
	@$(BIN)/frtaudit run audit=$(AUDIT) || { code=$$?; [ $$code -eq 3 ] || exit $$code; }

# The same from images: drawn photographs, an ONNX model, their templates, a signed report.
images-audit: $(FOR_IMAGES)
	@$(BIN)/python -m frtaudit.testing.photographs reports/photographs
	@$(BIN)/frtaudit embed reports/photographs/photographs.csv model=reports/photographs/drawn.onnx \
	    preset=arcface_rgb_127.5 preset.licence="'none needed: drawn'" detector=given into=reports/photographs/templates
	@$(BIN)/frtaudit run audit=templates cohort.root=reports/photographs/templates schema=group \
	    || { code=$$?; [ $$code -eq 3 ] || exit $$code; }

# One worker, one thread of BLAS: more would only wait for each other. Files with a slow test come first (tests/conftest.py).
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -q

test: $(FOR_TESTS)
	@$(PYTEST) -m "not slow"

test-all: $(FOR_TESTS) $(FOR_DOCS)
	@$(PYTEST)

# What test-all adds to test.
test-slow: $(FOR_TESTS) $(FOR_DOCS)
	@$(PYTEST) -m slow

# What depends on bits, as on other processors.
processors: $(FOR_TESTS)
	@.ci/processors

# Types, which use one core, beside the rest.
check: $(FOR_TESTS)
	@$(MAKE) --no-print-directory -j 2 types style coverage

types: $(FOR_TESTS)
	$(BIN)/mypy

style: $(FOR_TESTS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python tests/words.py
	$(BIN)/python tests/verapdf.py

# The kernels run as plain Python, so that their branches are seen: few examples, nothing that needs the compiler to end.
coverage: $(FOR_TESTS)
	NUMBA_DISABLE_JIT=1 HYPOTHESIS_PROFILE=walk $(PYTEST) -r fE \
	    -m "not compiled and not slow" --cov --cov-report= tests/core tests/stats tests/test_cases.py
	$(BIN)/coverage report --include='frtaudit/core/*' --fail-under=95
	$(BIN)/coverage report --include='frtaudit/stats/*' --fail-under=95

# BENCH='--only NAME --small' holds one contest on a twentieth of the data; BENCH=--docs writes the table into docs/reference/benchmarks.md.
bench: $(FOR_TESTS)
	@$(BIN)/python -m benchmarks.run $(BENCH)

# GUARANTEES='--cohorts 50' BIAS='--cohorts 50' VENDORS='--cohorts 30' for a quick look.
guarantees: $(FOR_TESTS)
	@OMP_NUM_THREADS=1 $(BIN)/python -m frtaudit.testing.study --workers $(WORKERS) --docs docs/figures $(GUARANTEES)
	@OMP_NUM_THREADS=1 $(BIN)/python -m frtaudit.testing.study.bias --out reports/guarantees/interclass.json \
	    --docs docs/methods/guarantees.md $(BIAS)
	@OMP_NUM_THREADS=1 $(BIN)/python -m frtaudit.testing.study.compare --out reports/guarantees/vendors.json \
	    --docs docs/methods/guarantees.md $(VENDORS)
	@OMP_NUM_THREADS=1 $(BIN)/python -m frtaudit.testing.label_study --out reports/guarantees/labels.json \
	    --docs docs/methods/guarantees.md $(LABELS)
	@OMP_NUM_THREADS=1 $(BIN)/python -m frtaudit.testing.study.superpopulations \
	    --out reports/guarantees/superpopulations.json --docs docs/methods/guarantees.md $(SETS)
	@OMP_NUM_THREADS=1 $(BIN)/python -m frtaudit.testing.study.attempts --docs docs/methods/guarantees.md
	@OMP_NUM_THREADS=1 $(BIN)/python -m frtaudit.testing.study.overall_ratio --docs docs/methods/guarantees.md
	@OMP_NUM_THREADS=1 $(BIN)/python -m frtaudit.testing.study.decisions --docs docs/methods/guarantees.md $(DECISIONS)
	@OMP_NUM_THREADS=1 $(BIN)/python -m frtaudit.testing.study.moving_thresholds \
	    --out reports/guarantees/moving_thresholds.json --docs docs/methods/guarantees.md $(MOVING)

# Published claims that LFW can test, computed again: FRTAUDIT_DATA names the folder that holds lfw.
claims: $(FOR_TESTS)
	@OMP_NUM_THREADS=1 $(BIN)/python tests/published_claims.py docs/methods/claims.md

# Only when a number moved for a reason: the commit says which. As on the processor that platform.txt names, or every last bit moves.
reference: $(FOR_TESTS)
	@OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=Haswell NPY_DISABLE_CPU_FEATURES="$$($(BIN)/python -c 'import numpy; \
	    print(*(name for name in numpy.show_config(mode="dicts")["SIMD Extensions"]["found"] if name != "X86_V3"))')" \
	    $(BIN)/python tests/test_reference.py
	@git diff --stat -- reports/reference

# Strictly: a page without its place, a link or an anchor without its end is an error.
docs: $(FOR_DOCS)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --config-file .ci/mkdocs.yml && echo .site/index.html

# The README's screenshots, from a finished run: make images RUN=reports/demo/TIME
images: $(FOR_TESTS)
	@$(BIN)/python tests/readme_images.py $(RUN)

# The pictures of docs/start/, from the shipped demos (a quarter of an hour, once; finished runs are kept).
GALLERY := reports/gallery
gallery: $(FOR_TESTS)
	@for name in demo goldilocks_demo interclass_demo similarity_uncertainty vendors_demo; do \
	    [ -f $(GALLERY)/$$name/result.json ] || $(BIN)/frtaudit run audit=$$name hydra.run.dir=$(GALLERY)/$$name || [ $$? -eq 3 ]; \
	done
	@[ -f $(GALLERY)/sweep/sweep.json ] || $(BIN)/frtaudit run -m audit=demo cohort.subjects=60 bootstrap.B=399 report.pdf=false \
	    'providers=[vendor_a],[vendor_b]' bootstrap.alpha=0.05,0.1 hydra.sweep.dir=$(GALLERY)/sweep || [ $$? -eq 3 ]
	@$(BIN)/python tests/gallery_images.py $(GALLERY)

# The page in chromium against axe-core's rules; npm fetches the one file that is needed.
axe: $(FOR_TESTS)
	@mkdir -p benchmarks/.envs/axe && cd benchmarks/.envs/axe && npm pack --silent axe-core@4 >/dev/null && tar xzf axe-core-4*.tgz package/axe.min.js
	@FRTAUDIT_AXE=$(CURDIR)/benchmarks/.envs/axe/package/axe.min.js $(BIN)/python -m pytest -q tests/report/test_browser.py

clean:
	rm -rf benchmarks/.envs benchmarks/.results
	rm -rf .venv .site build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov
	find frtaudit tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
