#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_hops.sh - stacks in the kernel that are read by hops (bpf/hops.bpf.h): they are those that the kernel's unwinder tells.
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

# What differs at most is what is asked of walks by rules: one of 2,000. (Code that the kernel makes at run time, as BPF programs, is at times left
# out by the unwinder, and then that differs.)
# For longer where the machine is so busy that there are few.
for seconds in 3 15; do
	record calls.data -F 1999 --no-off-cpu --unwind kernel --verify-unwind 1 -- /bin/sh -c "timeout -s KILL $seconds /bin/sh calls.sh; exit 0"
	checked=$(value calls.data verify_kernel_checked)
	[ "$checked" -lt 1000 ] || break
done
different=$(value calls.data verify_kernel_different)
note "$(value calls.data oncpu_samples) samples, $checked stacks of the kernel known and compared, $different differ"
at_least "stacks that were known and compared" 1000 "$checked"
check "at most one of 2,000 differs" [ $((different * 2000)) -le "$checked" ]

# Without bpf_loop() there are none, and the same is told.
SBERF_WITHOUT=loops record without.data -F 499 --no-off-cpu --unwind kernel --verify-unwind 1 -- \
	/bin/sh -c 'timeout -s KILL 1 /bin/sh calls.sh; exit 0'
equal "without bpf_loop() none is known" 0 "$(value without.data verify_kernel_checked)"
finish
