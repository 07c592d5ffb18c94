# SPDX-License-Identifier: BSD-2-Clause
# tests/interop: readers of other projects, from npm. Not part of `make check`, as they need a network the first time: `make check-interop`
# runs them, and so does `./quickstart check` (make check-all), among the rest. One "interop_tests += tests/interop/NAME.sh" a line.
interop_tests =
interop_tests += tests/interop/firefox.sh
interop_tests += tests/interop/parca.sh
interop_tests += tests/interop/speedscope.sh
# It captures.
watching_tests += tests/interop/parca.sh
EXTRA_DIST += $(interop_tests)
EXTRA_DIST += tests/interop/app.py
EXTRA_DIST += tests/interop/functions.py
EXTRA_DIST += tests/interop/package-lock.json
EXTRA_DIST += tests/interop/package.json
EXTRA_DIST += tests/interop/parca.mjs
EXTRA_DIST += tests/interop/readers.sh
EXTRA_DIST += tests/interop/schema.cjs

.PHONY: check-interop
check-interop: all
	@$(MAKE) $(AM_MAKEFLAGS) check-TESTS TESTS='$(interop_tests)' check_PROGRAMS= check_DATA=

# node_modules is in the build directory.
clean-local: clean-interop
.PHONY: clean-interop
clean-interop:
	rm -rf tests/interop/node_modules tests/interop/installed.json tests/interop/npm.log tests/interop/install.lock
