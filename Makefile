# Every target sets up .venv itself, with only what it needs. Windows: the README has the plain commands.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq

# Where the environment forbids to keep what Python compiles, every process would compile numpy again.
unexport PYTHONDONTWRITEBYTECODE

.NOTPARALLEL:
.PHONY: demo test lab export lint wheel docs

demo: .venv/.cli
	$(BIN)/tito demo

test: .venv/.test
	$(BIN)/python -m pytest -n auto --dist loadfile $(ARGS)

lab: .venv/.lab
	$(BIN)/jupyter lab modules/11_embeddings/embeddings_dev.ipynb

export: .venv/.test
	$(BIN)/python -m tinytorch._export
	$(BIN)/nbdev-clean

lint: .venv/.lint
	$(BIN)/ruff check

wheel: $(BIN)/pip
	rm -rf dist
	$(PIP) wheel --no-deps --wheel-dir dist .
	@ls dist/*.whl

# REPOSITORY=https://github.com/OWNER/NAME adds links for editing, Binder and Colab.
docs: .venv/.docs
	$(BIN)/python -m sphinx -W --keep-going -q -j auto -d build/doctrees docs build/docs
	@echo "The site: build/docs/index.html"

# pip comes last when a venv is made: a half-made one is made again.
$(BIN)/pip:
	$(PYTHON) -m venv .venv

# .venv/.NAME says that the extra NAME is installed; pyproject.toml newer: install again.
# Python compiles what it imports; compiling all of it here would double the time.
.venv/.%: pyproject.toml | $(BIN)/pip
	@echo "Setting up .venv for: $*"
	$(PIP) install --no-compile --editable ".[$*]"
	@touch $@
