# `make help` lists what can be made. Every target does its own set-up; what is up to date is not made again.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The rig that `make demo` walks: a .blend, .glb, .gltf, .fbx or .bvh file, or this one, made on the spot.
RIG ?= rigify:human

CORE_SOURCES := $(wildcard csrc/*.c csrc/*.h) setup.py blender_manifest.toml
ADDON_FILES := $(shell find addon -type f -not -path "*/__pycache__/*")
C_FILES := $(wildcard csrc/*.c csrc/*.h)
PY_FILES := addon benchmarks tests tools setup.py
CORE := build/python/amble_core.abi3.so
BLENDER_50 := .venv/.ready
BLENDER_42 := .venv-4.2/.ready
TOOLS := .venv-tools/.ready
LINT := .venv-tools/.ready-lint
EXTENSION := dist/.ready

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(BLENDER_50) $(CORE) ## a 1.4 m/s walk on RIG (default: the Rigify human): out/walk.blend, .glb, .png, report.json
	@mkdir -p out && rm -f out/walk.blend out/walk.glb out/walk.png out/report.json
	timeout -s KILL 900 .venv/bin/python -m amble gait "$(RIG)" --speed 1.4 \
	    --output out/walk.blend --output out/walk.glb --picture out/walk.png --report out/report.json
	@for file in out/walk.blend out/walk.glb out/walk.png out/report.json; do \
	    test -s $$file || { echo "demo: $$file was not written" >&2; exit 1; }; done

.PHONY: test
test: $(TOOLS) $(BLENDER_50) $(BLENDER_42) $(CORE) $(EXTENSION) ## the everyday tests: the core alone, then everything in Blender 5.0 and 4.2
	.venv-tools/bin/python tools/run_tests.py core blender-5.0 blender-4.2

.PHONY: test-core
test-core: $(TOOLS) $(CORE) ## only the core's tests, without any Blender
	.venv-tools/bin/python tools/run_tests.py core

.PHONY: test-full
test-full: $(TOOLS) $(BLENDER_50) $(BLENDER_42) $(CORE) $(EXTENSION) build/scalar/amble_core.abi3.so ## slow tests too, and Blender 4.5 and 5.2 as well
	-@$(MAKE) --no-print-directory .venv-4.5/.ready
	-@$(MAKE) --no-print-directory .venv-5.2/.ready
	HYPOTHESIS_PROFILE=full .venv-tools/bin/python tools/run_tests.py --slow \
	    core core-scalar blender-4.2 blender-4.5 blender-5.0 blender-5.2

.PHONY: test-window
test-window: $(TOOLS) $(EXTENSION) ## the panel in real windows: of the Blenders in AMBLE_BLENDER, else of `blender` on PATH
	AMBLE_BLENDER="$${AMBLE_BLENDER:-$$(command -v blender || true)}" \
	    .venv-tools/bin/python -m pytest -q -p no:cacheprovider tests/window

.PHONY: sanitize
sanitize: $(TOOLS) build/sanitized/amble_core.abi3.so ## the core's tests under AddressSanitizer and UndefinedBehaviorSanitizer
	.venv-tools/bin/python tools/run_tests.py core-sanitized

.PHONY: lint
lint: $(LINT) $(CORE) build/scalar/amble_core.abi3.so ## ruff, mypy, clang-format, clang-tidy, compiler warnings as errors
	@red=; export PATH="$(CURDIR)/.venv-tools/bin:$$PATH"; \
	run() { echo "== $$1"; "$${@:2}" || red="$$red, $$1"; }; \
	run "ruff check" ruff check $(PY_FILES); \
	run "ruff format" ruff format --check $(PY_FILES); \
	run "mypy, package" mypy -p amble; \
	run "mypy, tests and tools" mypy benchmarks tests tools setup.py; \
	run clang-format clang-format --dry-run --Werror $(C_FILES); \
	run clang-tidy python tools/tidy.py $(filter %.c,$(C_FILES)); \
	test -z "$$red" || { echo "lint: not clean: $${red:2}" >&2; exit 1; }

.PHONY: format
format: $(LINT) ## put Python and C into the shape that lint asks for
	.venv-tools/bin/ruff check --fix-only --quiet $(PY_FILES)
	.venv-tools/bin/ruff format $(PY_FILES)
	.venv-tools/bin/clang-format -i $(C_FILES)

.PHONY: extension
extension: $(EXTENSION) ## the extension's zip for this platform, in dist/
	@ls dist/*.zip

.PHONY: clean
clean: ## everything made except the virtual environments
	rm -rf build dist out *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

.PHONY: clean-all
clean-all: clean ## the virtual environments as well
	rm -rf .venv .venv-*

# --- set-up ----------------------------------------------------------------------------------------------------

.PHONY: system
system:
	@tools/bootstrap check

# The core, built once with NumPy 2 for every Blender. The package is run from its sources through a link beside it.
build/scalar/amble_core.abi3.so: SWITCHES := AMBLE_SCALAR=1
build/sanitized/amble_core.abi3.so: SWITCHES := AMBLE_SANITIZE=1
build/coverage/amble_core.abi3.so: SWITCHES := AMBLE_COVERAGE=1
build/%/amble_core.abi3.so: $(CORE_SOURCES) $(TOOLS)
	@mkdir -p build/python && ln -sfn ../../addon build/python/amble
	AMBLE_STRICT=1 $(SWITCHES) .venv-tools/bin/python setup.py -q build_ext --force --parallel 2 \
	    --build-lib $(@D) --build-temp build/objects/$*
	@touch $@

dist/.ready: $(CORE_SOURCES) $(ADDON_FILES) tools/extension.py LICENSE README.md $(TOOLS) $(BLENDER_50)
	@rm -rf dist
	.venv-tools/bin/python tools/extension.py --output dist
	@touch $@

# Virtual environments. A failed or outdated one is made anew; the .pth line puts the link and the core on its path.
.venv-tools/.ready: tools/requirements/core.txt
.venv/.ready:       tools/requirements/blender-5.0.txt
.venv-4.2/.ready:   tools/requirements/blender-4.2.txt
.venv-4.5/.ready:   tools/requirements/blender-4.5.txt
.venv-5.2/.ready:   tools/requirements/blender-5.2.txt
.venv-5.2/.ready: PYTHON_VERSION := 3.13
PYTHON_VERSION := 3.11
.venv/.ready .venv-tools/.ready .venv-4.2/.ready .venv-4.5/.ready .venv-5.2/.ready: | system
	@echo "Setting up $(@D) from $<"
	@python=$$(tools/bootstrap python $(PYTHON_VERSION)) || \
	    { echo "$(@D) needs Python $(PYTHON_VERSION) with venv and headers, which is not on this machine" >&2; exit 1; }; \
	"$$python" -m venv --clear $(@D)
	@$(@D)/bin/python -m pip install -qq --disable-pip-version-check -r $<
	@echo "$(CURDIR)/build/python" > $(@D)/lib/python$(PYTHON_VERSION)/site-packages/amble-sources.pth
	@touch $@

.venv-tools/.ready-lint: tools/requirements/lint.txt $(TOOLS)
	@echo "Setting up the linters from $<"
	@.venv-tools/bin/python -m pip install -qq --disable-pip-version-check -r $<
	@touch $@
