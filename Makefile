# Every target does its own set-up in .venv; a second call of the same target skips it.
# Another interpreter: make PYTHON=/path/to/python3.12 setup   (Python 3.11 or newer)

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

BIN := .venv/bin
TEST_JOBS ?= 2
CORE := $(wildcard core/*.h core/*.cpp) CMakeLists.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

# The first interpreter that is new enough; empty if there is none.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	if command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then command -v $$p; break; fi; done)

# Compile what changed (the build tree is kept) and install the extension beside the package's metadata. What the
# compiler says is kept in build/core.log, and shown if it fails.
define build-core
test -f build/editable/build.ninja || { rm -f .venv/.installed; $(MAKE) .venv/.installed; }
$(BIN)/cmake --build build/editable >build/core.log 2>&1 || { cat build/core.log; exit 1; }
$(BIN)/cmake --install build/editable --prefix "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')" >/dev/null
touch .venv/.core
endef

.PHONY: help setup core demo test test-all check lint sanitize fuzz format profile docs pictures bench bench-quick clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.core ## make .venv with everything that developing needs, and build the package

demo: .venv/.core ## tell the story of a decision tree on PlayTennis; the report goes to build/demo
	@$(BIN)/python -m quercus.demo build/demo

test: .venv/.core ## run the tests, but for those marked slow, and the examples in the docstrings
	@echo "The tests marked slow are left out; make test-all and .ci/run run them, too."
	@$(BIN)/python -m pytest -q -n $(TEST_JOBS) -m "not slow"

test-all: .venv/.core ## run every test, the slow ones too
	@$(BIN)/python -m pytest -q -n $(TEST_JOBS)

check: lint sanitize fuzz ## run the linters, the type checker, the core's tests and two minutes of fuzzing under sanitizers

lint: .venv/.core
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(wildcard cmake/*.h core/*.h core/*.cpp tests/core/*.h tests/core/*.cpp)

# The core's own tests with AddressSanitizer and UndefinedBehaviorSanitizer; zig has no AddressSanitizer.
sanitize: .venv/.tools
	@if test -n "$$($(BIN)/python build_backend/quercus_build.py)"; then \
		echo "sanitize: skipped, it needs g++ or clang++ and neither is on PATH"; \
	else \
		$(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" -S tests/core -B build/sanitize >/dev/null && \
		$(BIN)/cmake --build build/sanitize && build/sanitize/test_core; \
	fi

# Every binding with mutated arguments, in a core of its own that is built with the sanitizers. The number of calls is
# fixed, so that a fast machine makes no others than a slow one. A longer run, other calls:
# make fuzz FUZZ_CALLS=200000 FUZZ_SECONDS=1800 FUZZ_SEED=2
FUZZ_CALLS ?= 12000
FUZZ_SECONDS ?= 120
FUZZ_SEED ?= 1
fuzz: .venv/.core
	@if test -n "$$($(BIN)/python build_backend/quercus_build.py)"; then \
		echo "fuzz: skipped, it needs g++ or clang++ and neither is on PATH"; \
	else \
		$(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
			-DQUERCUS_SANITIZE=address,undefined -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" \
			-Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" -S . -B build/fuzz >/dev/null && \
		$(BIN)/cmake --build build/fuzz && \
		$(BIN)/python tests/fuzz/fuzz_bindings.py --core build/fuzz --last $(FUZZ_CALLS) \
			--seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED); \
	fi

format: .venv/.core ## put Python and C++ sources into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(wildcard cmake/*.h core/*.h core/*.cpp tests/core/*.h tests/core/*.cpp)

core: .venv/.installed ## recompile what changed in core/ and put it into .venv
	@$(build-core)

# The same code as `make core` builds, in a build tree of its own. The stamp goes, so that tests and benchmarks install the
# plain core again; `make core` does it at once.
profile: .venv/.core ## put a core with debug symbols into .venv, for perf and the like, until the next `make core`
	@$(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" -DCMAKE_BUILD_TYPE=Release -DQUERCUS_SYMBOLS=ON \
		-DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" -Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" \
		-DCMAKE_CXX_COMPILER="$$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' build/editable/CMakeCache.txt)" \
		-S . -B build/profile >/dev/null
	@$(BIN)/cmake --build build/profile
	@$(BIN)/cmake --install build/profile --prefix "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')" >/dev/null
	@rm -f .venv/.core
	@echo "The core in .venv has debug symbols until the next make core. For example:"
	@echo "  perf record -g $(BIN)/python your_script.py && perf report"

docs: .venv/.docs .venv/.core ## build the documentation into build/site
	@mkdir -p build
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict >build/docs.log 2>&1 || { cat build/docs.log; exit 1; }
	@echo "The documentation is in build/site/index.html; open it in a browser, it needs no server and no network."

pictures: .venv/.core ## run the examples on all pages and draw their pictures again, into docs/pictures
	@$(BIN)/python docs/run_pages.py

bench: .venv/.bench .venv/.core ## compare speed with other programs; writes benchmarks/results.md
	$(BIN)/python -m benchmarks

bench-quick: .venv/.bench .venv/.core ## the same on small data, for a first look
	$(BIN)/python -m benchmarks --quick

clean: ## remove .venv, the build tree and all caches
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# --- set-up, in three steps, each with a stamp file ---------------------------------------------------------------

.venv/.tools: pyproject.toml build_backend/quercus_build.py
	@test -n "$(PYTHON)" || { echo "Quercus needs Python 3.11 or newer, and none is on PATH." \
		"Install one, or name it: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is" \
		"$$($(PYTHON) --version 2>&1); Quercus needs Python 3.11 or newer." >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv || { rm -rf .venv; echo "$(PYTHON) cannot make a virtual environment." \
		"On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "Setting up .venv (the first time takes a minute or two) ..."
	@$(BIN)/pip install -qq 'scikit-build-core>=0.10' 'nanobind>=2.4' cmake ninja $$($(BIN)/python build_backend/quercus_build.py)
	@touch $@

.venv/.installed: .venv/.tools CMakeLists.txt
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pip install -qq --no-build-isolation -e '.[dev]'
	@touch $@

.venv/.core: .venv/.installed $(CORE)
	@$(build-core)

.venv/.docs: .venv/.installed
	@$(BIN)/pip install -qq 'mkdocs-material>=9.5,<10'
	@touch $@

.venv/.bench: .venv/.installed
	@$(BIN)/pip install -qq --no-build-isolation -e '.[bench]'
	@touch $@
