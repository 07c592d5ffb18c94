# SPDX-License-Identifier: BSD-2-Clause
# Unit tests: pure, no privileges, cmocka. tests/unit/test_NAME.c needs one line here:
#   unit_tests += tests/unit/test_NAME
# A test of more than one file says so: tests_unit_test_NAME_SOURCES = tests/unit/test_NAME.c tests/unit/helper.c
unit_tests += tests/unit/test_err
EXTRA_DIST += tests/unit/cmocka_all.h
unit_tests += tests/unit/test_names
unit_tests += tests/unit/test_dict
