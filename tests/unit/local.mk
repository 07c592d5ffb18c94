# SPDX-License-Identifier: BSD-2-Clause
# Unit tests: pure, no privileges, cmocka. tests/unit/test_NAME.c needs one line here:
#   unit_tests += tests/unit/test_NAME
# A test of more than one file says so: tests_unit_test_NAME_SOURCES = tests/unit/test_NAME.c tests/unit/helper.c
# One that makes allocations fail (fail_alloc.h) takes two lines more, as below.
wrap_alloc = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
fail_alloc = tests/unit/fail_alloc.c tests/unit/fail_alloc.h
# Profiles made by hand.
made = tests/unit/made.c tests/unit/made.h
EXTRA_DIST += tests/unit/cmocka_all.h
# Programs that need cmocka too but are no tests.
unit_helpers =

unit_tests += tests/unit/test_arena
tests_unit_test_arena_SOURCES = tests/unit/test_arena.c $(fail_alloc)
tests_unit_test_arena_LDFLAGS = $(AM_LDFLAGS) $(wrap_alloc)
unit_tests += tests/unit/test_err
unit_tests += tests/unit/test_hash
tests_unit_test_hash_SOURCES = tests/unit/test_hash.c $(fail_alloc)
tests_unit_test_hash_LDFLAGS = $(AM_LDFLAGS) $(wrap_alloc)
unit_tests += tests/unit/test_pages
tests_unit_test_pages_SOURCES = tests/unit/test_pages.c $(fail_alloc)
tests_unit_test_pages_LDFLAGS = $(AM_LDFLAGS) $(wrap_alloc)
unit_tests += tests/unit/test_parse
tests_unit_test_parse_SOURCES = tests/unit/test_parse.c $(fail_alloc)
tests_unit_test_parse_LDFLAGS = $(AM_LDFLAGS) $(wrap_alloc)
unit_tests += tests/unit/test_strtab
tests_unit_test_strtab_SOURCES = tests/unit/test_strtab.c $(fail_alloc)
tests_unit_test_strtab_LDFLAGS = $(AM_LDFLAGS) $(wrap_alloc)
unit_tests += tests/unit/test_text
unit_tests += tests/unit/test_units
unit_tests += tests/unit/test_vec
tests_unit_test_vec_SOURCES = tests/unit/test_vec.c $(fail_alloc)
tests_unit_test_vec_LDFLAGS = $(AM_LDFLAGS) $(wrap_alloc)
unit_tests += tests/unit/test_names
unit_tests += tests/unit/test_dict
unit_tests += tests/unit/test_parked
unit_tests += tests/unit/test_stacksize
unit_tests += tests/unit/test_options
tests_unit_test_options_SOURCES = tests/unit/test_options.c src/cmd/options.c src/cmd/optable.c
unit_tests += tests/unit/test_decode
unit_tests += tests/unit/test_reorder
unit_tests += tests/unit/test_export
tests_unit_test_export_SOURCES = tests/unit/test_export.c $(made) $(fail_alloc)
tests_unit_test_export_LDFLAGS = $(AM_LDFLAGS) $(wrap_alloc)
unit_tests += tests/unit/test_profile
tests_unit_test_profile_SOURCES = tests/unit/test_profile.c $(made) $(fail_alloc)
tests_unit_test_profile_LDFLAGS = $(AM_LDFLAGS) $(wrap_alloc)
unit_tests += tests/unit/test_replay
tests_unit_test_replay_SOURCES = tests/unit/test_replay.c $(made)
unit_tests += tests/unit/test_maps
unit_tests += tests/unit/test_space
unit_tests += tests/unit/test_loader
unit_tests += tests/unit/test_cpus
unit_tests += tests/unit/test_perf_record
unit_tests += tests/unit/test_probe
unit_tests += tests/unit/test_record
tests_unit_test_record_SOURCES = tests/unit/test_record.c tests/unit/synth.c tests/unit/synth.h
unit_helpers += tests/unit/make_recordings
tests_unit_make_recordings_SOURCES = tests/unit/make_recordings.c tests/unit/synth.c tests/unit/synth.h
EXTRA_DIST += tests/data/example.sberf tests/data/v1.sberf tests/data/v1.txt
unit_tests += tests/unit/test_record_nomem
tests_unit_test_record_nomem_SOURCES = tests/unit/test_record_nomem.c tests/unit/synth.c tests/unit/synth.h
tests_unit_test_record_nomem_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
unit_tests += tests/unit/test_recorder
tests_unit_test_recorder_SOURCES = tests/unit/test_recorder.c tests/unit/synth.c tests/unit/synth.h
unit_tests += tests/unit/test_process
unit_tests += tests/unit/test_query
tests_unit_test_query_SOURCES = tests/unit/test_query.c $(made) $(fail_alloc)
tests_unit_test_query_LDFLAGS = $(AM_LDFLAGS) $(wrap_alloc)
unit_tests += tests/unit/test_process_live
# The terminal view, driven without a terminal; SBERF_GOLDEN=write writes tests/golden/view anew.
madefeed = tests/unit/madefeed.c tests/unit/madefeed.h $(made)
driver = tests/unit/keys.c tests/unit/keys.h $(madefeed)
unit_tests += tests/unit/test_canvas
unit_tests += tests/unit/test_keymap
unit_tests += tests/unit/test_treeview
tests_unit_test_treeview_SOURCES = tests/unit/test_treeview.c $(driver)
unit_tests += tests/unit/test_view
tests_unit_test_view_SOURCES = tests/unit/test_view.c $(driver)
unit_tests += tests/unit/test_term
EXTRA_DIST += tests/golden
unit_tests += tests/unit/test_ring
unit_tests += tests/unit/test_sideband
unit_tests += tests/unit/test_jit
unit_tests += tests/unit/test_kernel
unit_tests += tests/unit/test_demangle
unit_tests += tests/unit/test_symbolizer
