# `make` lists the targets. Everything is installed into .venv, the first time and whenever
# pyproject.toml or constraints.txt has changed.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.complete
LOG    := build/install.log
REPORT := build/suites.jsonl
ARGS   ?=# for pytest or the tool: make tests-core ARGS="-k doctor"

# What each part of `make test` should take on two quiet cores, in minutes: together 12, of which the set-up with an
# empty pip cache takes two. A part that takes longer says so at its end; only one that takes STOP_AFTER times as long
# is stopped, because a slower machine has to be able to pass.
CHECK_MINUTES := 1
CORE_MINUTES  := 3
SPARK_MINUTES := 6
STOP_AFTER    := 10
NOT_SLOW      := and not slow

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export FIRESTEEL_SUITE_REPORT := $(CURDIR)/$(REPORT)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-all check house tests-core tests-spark tests-oldest test-browser java suites bench bench-parse conformance conformance-substrait conformance-relations saved-plans sql-files docs docs-site clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-21s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- the environment -------------------------------------------------------------------------------

# $(call install,environment,constraints): the package, editable, with what its tests need. The build tools come first and
# by constraint, because pip's build isolation would ignore the constraints: hatchling and editables build this package;
# setuptools and wheel build pyspark, which is published as a source distribution only. If pip fails, its last line with
# an error is the reason.
install = { $(1)/bin/python -m pip install -c $(2) hatchling editables setuptools wheel \
  && $(1)/bin/python -m pip install -c $(2) --no-build-isolation -e '.[dev]'; } >$(LOG) 2>&1 \
  || { rm -f $(1)/.installing; \
       why=$$(grep -q 'connection broken' $(LOG) && echo "no connection to the package index" \
         || grep -iE '(^|[^[:alnum:]])error: ' $(LOG) | tail -n 1 | sed 's/^[^[:alnum:]]*//'); \
       echo "pip could not install the packages: $${why:-it gave no reason} (the rest is in $(LOG))." >&2; exit 1; }

# The stamp is written last, so a half-finished environment is never taken for a finished one. One in
# which pip was cut short (.installing is still there) may hold half a package: it is made anew.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "Firesteel needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>/dev/null || echo missing): name another with make PYTHON=..." >&2; exit 1; }
	@if [ -e $(VENV)/.installing ] || ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	  $(PYTHON) -m venv --clear $(VENV) >/dev/null \
	  || { echo "$(PYTHON) could not make $(VENV): on Debian and Ubuntu install python3-venv." >&2; exit 1; }; fi
	@mkdir -p build && rm -f $@ && touch $(VENV)/.installing
	@echo "installing into $(VENV): about a minute the first time"
	@$(call install,$(VENV),constraints.txt)
	@rm $(VENV)/.installing && touch $@

# Before a command that starts Spark: the Java to start it on, or one sentence on how to get one.
with_java = JAVA_HOME="$$($(BIN)/python src/firesteel/doctor.py --install-java --java-home)" && export JAVA_HOME &&

# $(call within,minutes,command): run it and say if it took more than its minutes. One that takes STOP_AFTER times as long
# is stopped: SIGINT lets pytest still say what it did until then, and half a minute later it is killed. Where there is
# no coreutils' timeout, nothing is stopped.
TIMEOUT := $(firstword $(shell command -v timeout gtimeout))
within = { start=$$(date +%s); \
  $(if $(TIMEOUT),$(TIMEOUT) --foreground --signal=INT --kill-after=30 $$(($(1) * $(STOP_AFTER)))m) $(2); code=$$?; \
  took=$$((($$(date +%s) - start + 59) / 60)); \
  case $$code in 124|137) echo "$@: stopped after $$took minutes, $(STOP_AFTER) times its budget" >&2;; \
  *) [ $$took -le $(1) ] || echo "$@: took $$took minutes, its budget is $(1)" >&2;; esac; \
  [ $$code -eq 0 ] || exit $$code; }

# --- checks and tests ------------------------------------------------------------------------------

check: $(STAMP) house ## style, types, imports and sizes: ruff, mypy, import-linter, tools/house.py
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(call within,$(CHECK_MINUTES),$(BIN)/mypy)
	@$(BIN)/lint-imports --no-logo

house: $(STAMP) ## how long files and functions are, how full folders, what is written twice
	@$(BIN)/python -m tools.house

test: $(STAMP) ## check, then all tests but the slow ones
	@rm -f $(REPORT)
	@$(MAKE) --no-print-directory java check tests-core tests-spark suites

# In `make test` Spark interprets most queries; here it generates code for all of them, as it does for users.
test-all: ## the same with the slow ones, and with Spark's own settings throughout
	@$(MAKE) --no-print-directory test NOT_SLOW= CODEGEN=--codegen CORE_MINUTES=10 SPARK_MINUTES=90
	@$(MAKE) --no-print-directory tests-oldest

tests-core: $(STAMP) ## the tests that need no Spark
	@$(call within,$(CORE_MINUTES),$(BIN)/python -m pytest -n 2 -m "not spark and not browser $(NOT_SLOW)" $(ARGS))

# Without a Chromium on the PATH these are skipped.
test-browser: $(STAMP) ## pages of plans in headless Chromium (apt-get install chromium)
	@$(BIN)/python -m pytest -m browser tests/browser $(ARGS)

# Two processes with a Spark session each: most of the time Spark is planning, which takes one core.
tests-spark: $(STAMP) ## the tests that need Spark
	@$(with_java) $(call within,$(SPARK_MINUTES),$(BIN)/python -m pytest -n 2 --dist worksteal -m "spark $(NOT_SLOW)" $(CODEGEN) $(ARGS))

# The oldest Spark that pyproject.toml allows, in an environment of its own: the demo, the golden queries, the Python
# fallback, TPC-H. PySpark before 4.2 leaves sockets to the garbage collector, so those warnings are not errors there.
OLDEST_SPARK := 4.0.0
OLDEST       := build/oldest
OLDEST_TESTS := tests/golden/test_partiql.py tests/spark/test_golden.py tests/spark/core/test_fallback.py tests/spark/test_tpch.py

tests-oldest: $(STAMP) ## the demo, the golden queries and TPC-H on the oldest Spark that is supported
	@echo "installing Spark $(OLDEST_SPARK) into $(OLDEST)"
	@[ -x $(OLDEST)/bin/python ] || $(PYTHON) -m venv $(OLDEST) >/dev/null
	@{ grep -v -e '^pyspark==' -e '^py4j==' constraints.txt; echo pyspark==$(OLDEST_SPARK); } >$(OLDEST)/constraints.txt
	@$(call install,$(OLDEST),$(OLDEST)/constraints.txt)
	@$(with_java) $(OLDEST)/bin/python examples/demo.py >build/oldest-demo.txt || { cat build/oldest-demo.txt; exit 1; }
	@$(with_java) $(OLDEST)/bin/python -m pytest -W ignore::pytest.PytestUnraisableExceptionWarning -W ignore::ResourceWarning \
	  -o timeout=900 $(OLDEST_TESTS) $(ARGS)

# Asked for at the start of `test`: better to hear it now than after the first part.
java: $(STAMP)
	@$(with_java) echo "Java for Spark: $$JAVA_HOME"

suites: $(STAMP)
	@$(BIN)/python tools/suites.py $(REPORT)

# --- things to run ---------------------------------------------------------------------------------

demo: $(STAMP) ## a short tour, on Spark
	@$(with_java) $(BIN)/python examples/demo.py $(ARGS)

bench: $(STAMP) ## measure
	@$(with_java) $(BIN)/python -m tools.bench $(ARGS)

conformance: $(STAMP) ## run the public PartiQL suite and count: SUITE=dir ENGINE=reference|spark LITERALS=static|dynamic
	@$(if $(filter spark,$(ENGINE)),$(with_java)) $(BIN)/python -m tools.conformance $(if $(SUITE),--suite $(SUITE)) \
	  $(if $(ENGINE),--engine $(ENGINE)) $(if $(LITERALS),--literals $(LITERALS)) $(ARGS)

conformance-substrait: $(STAMP) ## run the specification's function cases as Substrait plans: ENGINE=reference|spark
	@$(if $(filter spark,$(ENGINE)),$(with_java)) $(BIN)/python -m tools.conformance_substrait \
	  $(if $(ENGINE),--engine $(ENGINE)) $(ARGS)

conformance-relations: $(STAMP) ## run Substrait's relation cases, with schemas and rows: ENGINE=reference|spark
	@$(if $(filter spark,$(ENGINE)),$(with_java)) $(BIN)/python -m tools.conformance_relations \
	  $(if $(ENGINE),--engine $(ENGINE)) $(ARGS)

saved-plans: $(STAMP) ## run the Substrait plans that producers saved, and compare with DuckDB's answers
	@$(with_java) $(BIN)/python -m tools.saved_plans $(ARGS)

sql-files: $(STAMP) ## run the plans that DataFusion makes of SQL files: PLAN=optimized|analyzed|both ENGINE=reference|spark
	@$(if $(filter spark,$(ENGINE)),$(with_java)) $(BIN)/python -m tools.sql_files $(if $(PLAN),--plan $(PLAN)) \
	  $(if $(ENGINE),--engine $(ENGINE)) $(ARGS)

bench-parse: $(STAMP) ## measure lexing and parsing beside sqlglot
	@$(BIN)/python -m tools.bench_parse $(ARGS)

docs: $(STAMP) ## write the pages of docs/ that are generated from the code
	@$(BIN)/python -m tools.docs $(ARGS)

# mkdocs has an environment of its own: decision 77 says why. SOURCE_DATE_EPOCH: the same pages give the same site.
DOCS_ENV   := build/docs-env
DOCS_STAMP := $(DOCS_ENV)/.complete

$(DOCS_STAMP): constraints.txt
	@echo "installing mkdocs into $(DOCS_ENV)"
	@mkdir -p build && rm -rf $(DOCS_ENV) && $(PYTHON) -m venv $(DOCS_ENV) >/dev/null
	@$(DOCS_ENV)/bin/python -m pip install -c constraints.txt mkdocs-material >build/docs-install.log 2>&1 \
	  || { echo "pip could not install mkdocs-material: see build/docs-install.log" >&2; exit 1; }
	@touch $@

docs-site: docs $(DOCS_STAMP) ## build the documentation as a site, in build/site: strict links, no network needed to read it
	@SOURCE_DATE_EPOCH=0 NO_MKDOCS_2_WARNING=1 $(DOCS_ENV)/bin/mkdocs build --quiet --clean
	@$(BIN)/python -m tools.docs_offline build/site
	@echo "open build/site/index.html"

clean: ## remove build products and caches; .venv stays
	@rm -rf build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache \
	  artifacts derby.log metastore_db spark-warehouse
	@find . -path ./$(VENV) -prune -o -name __pycache__ -type d -exec rm -rf {} +
