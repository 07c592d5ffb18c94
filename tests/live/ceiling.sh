#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# ceiling.sh - an agent keeps what it takes below --max-cpu in a storm of switches: rates are lowered with right weights, then waits are left out.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 99

start_workload pingpong 300 4000000000
# Of all threads, in us.
used() {
	awk '{ ns += $1 } END { printf "%d\n", ns / 1000 }' /proc/"$workload"/task/*/schedstat
}
says() {
	grep -q "$1" err || ! kill -0 $agent 2>/dev/null
}
captures() {
	grep -qs sberf-engine /proc/$agent/task/*/comm
}
: >err
"$SBERF" agent -e cpu-clock -F 99 -p "$workload" --max-cpu 0.1% --keep 1h -o f.data --when 'cpu > 900%' 2>err &
agent=$!
also_kill $agent
wait_until 60 captures
before=$(used)
wait_until 60 says "Hz instead of 99"
check "rates are lowered, and that is said" grep -qE "takes [0-9.]+ % of one CPU, and --max-cpu is 0\.1%: from now on [0-9]+ Hz instead of 99, and one of [0-9]+ waits" err
wait_until 60 says "waits are left out"
after=$(used)
check "then waits are left out" grep -q "still takes more than --max-cpu 0.1%: from now on waits are left out" err
wait_until 60 test -s f.data
told=$(value f.data oncpu_weight_us)
note "of $((after - before)) us on the CPU, $told are told"
check "weights are right all the same" test $((told * 100)) -gt $(((after - before) * 70)) -a $((told * 100)) -lt $(((after - before) * 140))
wait_until 60 captures
kill -INT $agent
wait $agent
equal "ends well" 0 $?
note "$(cat err)"
matches "says what it took" "sberf agent: took [0-9.]+ % of one CPU in all, with its start" "$(cat err)"
stop_workload

# Where the kernel does not measure BPF programs, and where somebody else has it measure them.
counted=$(cat /proc/sys/kernel/bpf_stats_enabled)
lesser() {
	setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$SBERF" "$@" 2>err
}
echo 0 >/proc/sys/kernel/bpf_stats_enabled
lesser agent --max-cpu 50% --keep 1m -o l.data --when 'cpu > 900%' -- sleep 3
note "$(cat err)"
matches "without run-time statistics: the ceiling is not for BPF programs" \
	"what its BPF programs take is not known, so --max-cpu 50% is for the rest alone: .*sysctl kernel.bpf_stats_enabled=1" "$(cat err)"
matches "and what it took is without them" "took [0-9.]+ % of one CPU in all, with its start, without its BPF programs" "$(cat err)"
lesser record -o l.data -- sleep 0.1
equal "nor are they in a recording" unknown "$(value l.data bpf_cpu_seconds)"
echo 1 >/proc/sys/kernel/bpf_stats_enabled
lesser agent --max-cpu 50% --keep 1m -o l.data --when 'cpu > 900%' -- sleep 3
equal "measured for somebody else: the ceiling is for them, too" 0 "$(grep -c 'BPF programs' err)"
lesser record -a -o m.data --duration 0.5s
echo "$counted" >/proc/sys/kernel/bpf_stats_enabled
check "and they are in a recording" test "$(value m.data bpf_cpu_seconds | tr -dc 1-9)" -gt 0

# Of a command it is known what it took of a CPU, from beginning to end: each sample weighs what it stands for, at whatever rate it was taken.
# Where waits are followed, too, the sum is that of the kernel; without them it is as good as samples are, by chance where a CPU is shared.
cat >spin.c <<'END'
#include <stdio.h>
#include <time.h>
static long long used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000ll + t.tv_nsec / 1000;
}
int main(void)
{
	while (used() < 6000000)
		;
	printf("%lld\n", used());
	return 0;
}
END
${CC:-cc} -O2 -o spin spin.c || exit 99
# weighs PERCENT OPTIONS...
weighs() {
	local percent=$1 took told samples
	shift
	"$SBERF" agent -e cpu-clock -F 3999 "$@" --max-cpu 0.05% --keep 1h -o w.data --when 'cpu > 900%' -- ./spin >used 2>err
	equal "$*: ends well with its command" 0 $?
	read -r took <used
	told=$(value w.data oncpu_weight_us) samples=$(value w.data oncpu_samples)
	note "of $took us on the CPU, $told are told by $samples samples"
	note "$(cat err)"
	check "$*: rates were lowered meanwhile" test "$samples" -lt 20000 -a "$(grep -c 'Hz instead of 3999' err)" -ge 1
	check "$*: the sum of weights is the time on the CPU, within $percent percent" \
		test $((told * 100)) -gt $((took * (100 - percent))) -a $((told * 100)) -lt $((took * (100 + percent)))
}
weighs 3 --off-cpu
weighs 15 --no-off-cpu
finish
