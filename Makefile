# Each target does its own set-up: a virtual environment in .venv, with only python, pip and make on the machine.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
WORKERS ?= auto

.PHONY: demo demo-test demo-catalog demo-apply test test-stack lint types imports codegen codegen-check conformance package bench bench-stack clean

demo: $(VENV)/.run
	@$(BIN)/python -m streamt docs openlineage --project-dir examples/payments --job-namespace payments-demo
	@echo
	@echo "Each line above is one OpenLineage event: a dataset, or a job with its inputs and outputs."
	@echo "The warnings say what the export left out, because nobody declared it."
	@echo "Where to go next:"
	@echo "  the same project as a graph       $(BIN)/streamt lineage --project-dir examples/payments"
	@echo "  your own project in ten minutes   docs/getting-started.md"
	@echo "  where every field comes from      docs/openlineage-mapping.md"

demo-test: $(VENV)/.dev
	@$(BIN)/python -m examples.demo_test

# Serves a catalog that knows the examples until Ctrl-C; with CHECK=1 it looks for itself, and ends.
demo-catalog: $(VENV)/.dev
	@CHECK=$(CHECK) $(BIN)/python -m examples.demo_catalog

# Deploys the example's topics to real brokers on loopback, shows drift, and puts it back. Needs Java and Maven.
demo-apply: $(VENV)/.dev
	@$(BIN)/python -m examples.demo_apply

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --cov --cov-report=term:skip-covered

# Real servers: Apache Kafka, a schema registry, Flink, Connect, PostgreSQL, fetched and started by the tests themselves.
test-stack: $(VENV)/.dev
	$(BIN)/python -m tests.stack install
	$(BIN)/python -m pytest -m stack -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

codegen: $(VENV)/.dev
	$(BIN)/python -m codegen generate

codegen-check: $(VENV)/.dev
	$(BIN)/python -m codegen check

# OFFICIAL: folders with published facet schemas, joined by `:`; they are test data, and never part of the project.
conformance: $(VENV)/.dev
	@test -n "$(OFFICIAL)" || { echo "name the folder of the schemas: make conformance OFFICIAL=DIR"; exit 2; }
	OFFICIAL=$(OFFICIAL) $(BIN)/python -m pytest -n $(WORKERS) tests/conformance

package: $(VENV)/.dev
	$(BIN)/python -m pytest -m package

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks.export
	$(BIN)/python -m benchmarks.sample

bench-stack: $(VENV)/.dev
	$(BIN)/python -m benchmarks.topics

clean:
	rm -rf $(VENV) .tox dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage

$(VENV)/.venv:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "streamt needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/.run: $(VENV)/.venv pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.venv pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.run
