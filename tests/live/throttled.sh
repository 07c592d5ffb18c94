#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# throttled.sh - a program whose cgroup has used up its quota of CPU time waits for that, by the name of the cgroup, and as long as the kernel
# says, also when it is woken meanwhile; what it waits for a CPU that others have is still another thing. Quotas of both versions of cgroups
# (those of v2 on two more kernels: tests/qemu/offcpu.sh).
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
named=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
limits=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { print $2; exit }' /proc/mounts)
[ -n "$named" ] && mkdir "$named/sberf-quota-$$" 2>/dev/null || skip_all "no writable cgroup v2"
named=$named/sberf-quota-$$
groups=$named
# shellcheck disable=SC2317  # by trap
leave() {
	local dir
	tap_cleanup
	for dir in $groups; do
		wait_until 10 rmdir "$dir" 2>/dev/null
	done
}
trap leave EXIT
cd "$SCRATCH" || exit 1
if [ -n "$limits" ]; then
	limits=$limits/sberf-quota-$$
	mkdir "$limits" && groups="$groups $limits" && echo 100000 >"$limits/cpu.cfs_period_us" && echo 5000 >"$limits/cpu.cfs_quota_us" ||
		skip_all "no writable cgroup of CPUs"
else
	limits=$named
	echo +cpu >"${named%/*}/cgroup.subtree_control" && echo "5000 100000" >"$limits/cpu.max" || skip_all "no quota for a cgroup"
fi
# What else runs is not to be waited for.
echo 10000 >"$limits/$([ -e "$limits/cpu.shares" ] && echo cpu.shares || echo cpu.weight)"
# Nanoseconds for which the group could not run, on all CPUs.
throttled_ns() {
	awk '$1 == "throttled_time" { print $2 } $1 == "throttled_usec" { print 1000 * $2 }' "$limits/cpu.stat"
}
bash -c 'for group; do echo $$ >"$group/cgroup.procs" || exit; done; while :; do :; done' - $groups &
program=$!
also_kill $program
has_been_throttled() { [ "$(throttled_ns)" -gt 0 ]; }
wait_until 20 has_been_throttled
before=$(throttled_ns) begun=$(date +%s%N)
record quota.data -p $program --duration 2s
after=$(throttled_ns) ended=$(date +%s%N)
kill $program

"$SBERF" report -i quota.data --format waits >waits
note "$(head -8 waits)"
matches "a class of its own, by the name of the group" "throttled
.* cpu[.]max of /sberf-quota-$$" "$(cat waits)"
of_throttled=$("$SBERF" report -i quota.data --format folded --metric off-cpu --state throttled | awk '{ us += $NF } END { print us + 0 }')
of_queue=$("$SBERF" report -i quota.data --format folded --metric off-cpu --state preempted | awk '{ us += $NF } END { print us + 0 }')
# What cpu.stat says is of some more time than the 2 s of the recording, and it counts a period of 0.1 s when that is over.
share=$(((after - before) * 1000 / (ended - begun)))
note "throttled for $share permille of the time, by cpu.stat"
between "as long as the kernel says (permille)" $((share - 120)) $((share + 120)) $((of_throttled / 2000))
at_least "and longer than for CPUs that others have" $of_queue "$of_throttled"
equal "a letter of its own" "$of_throttled" \
	"$("$SBERF" report -i quota.data --format folded --metric off-cpu --state Q | awk '{ us += $NF } END { print us + 0 }')"
equal "in JSON by the name of the group" "/sberf-quota-$$" "$("$SBERF" report -i quota.data --format json |
	python3 -c 'import json, sys; print(*{r["group"] for r in json.load(sys.stdin)["waits"] if r.get("group")})')"

# One that sleeps and is woken while the group has no time.
limited=$WORKLOADS/limited limits=$limits record woken.data -- \
	bash -c 'for group; do echo $$ >"$group/cgroup.procs" || exit; done; exec "$limited" "$limits" 2000' - $groups >late
late=$(sed -n 's/^truth: late \([0-9]*\)[0-9][0-9][0-9] .*/\1/p' late)
of_throttled=$("$SBERF" report -i woken.data --format folded --metric off-cpu --state throttled --thread sleeper | awk '{ us += $NF } END { print us + 0 }')
note "late by $late us"
between "a thread that is woken while its group is throttled waits for that (us)" $((late * 70 / 100)) $((late * 110 / 100)) "$of_throttled"
finish
