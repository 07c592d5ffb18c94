#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# capture_nodes.sh - page faults with their addresses and stacks, and where threads are at home, as the kernel half tells them. What needs
# several nodes is shown in a guest (tests/qemu/numa.sh).
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"
. "$top_srcdir/tests/live/dump.sh"

bin=$top_builddir/tests/workloads/bin

# Two emulated kernels share these: loading the programs takes each capture twenty seconds there.
if on_share first; then
	# 300 MB, a fault a page; what is sampled stands for all of them, and for the few of the program's start.
	capture -N -o -F 99 -- "$bin/toucher" 300
	is "a storm of faults is thinned out" "fault_samples > 20 && fault_samples < faults / 10"
	is "what is told stands for all, within a tenth" "faults > 76800 * 90 / 100 && faults < 77500 * 110 / 100"
	is "with registers and stack" "fault_stacks >= fault_samples * 95 / 100"
	is "of the target only" "other_pids == 0 && own == 0"
	is "nothing is lost" "lost == 0 && late == 0"

	capture -o -F 99 -- "$bin/toucher" 50
	is "faults that are not asked for do not come" "faults == 0 && homes == 0"
fi

if on_share second; then
	capture -N -o -F 99 -- "$bin/naps" 0 23 40
	is "each thread says on which node it is" "homes == 1 && wrong_nodes == 0"
	is "threads that stay on their node do not move" "moves == told_moves"

	capture -a -N -o -F 99 -- "$bin/toucher" 100 300
	is "sberf is not seen" "own == 0 && homes > 1"
fi
finish
