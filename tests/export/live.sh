#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# live.sh - programs that run now, recorded, exported, and read by others: functions and times stay, and perf finds their names.
. "${top_srcdir:?is set by make check}/tests/export/round.sh"
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

start_workload handoff 60 4 100000
handoff=$workload
start_workload chain 60
result $? "workloads are ready"
check "recording them" record live.data -F 499 --duration 1s -p "$handoff,$workload"
kill -KILL "$handoff" "$workload"
wait "$handoff" "$workload" 2>/dev/null
"$sberf" report --format folded live.data | folded_functions >cpu
"$sberf" report --format folded --metric blocked live.data | folded_functions >blocked
"$sberf" report --format folded --metric off-cpu live.data | folded_functions >off
check "there are functions that run and functions that wait" grep -q -e level_5 -e ping_works cpu
check "and functions that wait" grep -q ping_waits blocked

if command -v go >/dev/null; then
	"$sberf" report --format pprof -o live.pb.gz live.data
	top_functions cpu live.pb.gz >got
	same_functions "pprof: cpu" cpu got
	top_functions blocked live.pb.gz >got
	same_functions "pprof: blocked" blocked got
	tags=$(pprof -tags -sample_index=blocked live.pb.gz)
	matches "pprof: threads" "thread: Total.*ping [0-9]+" "$tags"
	matches "pprof: the system call" "futex" "$tags"
	if command -v readelf >/dev/null; then
		id=$(readelf -n "$WORKLOADS/chain" | sed -n 's/.*Build ID: //p')
		matches "pprof: the build-id" "/chain ${id:-none}" "$(pprof -raw live.pb.gz)"
	else
		skip "readelf is not installed" "pprof: the build-id"
	fi
else
	skip "go is not installed" "pprof"
fi

"$sberf" report --format perf-script live.data >live.txt
collapse cpu-clock <live.txt | folded_functions | microseconds >got
same_functions "perf script: cpu-clock" cpu got
collapse 'offcpu-.*' <live.txt | folded_functions | microseconds >got
same_functions "perf script: offcpu-blocked and offcpu-runnable" off got

# ours: those of the functions in these programs that every compiler makes one of.
ours() {
	grep -E $'^(level_[0-9]|ping_waits|pong_waits)\t'
}
if command -v perf >/dev/null; then
	"$sberf" report --format perf-data -o live.perf.data live.data
	for event in cpu-clock:on-cpu offcpu-blocked:blocked offcpu-runnable:runnable; do
		"$sberf" report --format folded --no-inline --metric "${event#*:}" live.data | folded_functions | ours >want
		perf_script live.perf.data ,sym,symoff,dso | collapse ${event%:*} | folded_functions | microseconds | ours >got
		equal "perf finds the functions: ${event%:*}" "$(cut -f 1 want | sort)" "$(cut -f 1 got | sort)"
		same_functions "perf finds their time: ${event%:*}" want got
	done
	check "perf report reads it, too" grep -q level_5 <(perf report -i live.perf.data --stdio 2>/dev/null)
else
	skip "perf is not installed" "perf finds the functions of a program"
fi

# A program whose file and name have a newline, quotes, an escape sequence, and bytes that are no text.
bad=$SCRATCH/$'x\n(a)"\e[31m\xff\xfe'
cp "$WORKLOADS/chain" "$bad"
record bad.data -F 499 -- "$bad" 1 >/dev/null
result "$([ -s bad.data ]; echo $?)" "recording a program with a bad name"
"$sberf" report --format folded bad.data | folded_functions >want
"$sberf" report --format perf-script bad.data >bad.txt
equal "perf script: lines are what they should be" "" \
	"$(grep -avE $'^(\t *[0-9a-f]+ .*\\+0x[0-9a-f]+ \\(.*\\)|[^\t].* [0-9]+/[0-9]+ +\\[[0-9]+\\] +[0-9]+\\.[0-9]+: +[0-9]+ (cpu-clock|offcpu-blocked|offcpu-runnable):|)$' bad.txt)"
check "perf script: UTF-8" iconv -f UTF-8 -t UTF-8 -o /dev/null bad.txt
collapse cpu-clock <bad.txt | folded_functions | microseconds | ours >got
ours <want >want.ours
same_functions "perf script: functions" want.ours got
if command -v go >/dev/null; then
	"$sberf" report --format pprof -o bad.pb.gz bad.data
	top_functions cpu bad.pb.gz | ours >got
	same_functions "pprof: functions" want.ours got
	pprof -raw bad.pb.gz >raw
	check "pprof: UTF-8" iconv -f UTF-8 -t UTF-8 -o /dev/null raw
else
	skip "go is not installed" "pprof: functions"
fi
if command -v perf >/dev/null; then
	"$sberf" report --format perf-data -o bad.perf.data bad.data
	perf_script bad.perf.data "" | grep -c 'cpu-clock: *$' >got
	equal "perf.data: samples" "$(grep -ac 'cpu-clock:$' bad.txt)" "$(cat got)"
else
	skip "perf is not installed" "perf.data: samples"
fi

# A function whose name has 20,000 bytes, as those of templates have.
name=f$(printf 'x%.0s' $(seq 19999))
cat >long.c <<END
#include <time.h>
__attribute__((noinline)) int $name(void) { volatile int s = 0; while (s < 1000000) s = s + 1; return s; }
int main(void) { const time_t end = time(0) + 2; int s = 0; while (time(0) < end) s ^= $name(); return s == 1; }
END
${CC:-cc} -O1 -o long long.c || exit 99
name=${name#f}                   # pictures leave out what the name before begins with, too
record long.data -F 499 -- ./long >/dev/null
for format in folded tree flat svg html json speedscope firefox perf-script; do
	"$sberf" report --format $format long.data >out
	check "a long name is whole in $format" grep -qa "$name" out
done
check "a long name is whole in what is imported" grep -qa "$name" <("$sberf" report --import perf-script --format folded out)
"$sberf" report --format pprof long.data | gzip -dc >out
check "a long name is whole in pprof" grep -qa "$name" out
cp long.data other.data
"$sberf" diff --format folded long.data other.data >out
check "a long name is whole in a comparison" grep -qa "$name" out
finish
