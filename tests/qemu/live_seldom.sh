#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The scripts of live.sh that are about what captures and what it may do, and about nothing else: they run when that has changed.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/passed.sh"
skip_unless_changed tests/qemu/live_seldom.sh tests/qemu/{live,guest}.sh tests/live/{capture_nodes,growth,permissions,live}.sh 'bpf/*.[ch]' \
	'src/capture/*.[ch]' 'src/system/*.[ch]' tests/workloads/{grows,naps,shares,toucher}.c tests/live/capture-dump.c
part=seldom part_scripts='capture_nodes growth permissions'
. "$top_srcdir/tests/qemu/live.sh"
