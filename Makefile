# SPDX-License-Identifier: Apache-2.0
# The few commands that a reader of README.md needs; CMakePresets.json has the rest.
jobs ?= $(shell nproc)
format_tools := build/tools

.PHONY: check check-asan demo format clean
.DEFAULT_GOAL := check

# $(call tested,<preset>): configure, build, test.
define tested
	cmake --preset $(1) --log-level=WARNING
	cmake --build --preset $(1) -j $(jobs)
	ctest --preset $(1) -j $(jobs)
endef

check:
	scripts/setup
	$(call tested,release)

check-asan:
	scripts/setup
	$(call tested,asan)
	$(call tested,ubsan)

demo:
	scripts/setup
	cmake --preset release --log-level=WARNING
	cmake --build --preset release -j $(jobs)
	tools/dev/demo

# clang-format of the pinned version: others break lines elsewhere.
format: $(format_tools)/bin/clang-format
	git ls-files '*.h' '*.cpp' | grep -v '^tests/golden/' | xargs $< -i

$(format_tools)/bin/clang-format: tools/dev/requirements.txt
	python3 -m venv $(format_tools)
	$(format_tools)/bin/pip install --quiet -r $<
	touch $@

clean:
	rm -rf build
