#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The scripts of live.sh that are about branches and calls of functions of the kernel and of BPF programs: they take four minutes of each
# guest, and run when something that they are about has changed.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/passed.sh"
skip_unless_changed tests/qemu/live_branches.sh tests/qemu/{live,guest}.sh tests/live/{branches_bpf,branches_kernel,live}.sh 'bpf/*.[ch]' \
	'src/'{annotate,branch,capture,probe,process,symbol,system}'/*.[ch]' 'src/cmd/branch*.[ch]' \
	tests/workloads/refused.c tests/live/drops\* tests/data/symbol/vmlinux-\*
part=branches part_scripts='branches_bpf branches_kernel'
. "$top_srcdir/tests/qemu/live.sh"
