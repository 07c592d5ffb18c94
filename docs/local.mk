# SPDX-License-Identifier: BSD-2-Clause
# docs: manual pages and completion, made from the tables of options and keys, and descriptions of formats ("EXTRA_DIST += docs/FILE" a line).
#
# The generator runs on the machine that builds, so it is compiled by CC_FOR_BUILD and linked with nothing.
generator_sources = docs/generate.c src/base/units.c src/cmd/optable.c src/export/exporters.c src/model/measure.c src/probe/kinds.c ui/keymap.c
EXTRA_DIST += docs/generate.c
CLEANFILES += docs/exporters.c docs/generate$(EXEEXT) $(man1_MANS) $(man3_MANS) $(man7_MANS) docs/completion/sberf

man1_MANS = docs/sberf.1 docs/sberf-top.1 docs/sberf-record.1 docs/sberf-report.1 docs/sberf-merge.1 docs/sberf-check.1 docs/sberf-diff.1 docs/sberf-doctor.1 docs/sberf-list.1 docs/sberf-trace.1 docs/sberf-symbolize.1 docs/sberf-bpf.1 docs/sberf-branches.1 docs/sberf-serve.1 docs/sberf-agent.1
man7_MANS = docs/sberf-probe.7
man3_MANS = docs/sberf-plugin.3 docs/sberf-symbolize.3 docs/sberf-unwind.3
completiondir = $(datadir)/bash-completion/completions
completion_DATA = docs/completion/sberf

# A unit of systemd, which knows where sberf is installed.
systemdsystemunitdir = $(prefix)/lib/systemd/system
systemdsystemunit_DATA = docs/sberf-agent.service
CLEANFILES += docs/sberf-agent.service
EXTRA_DIST += docs/sberf-agent.service.in
docs/sberf-agent.service: docs/sberf-agent.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed 's,@bin[d]ir@,$(bindir),' $< >$@.tmp && mv $@.tmp $@

# What exporters say of themselves, without the functions that write (src/export/exporter.h).
docs/exporters.c: $(wildcard $(top_srcdir)/src/export/*.c)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { echo '#include "export/exporter.h"'; \
		sed -n '/^const struct exporter exporter_.* = {$$/,/^};$$/{/^[[:space:]]*\.write = /d;p;}' $^; } >$@.tmp && mv $@.tmp $@

docs/generate$(EXEEXT): $(generator_sources) docs/exporters.c src/cmd/optable.h src/cmd/options.h src/export/exporter.h \
		src/model/event.h src/model/measure.h src/model/reasons.h src/model/wait.h src/probe/kinds.h ui/keymap.h ui/panes/list.h config.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC_FOR_BUILD) -std=gnu11 $(CFLAGS_FOR_BUILD) \
		-I$(top_builddir) -iquote $(top_srcdir)/src -iquote $(top_srcdir) -o $@ \
		$(addprefix $(top_srcdir)/,$(generator_sources)) docs/exporters.c

docs/%.1: docs/generate$(EXEEXT)
	$(AM_V_GEN)docs/generate$(EXEEXT) man $* >$@.tmp && mv $@.tmp $@

# What other programs may call: the headers are its description.
EXTRA_DIST += docs/header3.awk
docs/sberf-%.3: src/include/sberf/%.h docs/header3.awk
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(AWK) -v name=sberf-$* -v date=$(RELEASE_DATE) -v version=$(PACKAGE_VERSION) \
		-f $(top_srcdir)/docs/header3.awk $< >$@.tmp && mv $@.tmp $@

docs/%.7: docs/generate$(EXEEXT)
	$(AM_V_GEN)docs/generate$(EXEEXT) man $* >$@.tmp && mv $@.tmp $@

docs/completion/sberf: docs/generate$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && docs/generate$(EXEEXT) completion >$@.tmp && mv $@.tmp $@
# Pages that README.md leads to.
EXTRA_DIST += docs/commands.md docs/comparing.md docs/formats.md docs/install.md docs/limits.md docs/nodes.md
EXTRA_DIST += docs/branches.md docs/containers.md docs/fleet.md docs/library.md docs/locks.md docs/memory.md docs/permissions.md docs/plugins.md docs/probes.md docs/python.md docs/recordings.md docs/serve.md docs/view.md docs/waiting.md
EXTRA_DIST += docs/architecture.md
EXTRA_DIST += docs/json-format.md
EXTRA_DIST += docs/kernels.md
EXTRA_DIST += docs/sizes.md
EXTRA_DIST += $(addprefix docs/examples/,Makefile leak.bpf.c leak.c leak.patch plugin.c profile.bpf.c profile.c stacks.bpf.c stacks.c toy.c)
# Pictures of the view: `make screens` draws them anew, from what real programs do on this machine. ONLY='flame time' are those alone.
EXTRA_DIST += docs/screens.md docs/screens.py docs/screens docs/serve.py
shell_tests += docs/screens.sh
watching_tests += docs/screens.sh
.PHONY: screens
screens: all
	$(AM_TESTS_ENVIRONMENT) SCREENS_ONLY='$(ONLY)' SCREENS='$(abs_top_srcdir)/docs/screens' SCREENS_AGE=12 bash $(top_srcdir)/docs/screens.sh
EXTRA_DIST += docs/recording-format.md
EXTRA_DIST += docs/sberf-diff.schema.json
EXTRA_DIST += docs/sberf-profile.schema.json
