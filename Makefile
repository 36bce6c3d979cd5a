# Each target does its own set-up: a virtual environment in .venv, with only python, pip and make on the machine.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
EXTRAS := .extras
# Two for each processor: much of what a test does is waiting for a process or a server.
WORKERS ?= $(shell echo $$((2 * $$(getconf _NPROCESSORS_ONLN))))
# What a target needs before it runs. tox and the hooks, which have their own environment, say `DEV= RUN= BIN=...`.
DEV    := $(VENV)/.dev
RUN    := $(VENV)/.run
# More arguments of pytest.
ARGS   ?=
# Tests and demonstrations start the program hundreds of times: without bytecode each would compile it anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo demo-test demo-catalog bench-catalog test-catalog-mutations demo-apply demo-emitter test test-stack test-page test-extras page page-check openapi lint types imports codegen codegen-check \
        conformance package bench bench-stack bench-page clean

# The main job: what the project is, then its events in a file.
demo: $(RUN)
	@mkdir -p build
	@echo "What examples/payments declares, in the order of flow: each topic, the job that fills it, and what it reads."
	@echo
	@$(BIN)/python -m streamt lineage --format text --project-dir examples/payments
	@echo
	@echo "The same as OpenLineage events, one JSON object a line: a dataset, or a job with its inputs and outputs."
	@echo "A warning says what the export left out, because nobody declared it."
	@echo
	@$(BIN)/python -m streamt docs openlineage --project-dir examples/payments --job-namespace payments-demo \
		--output-file build/payments-events.jsonl
	@echo
	@echo "Where to go next:"
	@echo "  what the events say               less build/payments-events.jsonl"
	@echo "  the same as a picture             $(BIN)/streamt lineage --open --project-dir examples/payments"
	@echo "  your own project in ten minutes   docs/getting-started.md"
	@echo "  where every field comes from      docs/openlineage-mapping.md"

demo-test: $(DEV)
	@$(BIN)/python -m examples.demo_test

# A real dbt project and a script, told as one night; dbt has an environment of its own.
demo-emitter: $(DEV) $(EXTRAS)/.dbt
	@DBT=$(abspath $(EXTRAS)/dbt/bin/dbt) $(BIN)/python -m examples.demo_emitter

# Serves a catalog that knows the examples until Ctrl-C; with CHECK=1 it looks for itself, and ends.
demo-catalog: $(DEV)
	@CHECK=$(CHECK) PICTURE=$(PICTURE) $(BIN)/python -m examples.demo_catalog

# Deploys the example's topics to real brokers on loopback, shows drift, and puts it back. Needs Java and Maven.
demo-apply: $(DEV)
	@$(BIN)/python -m examples.demo_apply

# COVERAGE=1 counts the lines, too, and fails below the bound of pyproject.toml: half as long again.
test: $(DEV)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(if $(COVERAGE),--cov --cov-report=term:skip-covered) $(ARGS)

# What runs with the lowest versions that pyproject.toml allows.
test-lowest: $(DEV)
	$(BIN)/python -m pytest tests/project tests/compiler tests/openlineage tests/cli --ignore tests/openlineage/transport $(ARGS)

# Real servers: Apache Kafka, a schema registry, Flink, Connect, PostgreSQL, fetched and started by the tests themselves.
test-stack: $(DEV)
	$(BIN)/python -m tests.stack install
	$(BIN)/python -m pytest -m stack -n 2

# The catalog's page in a real Chromium: the package `chromium`, and Node.js for the rules of accessibility.
test-page: $(DEV) web/node_modules/.installed
	@command -v chromium chromium-browser google-chrome > /dev/null || { echo "test-page needs Chromium: install the package chromium"; exit 2; }
	$(BIN)/python -m pytest -m page

# Builds the page into src/streamt/catalog/web, whose files are committed: who only uses streamt needs no Node.js.
page: web/node_modules/.installed
	cd web && npm run --silent build

# Writes the catalog's OpenAPI document anew.
openapi: $(DEV)
	$(BIN)/python -m tests.catalog.test_openapi_document

page-check: $(DEV) web/node_modules/.installed
	$(BIN)/python -m pytest -q tests/catalog/test_openapi_document.py
	cd web && npm run --silent types && npm run --silent check && npm run --silent test && node build.mjs --check

web/node_modules/.installed: web/package-lock.json
	@command -v npm > /dev/null || { echo "the page is built with Node.js 20 and npm: install them first"; exit 2; }
	cd web && npm ci --no-audit --no-fund --silent
	@touch $@

# Other people's programs, in environments of their own: dbt, and the code of catalogs that reads our events.
test-extras: $(DEV) $(EXTRAS)/.dbt $(EXTRAS)/.judges $(EXTRAS)/.fast $(EXTRAS)/.java
	$(BIN)/python -m pytest -m extras
	$(EXTRAS)/fast/bin/python -m pytest -q -n 2 tests/sql tests/compiler tests/testing/decoding tests/workspace/test_parse_cache.py

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

imports: $(DEV)
	$(BIN)/lint-imports

codegen: $(DEV)
	$(BIN)/python -m codegen generate

codegen-check: $(DEV)
	$(BIN)/python -m codegen check

# OFFICIAL: folders with published facet schemas, joined by `:`; they are test data, and never part of the project.
conformance: $(DEV)
	@test -n "$(OFFICIAL)" || { echo "name the folder of the schemas: make conformance OFFICIAL=DIR"; exit 2; }
	OFFICIAL=$(OFFICIAL) $(BIN)/python -m pytest -n $(WORKERS) tests/conformance

package: $(DEV)
	$(BIN)/python -m pytest -m package $(ARGS)

bench: $(DEV)
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.emitter

# What the catalog costs; EVENTS says how many are sent, ARGS the rest: `--postgres`, `--stored 1000000 --edges 200000`.
bench-catalog: $(DEV)
	$(BIN)/python -m benchmarks.catalog $(EVENTS) $(ARGS)

# All the mutations of good events; `make test` tries a few of them.
test-catalog-mutations: $(DEV)
	STREAMT_CATALOG_MUTATIONS=100000 $(BIN)/python -m pytest tests/catalog/test_faults.py -k mutation

bench-stack: $(DEV)
	$(BIN)/python -m benchmarks.topics

bench-page: $(DEV)
	$(BIN)/python -m benchmarks.page

clean:
	rm -rf $(VENV) $(EXTRAS) .tox dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage

$(EXTRAS)/.dbt: pyproject.toml
	$(PYTHON) -m venv $(EXTRAS)/dbt
	$(EXTRAS)/dbt/bin/python -m pip install --quiet 'dbt-core>=1.8,<1.12' 'dbt-duckdb>=1.8,<2' 'dbt-postgres>=1.8,<2'
	@touch $@

# OpenLineage's own Java client.
$(EXTRAS)/.java: tests/extras/java/pom.xml
	@command -v mvn > /dev/null || { echo "test-extras needs Java 17 and Maven, as test-stack does"; exit 2; }
	mvn -B -q -f tests/extras/java/pom.xml generate-resources -Djars=$(abspath $(EXTRAS))/java
	@touch $@

# streamt with its extra `fast`: the tests of SQL and of records must say the same.
$(EXTRAS)/.fast: pyproject.toml
	$(PYTHON) -m venv $(EXTRAS)/fast
	$(EXTRAS)/fast/bin/python -m pip install --quiet --editable '.[kafka,sql,fast]' \
		'fastavro>=1.9,<2' 'hypothesis>=6.100' 'pytest>=8.2' 'pytest-xdist>=3.6' 'trustme>=1.1'
	@touch $@

# Only their readers of OpenLineage events run, which need little of what the packages ask for.
$(EXTRAS)/.judges: pyproject.toml
	$(PYTHON) -m venv $(EXTRAS)/judges
	$(EXTRAS)/judges/bin/python -m pip install --quiet 'packaging>=24' 'pydantic>=2.11,<3' 'typing-extensions>=4.12'
	$(EXTRAS)/judges/bin/python -m pip install --quiet --no-deps --ignore-requires-python \
		data-rentgen==0.7.2 openmetadata-ingestion==2.0.7.0
	@touch $@

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
