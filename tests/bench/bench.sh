#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# bench.sh [export] - every figure that sberf claims of its speed and size, measured here and now: `make bench`. Nothing is
# judged. With "export" only those of what is written: `make bench-export`.
set -eu
cd "$top_builddir"
bench=$top_builddir/tests/bench

title() {
	printf '\n== %s\n' "$*"
}

# as_root SCRIPT: what captures.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		bash "$1"
	else
		echo "needs root"
	fi
}

exports() {
	title "reports of folded stacks: seconds with reading them, and of CPU; flame graphs in a browser"
	if command -v python3 >/dev/null; then
		python3 "$top_srcdir/tests/bench/export.py"
	else
		echo "python3 is not installed"
	fi
	title "a recording on disk, and formats that tell of each sample"
	as_root "$top_srcdir/tests/bench/export.sh"
}

if [ "${1-}" = export ]; then
	exports
	exit
fi

title "unwinding: ns a frame, the same stack again (hot) and many stacks (cold)"
for program in "$(gcc -print-prog-name=cc1plus) -quiet -O2 -o /dev/null" "/usr/bin/python3 -c"; do
	case $program in
	*cc1plus*)
		source=$(mktemp --suffix=.cc)
		printf '#include <regex>\nint main() { std::regex r("(a|b)*c"); return std::regex_match("x", r); }\n' >"$source"
		# shellcheck disable=SC2086  # a command line
		"$bench/bench_unwind" $program "$source" || :
		rm -f "$source"
		;;
	*python3*)
		"$bench/bench_unwind" /usr/bin/python3 -c 'def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
f(32)' || :
		;;
	esac
done

title "the profile: adding, snapshots, trees"
"$bench/bench_profile"

title "the view of 100,000 stacks and 2,000 threads: keys, building, refreshes"
"$bench/bench_view"
title "the same from outside: a terminal, keys, a recording, and live"
bash "$top_srcdir/tests/bench/view.sh"

title "time off the CPU: fitting events to totals"
"$bench/bench_account"

title "addresses of accesses: ns a sample, and of the thread that decodes for each new place"
"$bench/bench_access"

title "nodes of pages: a page, a survey, mappings; a process of 1,000 mappings and one of 20,000"
"$bench/bench_placement"
"$bench/bench_placement" 20000

title "a recording without a kernel"
"$bench/recording"
title "the same of waits with wakers"
"$bench/recording" 20000 waits

title "libsberf beside libdwfl: ns a frame and a name"
"$bench/bench_lib" || :

title "names"
bash "$top_srcdir/tests/bench/symbols.sh"

title "sberf record beside perf record --call-graph dwarf"
as_root "$top_srcdir/tests/bench/record.sh"

title "stacks walked in the kernel by learnt rules, and copied"
as_root "$top_srcdir/tests/bench/walk.sh"

title "frames of Python, and what a program of them loses"
as_root "$top_srcdir/tests/bench/python.sh"

title "following waits beside offcputime and perf record"
as_root "$top_srcdir/tests/bench/offcpu.sh"

title "walking in the kernel beside offcputime and perf record: a storm of switches, and programs"
as_root "$top_srcdir/tests/bench/reach.sh"

title "probes: ns an event, beside bpftrace, perf trace and strace"
as_root "$top_srcdir/tests/bench/probes.sh"

title "memory: ns a pair of malloc() and free(), beside heaptrack, valgrind, perf and bpftrace, and whole programs"
as_root "$top_srcdir/tests/bench/memory.sh"

title "an agent of the whole machine, idle and busy, beside perf record"
as_root "$top_srcdir/tests/bench/agent.sh"

title "a page of the whole machine in a browser, beside the view in a terminal"
if command -v python3 >/dev/null && command -v chromium >/dev/null; then
	as_root "$top_srcdir/tests/bench/page.sh"
else
	echo "python3 or chromium is not installed"
fi

title "memory of an agent while processes and cgroups come and go"
as_root "$top_srcdir/tests/bench/week.sh"
"$bench/bench_day"

title "what grows with threads and samples"
as_root "$top_srcdir/tests/bench/scale.sh"

title "privileges in a program of their own: --split beside one process"
as_root "$top_srcdir/tests/bench/split.sh"

title "asking where accesses go"
as_root "$top_srcdir/tests/bench/numa.sh"

exports
