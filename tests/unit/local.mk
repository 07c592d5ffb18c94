# SPDX-License-Identifier: BSD-2-Clause
# Unit tests: pure, no privileges, cmocka. tests/unit/test_NAME.c is a suite and needs one line here, in the group of the folder it
# is about:
#   suites_FOLDER += tests/unit/test_NAME
# The suites of a group are linked as one program, tests/unit/suites-FOLDER, with everything in libhelp.a, and with allocations that can
# be made to fail (fail_alloc.h). tests/unit/test_NAME is another name of that program, which runs this suite alone, in a process of
# its own; see suite.h. What cannot be linked with others, because it stands in for functions of ours or looks at itself, is a
# program of its own:
#   unit_tests += tests/unit/test_NAME
fail_alloc = tests/unit/fail_alloc.c tests/unit/fail_alloc.h
wrap_alloc = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
EXTRA_DIST += tests/unit/cmocka_all.h tests/unit/noprocs.h
# Programs that need cmocka too but are no tests.
unit_helpers =

# Profiles made by hand; with the view on them, driven without a terminal (SBERF_GOLDEN=write writes tests/golden anew); one as
# large as views must bear; recordings.
made = tests/unit/made.c tests/unit/made.h
madesession = tests/unit/madesession.c tests/unit/madesession.h $(made)
madenuma = tests/unit/madenuma.c tests/unit/madenuma.h
madedump = tests/unit/madedump.h
driver = tests/unit/keys.c tests/unit/keys.h $(madesession)
golden = tests/unit/golden.c tests/unit/golden.h tests/unit/world.c tests/unit/world.h
madecode = tests/unit/madecode.c tests/unit/madecode.h
big = tests/unit/big.c tests/unit/big.h
synth = tests/unit/synth.c tests/unit/synth.h tests/unit/synth_numa.c
record_helpers = tests/unit/sample.c tests/unit/sample.h $(synth)
unit_libraries = tests/unit/libhelp.a
tests_unit_libhelp_a_SOURCES = \
	$(big) \
	$(driver) \
	$(golden) \
	$(madecode) \
	$(madedump) \
	$(madenuma) \
	$(record_helpers) \
	tests/unit/deadfs.c \
	tests/unit/deadfs.h \
	tests/unwind/fixture.c \
	tests/unwind/fixture.h
suite_sources = tests/unit/suites.c tests/unit/suite.h $(fail_alloc)
suite_cppflags = $(AM_CPPFLAGS) -include $(top_srcdir)/tests/unit/suite.h
suite_ldflags = $(AM_LDFLAGS) $(wrap_alloc)
suite_ldadd = $(unit_libraries) $(LDADD)
suite_name = $(AM_V_GEN)ln -f $< $@

suites_base =
suites_base += tests/unit/test_allocation
suites_base += tests/unit/test_arena
suites_base += tests/unit/test_clocktext
suites_base += tests/unit/test_err
suites_base += tests/unit/test_hash
suites_base += tests/unit/test_http
suites_base += tests/unit/test_keyed
suites_base += tests/unit/test_keyvalue
suites_base += tests/unit/test_pages
suites_base += tests/unit/test_parse
suites_base += tests/unit/test_strtab
suites_base += tests/unit/test_spawn
suites_base += tests/unit/test_text
suites_base += tests/unit/test_units
suites_base += tests/unit/test_vec
suites_base += tests/unit/test_thread
suites_base += tests/unit/test_dict
suites_base += tests/unit/test_inside
suites_base += tests/unit/test_names
suites_base += tests/unit/test_wait
suites_base += tests/unit/test_waitgraph
suites_base += tests/unit/test_method
suites_base += tests/unit/test_cpus
suites_base += tests/unit/test_maps
suites_base += tests/unit/test_execmaps
suites_base += tests/unit/test_topology

suites_capture =
suites_capture += tests/unit/test_bpflog
suites_capture += tests/unit/test_wire_decode
suites_capture += tests/unit/test_runtime
suites_capture += tests/unit/test_features
suites_capture += tests/unit/test_hold
suites_capture += tests/unit/test_link
suites_capture += tests/unit/test_mapsizes
suites_capture += tests/unit/test_peek
suites_capture += tests/unit/test_perf_record
suites_capture += tests/unit/test_probe
suites_capture += tests/unit/test_rate
suites_capture += tests/unit/test_rawfile
suites_capture += tests/unit/test_rawreplay
suites_capture += tests/unit/test_reorder
suites_capture += tests/unit/test_ring
suites_capture += tests/unit/test_sideband
suites_capture += tests/unit/test_waker

suites_numa =
suites_numa += tests/unit/test_access
suites_numa += tests/unit/test_areas
suites_numa += tests/unit/test_code
suites_numa += tests/unit/test_numa_state
suites_numa += tests/unit/test_placement
suites_numa += tests/unit/test_policy
suites_numa += tests/unit/test_proctext
suites_numa += tests/unit/test_residency

suites_probe =
suites_probe += tests/unit/test_branch
suites_probe += tests/unit/test_branch_entries
suites_probe += tests/unit/test_branch_graph
suites_probe += tests/unit/test_branch_jumps
suites_probe += tests/unit/test_bpfcode
suites_probe += tests/unit/test_find_kernel
suites_probe += tests/unit/test_kernel_blocks
suites_probe += tests/unit/test_functions
suites_probe += tests/unit/test_leaves
suites_probe += tests/unit/test_site
suites_probe += tests/unit/test_spec
suites_probe += tests/unit/test_trace
suites_probe += tests/unit/test_usdt

suites_process =
suites_process += tests/unit/test_collector
suites_process += tests/unit/test_files
suites_process += tests/unit/test_moved
suites_process += tests/unit/test_loader
suites_process += tests/unit/test_process
suites_process += tests/unit/test_process_nomem
suites_process += tests/unit/test_space

suites_symbol =
suites_symbol += tests/unit/test_cpython
suites_symbol += tests/unit/test_cpython_threads
suites_symbol += tests/unit/test_demangle
suites_symbol += tests/unit/test_ehframe
suites_symbol += tests/unit/test_jit
suites_symbol += tests/unit/test_kernel
suites_symbol += tests/unit/test_kernel_debug
suites_symbol += tests/unit/test_module_debug
suites_symbol += tests/unit/test_members
suites_symbol += tests/unit/test_params
suites_symbol += tests/unit/test_plt
suites_symbol += tests/unit/test_names_message
suites_symbol += tests/unit/test_search
suites_symbol += tests/unit/test_symbolizer

suites_unwind =
suites_unwind += tests/unit/test_go
suites_unwind += tests/unit/test_image_ops
suites_unwind += tests/unit/test_image_split
suites_unwind += tests/unit/test_image_worker
suites_unwind += tests/unit/test_made
suites_unwind += tests/unit/test_rows_budget
suites_unwind += tests/unit/test_unwind
suites_unwind += tests/unit/test_unwind_aarch64

suites_profile =
suites_profile += tests/unit/test_blocks
suites_profile += tests/unit/test_spanfilter
suites_profile += tests/unit/test_treediff
suites_profile += tests/unit/test_frames
suites_profile += tests/unit/test_funcs
suites_profile += tests/unit/test_heat
suites_profile += tests/unit/test_no_time
suites_profile += tests/unit/test_numareport
suites_profile += tests/unit/test_profile
suites_profile += tests/unit/test_query
suites_profile += tests/unit/test_replay
suites_profile += tests/unit/test_shortname
suites_profile += tests/unit/test_stripped
suites_profile += tests/unit/test_terms
suites_profile += tests/unit/test_threadlist
suites_profile += tests/unit/test_holders
suites_profile += tests/unit/test_locks
suites_profile += tests/unit/test_waits

suites_export =
suites_export += tests/unit/test_serve
suites_export += tests/unit/test_export
suites_export += tests/unit/test_export_numa
suites_export += tests/unit/test_exporters
suites_export += tests/unit/test_flame
suites_export += tests/unit/test_flame_growth
suites_export += tests/unit/test_json
suites_export += tests/unit/test_leaks
suites_export += tests/unit/test_memorysizes
suites_export += tests/unit/test_outfile
suites_export += tests/unit/test_probenotes
suites_export += tests/unit/test_growth
suites_export += tests/unit/test_probereport
suites_export += tests/unit/test_probevalues
suites_export += tests/unit/test_roundtrip
suites_export += tests/unit/test_taskcall

suites_record =
suites_record += tests/unit/test_flight_recorder
suites_record += tests/unit/test_merge
suites_record += tests/unit/test_queue
suites_record += tests/unit/test_record
suites_record += tests/unit/test_record_compat
suites_record += tests/unit/test_record_numa
suites_record += tests/unit/test_record_waits
suites_record += tests/unit/test_recorder
suites_record += tests/unit/test_sandbox

suites_engine =
suites_engine += tests/unit/test_reconcile
suites_engine += tests/unit/test_child
suites_engine += tests/unit/test_hit_sums
suites_engine += tests/unit/test_insides
suites_engine += tests/unit/test_lock_regions
suites_engine += tests/unit/test_lock_turns
suites_engine += tests/unit/test_script_plan
suites_engine += tests/unit/test_ingest
suites_engine += tests/unit/test_intern
suites_engine += tests/unit/test_moves
suites_engine += tests/unit/test_openwaits
suites_engine += tests/unit/test_parked
suites_engine += tests/unit/test_stacksize
suites_engine += tests/unit/test_filters
suites_engine += tests/unit/test_ktypes_show
suites_engine += tests/unit/test_loads
suites_engine += tests/unit/test_wait_sums
suites_engine += tests/unit/test_target
suites_engine += tests/unit/test_batching
suites_engine += tests/unit/test_budget
suites_engine += tests/unit/test_container
suites_engine += tests/unit/test_push
suites_engine += tests/unit/test_ceiling
suites_engine += tests/unit/test_when
suites_engine += tests/unit/test_proclist
suites_engine += tests/unit/test_unseen
suites_engine += tests/unit/test_stack_completion

suites_ui =
suites_ui += tests/unit/test_annotate
suites_ui += tests/unit/test_annotator
suites_ui += tests/unit/test_baseline
suites_ui += tests/unit/test_builder
suites_ui += tests/unit/test_canvas
suites_ui += tests/unit/test_find
suites_ui += tests/unit/test_flamelayout
suites_ui += tests/unit/test_history
suites_ui += tests/unit/test_keymap
suites_ui += tests/unit/test_layout
suites_ui += tests/unit/test_numapane
suites_ui += tests/unit/test_remember
suites_ui += tests/unit/test_save
suites_ui += tests/unit/test_scanner
suites_ui += tests/unit/test_screenout
suites_ui += tests/unit/test_style
suites_ui += tests/unit/test_term
suites_ui += tests/unit/test_timeview
suites_ui += tests/unit/test_outline
suites_ui += tests/unit/test_treejoin
suites_ui += tests/unit/test_treeview

suites_view =
suites_view += tests/unit/test_view
suites_view += tests/unit/test_view_annot
suites_view += tests/unit/test_view_big
suites_view += tests/unit/test_view_filter
suites_view += tests/unit/test_view_flame
suites_view += tests/unit/test_view_locks
suites_view += tests/unit/test_view_manners
suites_view += tests/unit/test_view_monkey
suites_view += tests/unit/test_view_mouse
suites_view += tests/unit/test_view_numa
suites_view += tests/unit/test_view_options
suites_view += tests/unit/test_view_pace
suites_view += tests/unit/test_view_panes
suites_view += tests/unit/test_view_pick
suites_view += tests/unit/test_view_memory
suites_view += tests/unit/test_view_probes
suites_view += tests/unit/test_view_time

slow_tests += tests/unit/test_replay
slow_tests += tests/unit/test_recorder
slow_tests += tests/unit/test_terms
tests/unit/suites_capture-test_features.$(OBJEXT): bpf/sberf.skel.h bpf/sberf_plain.skel.h

suite_groups =
suites =
suite_groups += tests/unit/suites-base
suites += $(suites_base)
$(suites_base): tests/unit/suites-base$(EXEEXT)
	$(suite_name)
tests_unit_suites_base_SOURCES = $(suites_base:=.c) $(suite_sources)
tests_unit_suites_base_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_base_LDFLAGS = $(suite_ldflags)
tests_unit_suites_base_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-capture
suites += $(suites_capture)
$(suites_capture): tests/unit/suites-capture$(EXEEXT)
	$(suite_name)
tests_unit_suites_capture_SOURCES = $(suites_capture:=.c) $(suite_sources)
tests_unit_suites_capture_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_capture_LDFLAGS = $(suite_ldflags)
tests_unit_suites_capture_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-numa
suites += $(suites_numa)
$(suites_numa): tests/unit/suites-numa$(EXEEXT)
	$(suite_name)
tests_unit_suites_numa_SOURCES = $(suites_numa:=.c) $(suite_sources)
tests_unit_suites_numa_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_numa_LDFLAGS = $(suite_ldflags)
tests_unit_suites_numa_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-probe
suites += $(suites_probe)
$(suites_probe): tests/unit/suites-probe$(EXEEXT)
	$(suite_name)
tests_unit_suites_probe_SOURCES = $(suites_probe:=.c) $(suite_sources)
tests_unit_suites_probe_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_probe_LDFLAGS = $(suite_ldflags)
tests_unit_suites_probe_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-process
suites += $(suites_process)
$(suites_process): tests/unit/suites-process$(EXEEXT)
	$(suite_name)
tests_unit_suites_process_SOURCES = $(suites_process:=.c) $(suite_sources)
tests_unit_suites_process_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_process_LDFLAGS = $(suite_ldflags)
tests_unit_suites_process_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-symbol
suites += $(suites_symbol)
$(suites_symbol): tests/unit/suites-symbol$(EXEEXT)
	$(suite_name)
tests_unit_suites_symbol_SOURCES = $(suites_symbol:=.c) $(suite_sources)
tests_unit_suites_symbol_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_symbol_LDFLAGS = $(suite_ldflags)
tests_unit_suites_symbol_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-unwind
suites += $(suites_unwind)
$(suites_unwind): tests/unit/suites-unwind$(EXEEXT)
	$(suite_name)
tests_unit_suites_unwind_SOURCES = $(suites_unwind:=.c) $(suite_sources)
tests_unit_suites_unwind_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_unwind_LDFLAGS = $(suite_ldflags)
tests_unit_suites_unwind_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-profile
suites += $(suites_profile)
$(suites_profile): tests/unit/suites-profile$(EXEEXT)
	$(suite_name)
tests_unit_suites_profile_SOURCES = $(suites_profile:=.c) $(suite_sources)
tests_unit_suites_profile_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_profile_LDFLAGS = $(suite_ldflags)
tests_unit_suites_profile_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-export
suites += $(suites_export)
$(suites_export): tests/unit/suites-export$(EXEEXT)
	$(suite_name)
tests_unit_suites_export_SOURCES = $(suites_export:=.c) $(suite_sources)
tests_unit_suites_export_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_export_LDFLAGS = $(suite_ldflags)
tests_unit_suites_export_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-record
suites += $(suites_record)
$(suites_record): tests/unit/suites-record$(EXEEXT)
	$(suite_name)
tests_unit_suites_record_SOURCES = $(suites_record:=.c) $(suite_sources)
tests_unit_suites_record_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_record_LDFLAGS = $(suite_ldflags)
tests_unit_suites_record_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-engine
suites += $(suites_engine)
$(suites_engine): tests/unit/suites-engine$(EXEEXT)
	$(suite_name)
tests_unit_suites_engine_SOURCES = $(suites_engine:=.c) $(suite_sources)
tests_unit_suites_engine_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_engine_LDFLAGS = $(suite_ldflags)
tests_unit_suites_engine_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-ui
suites += $(suites_ui)
$(suites_ui): tests/unit/suites-ui$(EXEEXT)
	$(suite_name)
tests_unit_suites_ui_SOURCES = $(suites_ui:=.c) $(suite_sources)
tests_unit_suites_ui_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_ui_LDFLAGS = $(suite_ldflags)
tests_unit_suites_ui_LDADD = $(suite_ldadd)
suite_groups += tests/unit/suites-view
suites += $(suites_view)
$(suites_view): tests/unit/suites-view$(EXEEXT)
	$(suite_name)
tests_unit_suites_view_SOURCES = $(suites_view:=.c) $(suite_sources)
tests_unit_suites_view_CPPFLAGS = $(suite_cppflags)
tests_unit_suites_view_LDFLAGS = $(suite_ldflags)
tests_unit_suites_view_LDADD = $(suite_ldadd)

# On their own.
unit_tests += tests/unit/test_options
tests_unit_test_options_SOURCES = tests/unit/test_options.c src/cmd/filter_options.c src/cmd/options.c src/cmd/optable.c
unit_tests += tests/unit/test_rulebook
tests_unit_test_rulebook_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=bpf_map_update_elem -Wl,--wrap=bpf_map_delete_elem
unit_tests += tests/unit/test_record_nomem
tests_unit_test_record_nomem_SOURCES = tests/unit/test_record_nomem.c $(synth)
tests_unit_test_record_nomem_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
unit_tests += tests/unit/test_top_targets
tests_unit_test_top_targets_SOURCES = tests/unit/test_top_targets.c src/cmd/top_targets.c src/cmd/top_page.c src/cmd/filter_options.c
unit_tests += tests/unit/test_process_live
unit_tests += tests/unit/test_learn
tests_unit_test_learn_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=bpf_map_update_elem -Wl,--wrap=bpf_map_delete_elem -Wl,--wrap=clock_gettime
# The rules of this one are those of its own program: all of them are to be sound.
unit_tests += tests/unit/test_unwind_rows
unit_tests += tests/unit/test_data_access
# Takes in the tables of measures and kinds, with rows of its own.
unit_tests += tests/unit/test_measure
tests_unit_test_measure_SOURCES = tests/unit/test_measure.c src/cmd/merge.c src/cmd/pipes.c
tests_unit_test_measure_LDADD = $(unit_libraries) $(LDADD)
unit_tests += tests/unit/test_probes
tests_unit_test_probes_LDADD = $(unit_libraries) $(LDADD)
unit_tests += tests/unit/test_lookup
unit_tests += tests/unit/test_oomkills
unit_tests += tests/unit/test_kstacks
unit_tests += tests/unit/test_lib_nomem
tests_unit_test_lib_nomem_SOURCES = tests/unit/test_lib_nomem.c tests/unit/fail_alloc.c tests/unit/fail_alloc.h
tests_unit_test_lib_nomem_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
# Takes all of libsberf_core.a, and no other library than it may need.
unit_tests += tests/unit/test_core
tests_unit_test_core_SOURCES = tests/unit/test_core.c tests/unwind/fixture.c tests/unwind/fixture.h
tests_unit_test_core_LDADD = $(WHOLE_ARCHIVE) libsberf_core.a $(NO_WHOLE_ARCHIVE) $(CMOCKA_LIBS) $(core_libs)
tests_unit_test_core_DEPENDENCIES = libsberf_core.a

unit_helpers += tests/unit/make_recordings
tests_unit_make_recordings_SOURCES = tests/unit/make_recordings.c $(synth) $(big)
CLEANFILES += $(suites)
EXTRA_DIST += tests/data/example.sberf tests/data/v1.sberf tests/data/v1.txt tests/data/v1_1.sberf tests/data/v1_1.txt
EXTRA_DIST += tests/data/v1_2.sberf tests/data/v1_2.txt
EXTRA_DIST += tests/data/v1_3.sberf tests/data/v1_3.txt
EXTRA_DIST += tests/data/newer.sberf
EXTRA_DIST += tests/data/symbol/aarch64-plt-plain.so tests/data/symbol/aarch64-plt-bti.so tests/data/symbol/vmlinux-6.1.0-57-amd64
EXTRA_DIST += tests/data/symbol/port-x.ko
EXTRA_DIST += tests/data/unwind/aarch64-plain.bin tests/data/unwind/aarch64-pac.bin tests/data/unwind/aarch64-debug.bin
EXTRA_DIST += tests/golden
EXTRA_DIST += tests/fixtures
# What this one loads, and the program that it is run in, are looked for beside it.
unit_tests += tests/unit/test_plugins
plugin_fixtures = tests/unit/misbehaves.so tests/unit/wrong_abi.so tests/unit/sberf-worker
check_DATA += $(plugin_fixtures)
CLEANFILES += $(plugin_fixtures)
EXTRA_DIST += tests/plugin/misbehaves.c tests/plugin/misbehaves.h
tests/unit/misbehaves.so: tests/plugin/misbehaves.c tests/plugin/misbehaves.h src/include/sberf/plugin.h
	$(AM_V_CC)$(CC) -std=gnu11 $(WARN_CFLAGS) -O1 -fPIC -shared -I$(top_srcdir)/src/include -o $@ $(top_srcdir)/tests/plugin/misbehaves.c
tests/unit/wrong_abi.so: tests/plugin/misbehaves.c tests/plugin/misbehaves.h src/include/sberf/plugin.h
	$(AM_V_CC)$(CC) -std=gnu11 $(WARN_CFLAGS) -DWRONG_ABI=99 -O1 -fPIC -shared -I$(top_srcdir)/src/include -o $@ \
		$(top_srcdir)/tests/plugin/misbehaves.c
tests/unit/sberf-worker: sberf-worker
	$(AM_V_GEN)ln -sf ../../sberf-worker $@
