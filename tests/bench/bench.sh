#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# bench.sh - every figure that sberf claims of its speed and size, measured here and now: `make bench`. Nothing is judged.
set -eu
cd "$top_builddir"
bench=$top_builddir/tests/bench

title() {
	printf '\n== %s\n' "$*"
}

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

title "time off the CPU: fitting events to totals"
"$bench/bench_account"

title "a recording without a kernel"
"$bench/recording"
title "the same of waits with wakers"
"$bench/recording" 20000 waits

title "names"
bash "$top_srcdir/tests/bench/symbols.sh"

title "sberf record beside perf record --call-graph dwarf"
if [ "$(id -u)" -eq 0 ]; then
	bash "$top_srcdir/tests/bench/record.sh"
else
	echo "needs root"
fi

title "following waits beside offcputime and perf record"
if [ "$(id -u)" -eq 0 ]; then
	bash "$top_srcdir/tests/bench/offcpu.sh"
else
	echo "needs root"
fi
