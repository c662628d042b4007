# Building an image for a card, included by boards/<card>/Makefile. `make help` lists targets; boards/README.md explains.
#   TARGET=hw|hw_emu   PLATFORM=name or path.xpfm   JOBS=4   DEVICE=BDF of the card for hw-test
#   IMAGE=/absolute/path of an image for hw-test that was linked on another machine
SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help check xo xclbin shading timing hw-test clean
.DELETE_ON_ERROR:

ROOT := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
BOARD := $(notdir $(CURDIR))
fact = $(shell awk '$$1 == "$(1):" {print $$2; exit}' board.yaml)

TARGET ?= hw
PLATFORM ?= $(call fact,platform)
PART := $(shell awk '/^part:/ {getline; print $$2; exit}' board.yaml)
JOBS ?= 4
DEVICE ?=
PYTHON ?= $(ROOT)/.venv/bin/python
SETUP ?= $(ROOT)/tools/setup.sh dev
# "Vitis 2023.1" where the card has a last line of tools.
LINE := $(subst ",,$(call fact,last))

BUILD := $(ROOT)/build/boards/$(BOARD)/$(TARGET)
KERNEL := $(ROOT)/boards/kernel
RTL := $(wildcard $(ROOT)/hw/rtl/*.v $(ROOT)/hw/rtl/*.vh)
HLS := $(wildcard $(ROOT)/hw/hls/*.cpp $(ROOT)/hw/hls/*.hpp)
IMAGE := $(BUILD)/foveal_$(BOARD).xclbin
REPORT := $(IMAGE:.xclbin=.timing.rpt)
XO := $(BUILD)/foveal_kernel.xo $(BUILD)/geometry.xo

# A missing tool, platform or card ends the build in one line before anything is written.
stop = { echo "make: $(1)" >&2; exit 1; }
tool = command -v $(1) >/dev/null || $(call stop,$(1) is not on the PATH; source the settings64.sh of $(strip $(2) $(LINE)) (boards/README.md))
platform = { [ -f "$(PLATFORM)" ] || platforminfo -p "$(PLATFORM)" >/dev/null 2>&1; } || \
	$(call stop,the platform $(PLATFORM) is not installed; install its development package or set PLATFORM=path.xpfm)

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(ROOT)/boards/card.mk | expand -t 14

check: ## compare RTL, kernel.xml, connectivity.cfg, board.yaml and the driver
	@$(SETUP)
	@$(PYTHON) $(ROOT)/hw/packaging/kernel_xml.py --check
	@$(PYTHON) $(ROOT)/hw/packaging/consistency.py

xo: ## package the RTL kernel and compile the HLS kernel
	@$(call tool,vivado,Vivado)
	@$(call tool,v++,Vitis)
	@$(platform)
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory $(XO)

xclbin: ## link both kernels into an image for the card; its timing report lies beside it
	@$(call tool,v++,Vitis)
	@$(platform)
	@$(MAKE) --no-print-directory xo
	@$(MAKE) --no-print-directory $(IMAGE)

shading: ## compile the HLS shading kernel, which the image does not link
	@$(call tool,v++,Vitis)
	@$(platform)
	@$(MAKE) --no-print-directory $(BUILD)/shading.xo

timing: ## place and route the RTL kernel by itself; the last line says whether it meets its clock
	@$(call tool,vivado,Vivado)
	@$(SETUP)
	@mkdir -p $(BUILD)
	cd $(BUILD) && vivado -mode batch -nojournal -log kernel_timing.log -source $(KERNEL)/timing.tcl \
	  -tclargs $(PART) $(ROOT)/hw/rtl $(KERNEL)/foveal_kernel.xdc $(BUILD)/foveal_kernel.timing.rpt
	@$(PYTHON) -m foveal_bench.timing_report $(BUILD)/foveal_kernel.timing.rpt $(PART)

hw-test: ## run the tests that need a card on the image that was built
	@[ -f "$(IMAGE)" ] || $(call stop,$(IMAGE) was not built; run make xclbin first or name an image: IMAGE=/absolute/path)
	@command -v xbutil >/dev/null || command -v xrt-smi >/dev/null || \
	  $(call stop,XRT is not on the PATH; source /opt/xilinx/xrt/setup.sh (boards/README.md))
	@mkdir -p $(BUILD)
	@cd $(ROOT) && set -o pipefail && FOVEAL_XCLBIN="$(abspath $(IMAGE))" FOVEAL_CARD=$(DEVICE) \
	  $(PYTHON) -m pytest -m card tests/sim | tee $(BUILD)/hw-test.log
	@grep -Eq '[0-9]+ passed' $(BUILD)/hw-test.log || $(call stop,no test ran on a card; foveal doctor says why)

clean: ## remove what was built for this card and target
	rm -rf $(BUILD)

$(BUILD)/foveal_kernel.xo: $(RTL) $(KERNEL)/foveal_kernel.xml $(KERNEL)/package_xo.tcl
	@mkdir -p $(BUILD)
	cd $(BUILD) && vivado -mode batch -nojournal -log package.log -source $(KERNEL)/package_xo.tcl \
	  -tclargs $(PART) $(ROOT)/hw/rtl $(KERNEL)/foveal_kernel.xml $(BUILD)/package $@

$(BUILD)/geometry.xo: $(HLS) $(ROOT)/hw/hls/geometry.cfg
	@mkdir -p $(BUILD)
	cd $(BUILD) && v++ -c -t $(TARGET) --platform $(PLATFORM) -k geometry --config $(ROOT)/hw/hls/geometry.cfg \
	  -I $(ROOT)/hw/hls --temp_dir hls $(ROOT)/hw/hls/geometry.cpp -o $@
	$(PYTHON) $(ROOT)/hw/packaging/consistency.py --xo $@

$(BUILD)/shading.xo: $(HLS) $(ROOT)/hw/hls/shading.cfg
	@mkdir -p $(BUILD)
	cd $(BUILD) && v++ -c -t $(TARGET) --platform $(PLATFORM) -k shading --config $(ROOT)/hw/hls/shading.cfg \
	  -I $(ROOT)/hw/hls --temp_dir hls $(ROOT)/hw/hls/shading.cpp -o $@

$(IMAGE): $(XO) connectivity.cfg
	cd $(BUILD) && v++ -l -t $(TARGET) --platform $(PLATFORM) --config $(CURDIR)/connectivity.cfg --jobs $(JOBS) \
	  --save-temps --temp_dir link $(XO) -o $@
	@if [ "$(TARGET)" = hw ]; then report=$$(find $(BUILD)/link -name '*timing_summary*routed*.rpt' | sort | tail -n 1); \
	  [ -n "$$report" ] || $(call stop,the link left no routed timing summary below $(BUILD)/link); \
	  cp "$$report" $(REPORT); fi
