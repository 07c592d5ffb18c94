#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_kstack.sh - stacks in the kernel that are read by hops (bpf/kstack.bpf.h): of what runs and of what waits, they are those that the
# kernel's unwinder tells.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

value() {
	"$SBERF" report -i "$1" --format summary | sed -n "s/^$2: //p"
}

# Both ends of pipes in all sizes, files, names of files: many ways through the kernel, most of the time is spent there.
cat >calls.sh <<'END'
(while :; do head -c 300000 /dev/zero | cat | wc -c; done) >/dev/null &
(while :; do ls -lR /usr/share/doc 2>/dev/null | head -n 2000 | md5sum; done) >/dev/null &
exec dd if=/dev/zero bs=64 status=none | dd of=/dev/null bs=4k status=none
END

# compared TITLE OPTIONS...: with every stack compared. What differs at most is what is asked of walks by rules: one of 2,000. (Code that the
# kernel makes at run time, as BPF programs, is at times left out by the unwinder, and then that differs.)
compared() {
	local title=$1
	shift
	record calls.data --unwind kernel --verify-unwind 1 "$@" -- /bin/sh -c 'timeout -s KILL 5 /bin/sh calls.sh; exit 0'
	samples=$(value calls.data user_samples)
	checked=$(value calls.data verify_checked)
	different=$(value calls.data verify_kernel)
	note "$title: $samples samples, $checked stacks compared, $different of the kernel differ"
	check "$title: at most one of 2,000 of the kernel's stacks differs" [ $((different * 2000)) -le "$checked" ]
}

# Without waits, of each sample one user stack at most is compared; the rest are stacks of the kernel.
compared "samples" -F 1999 --no-off-cpu --duration 5s
at_least "samples: stacks of the kernel that were known and compared" 500 $((checked - samples))
compared "samples and waits" -F 499 --duration 5s
at_least "samples and waits: compared" 2000 "$checked"
finish
