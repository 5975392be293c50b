# Two commands do everything on a fresh Debian 12: `make demo` and `make test`.
# Both first install the Debian packages that are missing, and say which; INSTALL=no stops instead.

.PHONY: help demo program picture check test test-tsan test-faults test-torch test-slurm test-browser \
  python test-python package test-package test-plain bench format format-check lint lint-report fuzz packages release asan clean
.DEFAULT_GOAL := help

PACKAGES := cmake esbuild g++ graphviz libbenchmark-dev libboost-math-dev libcli11-dev libfmt-dev libgtest-dev \
  libhwy-dev libopenblas-dev libtomlplusplus-dev ninja-build nlohmann-json3-dev node-d3
LINT_PACKAGES := clang-tidy
TORCH_PACKAGES := python3-torch
SLURM_PACKAGES := munge python3 slurm-wlm
BROWSER_PACKAGES := chromium chromium-driver nodejs python3-pytest python3-selenium
PYTHON_PACKAGES := pybind11-dev python3-dev python3-numpy python3-pip python3-setuptools python3-venv python3-wheel
PYTHON_TEST_PACKAGES := mypy python3-matplotlib python3-pandas python3-pytest python3-torch
DEBIAN_PACKAGES := dpkg-dev file
ROOT_PACKAGES := mmdebstrap
FUZZ_PACKAGES := clang libclang-rt-14-dev
FUZZERS := automaton experiment grammar report_input safetensors settings stack_file text_corpus token_format
FUZZ_SECONDS := 60
export INSTALL ?= yes
BENCH_FLAGS :=
SOURCES = $(shell git ls-files '*.h' '*.cpp')

help:
	@echo "make demo    build (4 minutes on two cores), then train two models side by side (90 seconds)"
	@echo "make check   build for this machine's CPU only, and run all tests but the slowest (3 minutes"
	@echo "             from a built tree; LABEL=formal runs those of tests/formal/ only)"
	@echo "make test    build and run all tests, with and without sanitizers"
	@echo "make test-tsan   build and run the tests with several threads, with the thread sanitizer"
	@echo "make test-faults  every fault, damage and kill of which make test tries a sample (half an hour)"
	@echo "make test-torch  compare with PyTorch, which is installed if it is missing"
	@echo "make test-slurm  train on a Slurm cluster in a temporary directory, and disturb it (3 minutes,"
	@echo "             as root; Slurm is installed if it is missing)"
	@echo "make test-browser  drive the pages of pushdown report in Chromium, which is installed if it"
	@echo "             is missing (2 minutes)"
	@echo "make python  build the Python package, and install it into build/python/, a virtual environment"
	@echo "make test-python  test it, with and without sanitizers, with PyTorch"
	@echo "make package make Debian packages of the program and of the library, in build/package/"
	@echo "make test-package  install them into a clean root, and use them there (3 minutes, as root)"
	@echo "make test-plain  build the program in a root without Debian packages of its dependencies (10 minutes, as"
	@echo "             root)"
	@echo "make program build the program, build/release/cli/pushdown"
	@echo "make release build everything, tests and benchmarks too"
	@echo "make picture make demo, and docs/report.png of its page"
	@echo "make bench   benchmarks (BENCH_FLAGS=--benchmark_filter=rns)"
	@echo "make format  format the sources"
	@echo "make format-check  check that the sources are formatted"
	@echo "make lint    make format-check and lint-report, and run clang-tidy"
	@echo "make lint-report  check the JavaScript of report/"
	@echo "make fuzz    fuzz the parsers for FUZZ_SECONDS each"
	@echo "make clean   remove everything that was built"
	@echo "Missing Debian packages are installed first; with INSTALL=no, make says how instead."

packages:
	@scripts/install-packages $(PACKAGES)

release: packages
	cmake --preset release
	cmake --build --preset release

asan: packages
	cmake --preset asan
	cmake --build --preset asan

program: packages
	@test -e build/release/cli/pushdown || \
	  echo "Building the program for the first time takes about 4 minutes on two cores."
	cmake --preset release
	cmake --build --preset release --target pushdown_program

demo: program
	@examples/demo build/release/cli/pushdown build/demo

# The tests are labelled by their directories. Those of what fails around the program take longest.
LABEL :=
check: packages
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev -j 2 $(if $(LABEL),-L '^$(LABEL)$$',-LE '^(faults|torch)$$')

test: release asan
	ctest --preset release -j 2
	ctest --preset asan -j 2

# g++ 12's thread sanitizer does not start where the kernel places programs more randomly than it
# expects ("unexpected memory mapping"), so they run at fixed places, where that is permitted.
FIXED_PLACES = $(shell setarch -R true 2> /dev/null && echo setarch -R)

test-tsan: packages
	cmake --preset tsan
	$(FIXED_PLACES) cmake --build --preset tsan
	$(FIXED_PLACES) ctest --preset tsan -j 2

test-faults: release
	PUSHDOWN_FAULTS=all ctest --preset release -L faults -j 2

test-torch: release
	@scripts/install-packages $(TORCH_PACKAGES)
	PUSHDOWN_REQUIRE_TORCH=1 ctest --preset release -L torch

test-slurm: program
	@scripts/install-packages $(SLURM_PACKAGES)
	@tests/slurm/slurm_test.py build/release/cli/pushdown experiments/quick.toml || \
	  { code=$$?; test $$code -eq 77 && echo "make test-slurm has tested nothing." || exit $$code; }

test-browser: program
	@scripts/install-packages $(BROWSER_PACKAGES)
	node --test report/tests/*.test.js
	/usr/bin/python3 -m pytest -q -p no:cacheprovider tests/browser

# Debian's Python, for which Debian's NumPy and PyTorch are; the build directory is that of the program.
PYTHON := build/python/bin/python3
PIP_INSTALL = $(PYTHON) -m pip install --quiet --no-index --no-build-isolation --no-deps

python: packages
	@scripts/install-packages $(PYTHON_PACKAGES)
	@test -e build/release/python || \
	  echo "Building the package for the first time takes about 5 minutes on two cores."
	cmake --preset release -DPUSHDOWN_BUILD_PYTHON=ON
	test -e $(PYTHON) || /usr/bin/python3 -m venv --system-site-packages build/python
	rm -rf build/wheel/lib*
	PUSHDOWN_BUILD_DIR=build/release $(PIP_INSTALL) .
	@echo "Use it by $(PYTHON), or after: . build/python/bin/activate"

# With the sanitizers, Python itself must have their library first; what it never frees is no leak of ours.
SANITIZED = LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=build/asan/python-package PYTHONMALLOC=malloc
PYTEST = -m pytest -q -p no:cacheprovider

test-python: python program
	@scripts/install-packages $(PYTHON_TEST_PACKAGES)
	cd build/python && bin/python3 -m mypy --strict -p pushdown
	cd build/python && bin/python3 -m mypy.stubtest pushdown._core --allowlist $(CURDIR)/tests/python/stubtest_allowlist
	$(PYTHON) $(PYTEST) --doctest-modules --pyargs pushdown
	PUSHDOWN_REQUIRE_TORCH=1 PUSHDOWN_REQUIRE_PROGRAM=1 $(PYTHON) $(PYTEST) tests/python
	cmake --preset asan -DPUSHDOWN_BUILD_PYTHON=ON
	rm -rf build/wheel/lib* build/asan/python-package
	PUSHDOWN_BUILD_DIR=build/asan $(PIP_INSTALL) --target build/asan/python-package .
	$(SANITIZED) /usr/bin/python3 $(PYTEST) tests/python -m "not slow"

package: program
	@scripts/install-packages $(DEBIAN_PACKAGES)
	rm -rf build/package
	cpack --config build/release/CPackConfig.cmake -B build/package
	@rm -rf build/package/_CPack_Packages
	@echo "Install them by: sudo apt install ./build/package/NAME.deb"

test-package: package
	@scripts/install-packages $(ROOT_PACKAGES)
	@tests/package/package_test build/package || \
	  { code=$$?; test $$code -eq 77 && echo "make test-package has tested nothing." || exit $$code; }

test-plain:
	@scripts/install-packages $(ROOT_PACKAGES)
	@tests/package/plain_test || \
	  { code=$$?; test $$code -eq 77 && echo "make test-plain has tested nothing." || exit $$code; }

# The picture in the README, from the page of the demo.
picture: demo
	@scripts/install-packages $(BROWSER_PACKAGES)
	/usr/bin/python3 tests/browser/take_picture.py build/demo/report.html docs/report.png \
	  --section '#inside' --height 1114

bench: release
	build/release/bench/kernels_bench $(BENCH_FLAGS)
	build/release/bench/formal_bench $(BENCH_FLAGS)
	build/release/bench/analysis_bench $(BENCH_FLAGS)
	build/release/bench/training_bench $(BENCH_FLAGS)

format:
	@scripts/install-packages clang-format
	clang-format -i $(SOURCES)

format-check:
	@scripts/install-packages clang-format
	clang-format --dry-run -Werror $(SOURCES)

lint-report:
	@command -v npm > /dev/null || scripts/install-packages npm
	cd report && npm ci --silent --no-audit --no-fund && npm run --silent check

lint: release format-check lint-report
	@scripts/install-packages $(LINT_PACKAGES) $(PYTHON_PACKAGES)
	# clang cannot read the headers that g++ precompiled.
	cmake --preset release -B build/lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DPUSHDOWN_BUILD_PYTHON=ON
	run-clang-tidy -quiet -p build/lint "$(CURDIR)/(pushdown|cli|python|examples|bench)/.*\.cpp"

fuzz: packages
	@scripts/install-packages $(FUZZ_PACKAGES)
	cmake --preset fuzz
	cmake --build --preset fuzz --target $(FUZZERS:=_fuzzer)
	for name in $(FUZZERS); do \
	  mkdir -p build/fuzz/corpus/$$name && \
	  build/fuzz/fuzz/$${name}_fuzzer -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 \
	    -dict=fuzz/$$name.dict build/fuzz/corpus/$$name fuzz/corpus/$$name || exit 1; \
	done

clean:
	rm -rf build
