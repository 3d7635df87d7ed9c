# make demo: de-identify the sample notes. make test: run the tests, but for the slow ones, which
# make test-slow runs. make docs: build the site. All set themselves up.

PYTHON ?= python3
VENV ?= .venv
OUTPUT ?= output/demo
BIN := $(VENV)/bin
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder
MODEL := $(wildcard models/en_deid-*.whl)

.PHONY: demo test test-slow lint docs model clean

demo: $(VENV)/.installed
	$(BIN)/spacy-deid redact assets/sample_notes --out $(OUTPUT) --verbose --force

test: $(VENV)/.installed-dev
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.installed-dev
	$(PYTEST) -m slow

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# The site, with Python 3.11 or newer. Warnings are errors: a broken link, a page outside of the menu.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m sphinx -W --keep-going -q docs output/site

# Train, measure and package en_deid from configs/en_deid.cfg, and put the wheel where demo finds it.
model: $(VENV)/.installed-dev
	$(BIN)/python -m spacy project run all
	wheel=$$(ls -t packages/en_deid-*/dist/en_deid-*.whl | head -n 1) && \
	  rm -f models/en_deid-*.whl && cp "$$wheel" models/

clean:
	rm -rf $(VENV) output corpus training metrics packages comparison project.lock

$(VENV)/.installed: setup.cfg constraints.txt $(MODEL)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e .
	$(if $(MODEL),$(BIN)/python -m pip install --quiet -c constraints.txt $(MODEL))
	touch $@

# torch comes first and by itself: whichever build is there already is kept.
$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[dev,train]"
	touch $@
