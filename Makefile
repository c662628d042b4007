# Each target first sets up .venv (tools/setup.sh) and then calls one tool. ARGS passes options on.
SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help bench scenario claims test sim soak fuzz fuzzworld soakworld cover formal mutate synth lint perf clean setup-run setup-dev setup-formal setup-synth setup-pynq setup-carla15

# Whatever these programs keep between runs stays inside the project where the user has no home of their own.
ifeq ($(strip $(HOME)),)
export HOME := $(CURDIR)/build/home
endif
export CARLA_CACHE_DIR ?= $(CURDIR)/build/carla
# The tests try the installed wheel, not whatever lies on the caller's path.
unexport PYTHONPATH

BIN := .venv/bin
SCENARIO = $(or $(NAME),follow_traffic)

help: ## list the targets
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

bench: setup-run ## drive CARLA ticks, render on every device, compare, price; options: ARGS="--ticks 20"
	@$(BIN)/foveal bench $(ARGS)

scenario: setup-run ## one scenario for CARLA; NAME=unprotected_turn (follow_traffic, pedestrian_crossing, dense_traffic); ARGS="--save out/turn"
	@all=$$(grep -l __main__ bench/scenarios/*.py | xargs -n 1 basename -s .py); \
	if ! grep -qxF -- "$(SCENARIO)" <<< "$$all"; then \
	  echo "error: no scenario '$(SCENARIO)'; there are: $$(paste -sd, <<< "$$all" | sed 's/,/, /g')" >&2; exit 2; \
	fi; \
	$(BIN)/python bench/scenarios/$(SCENARIO).py $(ARGS)

test: setup-dev setup-synth setup-pynq setup-carla15 ## the Python tests, files side by side; one: ARGS=tests/host/test_card_driver.py; in one process: ARGS="-n 0 --pdb"
	@$(BIN)/pytest -n auto --maxprocesses 8 --dist loadfile $(ARGS)

sim: setup-dev ## the RTL benches on Icarus and Verilator; one: MODULE=roi_clip SIM=icarus SEED=7
	@$(BIN)/python sim/run.py $(if $(MODULE),--module $(MODULE)) $(if $(SIM),--sim $(SIM)) $(if $(SEED),--seed $(SEED)) $(ARGS)

formal: setup-formal ## prove the RTL; one: MODULE=roi_clip; options: ARGS=--quick, --selftest, --readme
	@$(BIN)/python hw/formal/run.py $(if $(MODULE),--module $(MODULE)) $(ARGS)

soak: setup-dev ## random frames, faults, resets and region changes on the co-simulated kernel; ARGS="--minutes 10 --seed 7"
	@$(BIN)/python tests/sim/soak.py $(ARGS)

fuzz: setup-dev ## hostile image files against the reader of xclbins; ARGS="--inputs 100000 --seed 7"
	@$(BIN)/python tests/host/fuzz_xclbin.py $(ARGS)

fuzzworld: setup-dev ## hostile calls to the world server; ARGS="--messages 100000 --seed 7 --listeners 8"
	@$(BIN)/python tests/sim/fuzz_world.py $(ARGS)

soakworld: setup-dev ## clients that come, go and vanish, cameras, maps: no frame mismatched, no growth; ARGS="--minutes 60 --seed 7"
	@$(BIN)/python tests/sim/soak_world.py $(ARGS)

cover: setup-dev ## line, branch and toggle coverage of the RTL by its benches; one: MODULE=roi_clip
	@$(BIN)/python sim/cover.py $(if $(MODULE),--module $(MODULE)) $(ARGS)

mutate: setup-dev setup-synth ## mutants of the RTL that its benches must kill; one: MODULE=roi_clip; ARGS="--mutants N --seed S --only ID"
	@$(BIN)/python hw/mutate/run.py $(if $(MODULE),--module $(MODULE)) $(ARGS)

synth: setup-synth ## Yosys for UltraScale+: resources, levels, budgets, growth; ARGS="--module roi_clip", ARGS=--update
	@$(BIN)/python hw/synth/run.py $(ARGS)

lint: setup-dev ## ruff, mypy, Verilator -Wall, Icarus -Wall and slang
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy host/foveal sim/foveal_sim bench/foveal_bench
	@tools/lint_rtl.sh

perf: setup-dev ## pytest-benchmark on the hot paths
	@$(BIN)/pytest bench/perf --benchmark-only $(ARGS)

clean: ## remove what was built; .venv stays
	rm -rf build dist out .pytest_cache .mypy_cache .ruff_cache .benchmarks .hypothesis

setup-run setup-dev setup-formal setup-synth setup-pynq setup-carla15: setup-%:
	@tools/setup.sh $*
