# SPDX-License-Identifier: BSD-2-Clause
# One fuzzer per parser. tests/fuzz/fuzz_NAME.c defines LLVMFuzzerTestOneInput(); its corpus is tests/fuzz/corpus/NAME/.
# `make check` replays every corpus, with any compiler. A build with --enable-fuzzers links libFuzzer, and then
# `tests/fuzz/fuzz_NAME DIR` looks for more. A target needs three lines:
#   fuzz_targets += tests/fuzz/fuzz_NAME
#   tests_fuzz_fuzz_NAME_SOURCES = tests/fuzz/fuzz_NAME.c $(fuzz_main)
#   tests_fuzz_fuzz_NAME_LDADD = $(fuzz_ldadd)
if FUZZERS
fuzz_main = tests/fuzz/options.c
else
fuzz_main = tests/fuzz/replay.c
endif
# The terminal is not fuzzed, so that `make fuzz` need not build it.
fuzz_ldadd = $(FUZZ_LIBS) libsberf_engine.a libsberf_api.a libsberf_core.a $(engine_libs)

# Checksums that fit.
fuzz_seal = tests/fuzz/seal.c tests/fuzz/seal.h

fuzz_targets += tests/fuzz/fuzz_parse
tests_fuzz_fuzz_parse_SOURCES = tests/fuzz/fuzz_parse.c $(fuzz_main)
tests_fuzz_fuzz_parse_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_recording
tests_fuzz_fuzz_recording_SOURCES = tests/fuzz/fuzz_recording.c $(fuzz_seal) $(fuzz_main)
tests_fuzz_fuzz_recording_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_text
tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_text.c $(fuzz_main)
tests_fuzz_fuzz_text_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_image
tests_fuzz_fuzz_image_SOURCES = tests/fuzz/fuzz_image.c $(fuzz_main)
tests_fuzz_fuzz_image_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_image_message
tests_fuzz_fuzz_image_message_SOURCES = tests/fuzz/fuzz_image_message.c $(fuzz_main)
tests_fuzz_fuzz_image_message_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_unwind
tests_fuzz_fuzz_unwind_SOURCES = tests/fuzz/fuzz_unwind.c $(fuzz_main)
tests_fuzz_fuzz_unwind_LDADD = $(fuzz_ldadd)

fuzz_targets += tests/fuzz/fuzz_http
tests_fuzz_fuzz_http_SOURCES = tests/fuzz/fuzz_http.c $(fuzz_main)
tests_fuzz_fuzz_http_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_serve
tests_fuzz_fuzz_serve_SOURCES = tests/fuzz/fuzz_serve.c $(fuzz_main)
tests_fuzz_fuzz_serve_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_record
tests_fuzz_fuzz_record_SOURCES = tests/fuzz/fuzz_record.c $(fuzz_main)
tests_fuzz_fuzz_record_LDADD = $(fuzz_ldadd)
check_PROGRAMS += $(fuzz_targets)
shell_tests += tests/fuzz/found.sh tests/fuzz/replay.sh
slow_tests += tests/fuzz/found.sh
# It counts what is done within seconds.
watching_tests += tests/fuzz/found.sh
EXTRA_DIST += tests/fuzz/README.md tests/fuzz/corpus tests/fuzz/options.c tests/fuzz/replay.c tests/fuzz/run.sh

# `make fuzz SECONDS=600`: each target looks for so long, in turn; FUZZ="elf export" are some of them. What they find is kept.
SECONDS = 60
FUZZ = $(fuzz_targets:tests/fuzz/fuzz_%=%)
fuzz_found = tests/fuzz/found

.PHONY: fuzz fuzz-targets
fuzz-targets: $(BUILT_SOURCES)
	@$(MAKE) $(AM_MAKEFLAGS) $(fuzz_targets)
fuzz: fuzz-targets
	@bash $(srcdir)/tests/fuzz/run.sh '$(SECONDS)' $(fuzz_found) $(FUZZ:%=tests/fuzz/fuzz_%)
fuzz_targets += tests/fuzz/fuzz_decode
tests_fuzz_fuzz_decode_SOURCES = tests/fuzz/fuzz_decode.c $(fuzz_main)
tests_fuzz_fuzz_decode_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_perf_record
tests_fuzz_fuzz_perf_record_SOURCES = tests/fuzz/fuzz_perf_record.c $(fuzz_main)
tests_fuzz_fuzz_perf_record_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_maps
tests_fuzz_fuzz_maps_SOURCES = tests/fuzz/fuzz_maps.c $(fuzz_main)
tests_fuzz_fuzz_maps_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_elf
tests_fuzz_fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c $(fuzz_main)
tests_fuzz_fuzz_elf_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_jit
tests_fuzz_fuzz_jit_SOURCES = tests/fuzz/fuzz_jit.c $(fuzz_main)
tests_fuzz_fuzz_jit_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_kallsyms
tests_fuzz_fuzz_kallsyms_SOURCES = tests/fuzz/fuzz_kallsyms.c $(fuzz_main)
tests_fuzz_fuzz_kallsyms_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_probe_notes
tests_fuzz_fuzz_probe_notes_SOURCES = tests/fuzz/fuzz_probe_notes.c $(fuzz_main)
tests_fuzz_fuzz_probe_notes_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_numa_state
tests_fuzz_fuzz_numa_state_SOURCES = tests/fuzz/fuzz_numa_state.c $(fuzz_main)
tests_fuzz_fuzz_numa_state_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_access
tests_fuzz_fuzz_access_SOURCES = tests/fuzz/fuzz_access.c $(fuzz_main)
tests_fuzz_fuzz_access_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_import
tests_fuzz_fuzz_import_SOURCES = tests/fuzz/fuzz_import.c $(fuzz_main)
tests_fuzz_fuzz_import_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_merge
tests_fuzz_fuzz_merge_SOURCES = tests/fuzz/fuzz_merge.c src/cmd/merge.c src/cmd/pipes.c $(fuzz_seal) $(fuzz_main)
tests_fuzz_fuzz_merge_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_export
tests_fuzz_fuzz_export_SOURCES = tests/fuzz/fuzz_export.c tests/fuzz/wellformed.c tests/fuzz/wellformed.h $(fuzz_main)
tests_fuzz_fuzz_export_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_plugin
tests_fuzz_fuzz_plugin_SOURCES = tests/fuzz/fuzz_plugin.c src/plugin/sandbox.c src/plugin/serving.c $(fuzz_main)
tests_fuzz_fuzz_plugin_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_raw
tests_fuzz_fuzz_raw_SOURCES = tests/fuzz/fuzz_raw.c $(fuzz_main)
tests_fuzz_fuzz_raw_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_spec
tests_fuzz_fuzz_spec_SOURCES = tests/fuzz/fuzz_spec.c $(fuzz_main)
tests_fuzz_fuzz_spec_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_site
tests_fuzz_fuzz_site_SOURCES = tests/fuzz/fuzz_site.c $(fuzz_main)
tests_fuzz_fuzz_site_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_tracepoint
tests_fuzz_fuzz_tracepoint_SOURCES = tests/fuzz/fuzz_tracepoint.c $(fuzz_main)
tests_fuzz_fuzz_tracepoint_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_trace
tests_fuzz_fuzz_trace_SOURCES = tests/fuzz/fuzz_trace.c $(fuzz_main)
tests_fuzz_fuzz_trace_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_params
tests_fuzz_fuzz_params_SOURCES = tests/fuzz/fuzz_params.c $(fuzz_main)
tests_fuzz_fuzz_params_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_branch
tests_fuzz_fuzz_branch_SOURCES = tests/fuzz/fuzz_branch.c $(fuzz_main)
tests_fuzz_fuzz_branch_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_bpfcode
tests_fuzz_fuzz_bpfcode_SOURCES = tests/fuzz/fuzz_bpfcode.c $(fuzz_main)
tests_fuzz_fuzz_bpfcode_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_kcore
tests_fuzz_fuzz_kcore_SOURCES = tests/fuzz/fuzz_kcore.c $(fuzz_main)
tests_fuzz_fuzz_kcore_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_relocated
tests_fuzz_fuzz_relocated_SOURCES = tests/fuzz/fuzz_relocated.c $(fuzz_main)
tests_fuzz_fuzz_relocated_LDADD = $(fuzz_ldadd)
fuzz_targets += tests/fuzz/fuzz_ktypes
tests_fuzz_fuzz_ktypes_SOURCES = tests/fuzz/fuzz_ktypes.c $(fuzz_main)
tests_fuzz_fuzz_ktypes_LDADD = $(fuzz_ldadd)
