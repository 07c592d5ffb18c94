#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# branches.sh - `sberf branches` on functions of programs: which branches calls took, and where those that fail part from the others,
# as the source of the program says; recursion, tail calls and longjmp(); Python, which has no debug information.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
[ -x /usr/bin/python3 ] || skip_all "python3 is not installed"
CC=$(command -v gcc || command -v clang) || skip_all "there is no C compiler"
cp "$top_srcdir/tests/live/parting.c" "$SCRATCH" && cd "$SCRATCH" || exit 1
"$CC" -O1 -fno-optimize-sibling-calls -g -o parting parting.c || exit 99
"$CC" -O2 -o tailing parting.c || exit 99

# begin PROGRAM...: runs it as $pid, with its input at $to.
begin() {
	rm -f in out
	mkfifo in
	"$@" <in >out &
	pid=$!
	also_kill $pid
	exec {to}>in
	wait_until 20 grep -q ready out
}

# branches WHAT OPTIONS...: follows branches to the file got while $pid does WHAT, lines of it, which it answers one by one.
branches() {
	local what=$1 had
	shift
	: >err
	"$SBERF" branches --budget none -p "$pid" "$@" >got 2>err &
	recorder=$!
	also_kill $recorder
	wait_until 60 probes_placed branches
	had=$(wc -l <out)
	printf '%s\n' "$what" >&"$to"
	wait_until 60 answered out $((had + $(wc -l <<<"$what")))
	kill -INT $recorder
	wait $recorder
}

# line TEXT: its number in the source.
line() {
	grep -nF "$1" parting.c | head -n 1 | cut -d : -f 1
}

begin ./parting
first=$(line 'if (number % 10 == 7)') second=$(line 'if (number / 10 == limit')

# Where failures part.
branches "check 100" u:parting:check --part 'retval < 0'
equal "status" 0 $?
note "$(cat err got)"
matches "the price is said first" "^sberf branches: check: [0-9]+ probes at [0-9]+ basic blocks; a hit costs up to " "$(sed -n 1p err)"
equal "calls, and those that fail" "100 calls, 19 of them with retval < 0" "$(sed -n 1p got)"
matches "the first branch, by its line" "^They part first at check\\+0x[0-9a-f]+ \\(parting.c:$first\\)\$" "$(grep -m 1 part got)"
equal "with the text of the source" "$first | if (number % 10 == 7)" "$(sed -n 4p got | xargs -0 | sed 's/^ *//')"
equal "calls on both sides" "19 81; 10 0" \
	"$(awk '/^They/ { on = 1 } /^Then/ { exit } on && /come to it/ { printf "%s %s; ", $1, $2 } on && / -> / && !$2 { print $1, $2 }' got)"
equal "then the second one, for those that are left" "9 81; 9 0" \
	"$(awk '/^Then/ && /parting.c:'"$second"'/ { on = 1; next } /^Then/ { on = 0 } on && /come to it/ { reached = $1 " " $2 }
	on && / -> / && $1 && !$2 { print reached "; " $1, $2 }' got | tail -n 1)"
branches "check 100" 'u:parting:check /number >= 50/' --part 'retval < 0' --format json
equal "JSON, of calls with a condition by the name of a parameter" "50 5 $first 5" \
	"$(/usr/bin/python3 -c 'import json
p = [json.loads(l) for l in open("got")][0]
print(p["calls_that_meet"] + p["other_calls"], p["calls_that_meet"], p["partings"][0]["from"]["line"],
	[w["calls_that_meet"] for w in p["partings"][0]["ways"] if not w["other_calls"]][0])')"

# Each call, and how often.
branches "check 10" u:parting:check --stacks
equal "each call with its whole stack, from who calls on" "10 act main" \
	"$(awk '/called by / { frame = $3; getline; if (/ main /) print frame, $1 }' got | sort | uniq -c | xargs)"
equal "a line for each call" 10 "$(grep -c '^check(number=' got)"
equal "a failing call, by its branch" "check(number=7, limit=4) = -22; parting.c:$first" \
	"$(awk '/^check\(number=7,/ { sub(/  .*/, ""); printf "%s; ", $0; getline; match($0, /parting.c:[0-9]+/); print substr($0, RSTART, RLENGTH) }' got)"
branches "check 20" 'u:parting:check /number == 17/' --entry --stacks
note "$(cat err got)"
matches "calls told when they begin: the price is said" "^sberf branches: check is probed where it begins; a hit costs up to [0-9.]+ [num]s\$" "$(grep begins err)"
equal "without result, time and branches; who calls" "check(number=17, limit=4) parting/$pid called by act" "$(head -n 2 got | xargs | sed 's/ (.*//')"
branches "check 100" 'u:parting:check /retval < 0/' --last 1 --record calls.sberf
note "$(cat err got)"
"$SBERF" report --format probes calls.sberf >probes
note "$(cat probes)"
equal "a recording has the calls that met the condition, each once" 19 "$(awk '/[+]branches/ { print $1; exit }' probes)"
equal "with their results" "-22 52.6 %, -12 47.4 %" "$(sed -n 's/^ *retval *//p' probes)"
matches "and the branch that was the last one" "check\\+0x[0-9a-f]+ \\(parting.c:$first\\) -> \\+0x[0-9a-f]+" "$(grep 'last branch' probes)"
matches "which a report is about by itself" "main;act;check [1-9][0-9]*\$" "$("$SBERF" report --format folded calls.sberf)"
equal "and has call by call" 19 "$("$SBERF" trace --input calls.sberf | grep -cE 'check\(number=[0-9]+, limit=4\) = -(22|12)  check')"
branches "check 100" u:parting:check --count --disasm
matches "counted" "^check: 100 calls, total " "$(cat got)"
back=$(awk 'BEGIN { for (n = 0; n < 100; n++) if (n % 10 != 7 && n % 4 > 1) back += n % 4 - 1; print back }')
equal "the loop goes back as often as the source says" "$back" "$(awk '$5 == "->" && $2 > $1 { print $2 }' got)"
objdump -d --no-show-raw-insn --disassemble=check parting | sed -n 's/^ *[0-9a-f]*:\t\([a-z]*\).*/\1/p' | grep -v '^nop' >want
sed -n '/not taken  check of/,$p' got | sed -n 's/.*+0x[0-9a-f]* *\([a-z]*\).*/\1/p' | grep -v '^nop' >have
equal "as many instructions as objdump has" "$(wc -l <want)" "$(wc -l <have)"

# What parameters lead to, by debug information.
branches "ask 4" u:parting:answer --print 'a->name,a->body->code' --print 'a->body->tag,retval->name'
note "$(cat err got)"
equal "strings, members behind pointers, and what cannot be read" \
	"0:GET /x:-7:tag?:retval is NULL;1:GET /x:no:no:GET /x;2:GET /x:-7:tag?:GET /x;3:GET /x:no:no:retval is NULL;" \
	"$(LC_ALL=C awk -F ' = ' '/^answer/ { match($0, /number=[0-9]/); n = substr($0, RSTART + 7, 1); line = n }
		/^    [ar]/ { v = $2; gsub(/"/, "", v); sub(/cannot be read: a bad.*/, "no", v); sub(/cannot be read: /, "", v); gsub(/[^ -~]+/, "?", v); line = line ":" v }
		/^    retval/ { printf "%s;", line }' got)"

# Calls within calls, and those that do not return.
branches "recurse 3" u:parting:recurse --last 6
equal "recursion: the last call, from the innermost one on" "recurse(depth=0) recurse(depth=1) recurse(depth=2) recurse(depth=3) recurse(depth=4) recurse(depth=5)" \
	"$(grep -o '^recurse(depth=[0-9])' got | xargs)"
equal "each knows what it is within" "5 4 3 2 1" "$(grep -o 'within [0-9]* more' got | cut -d ' ' -f 2 | xargs)"
branches "leave 30" u:parting:leave --part 'retval >= 0'
note "$(cat err)"
matches "longjmp() leaves both calls each third time" "^sberf branches: calls left without a return .*: 20" "$(grep left err)"
matches "and a condition on a result leaves these out" "^sberf branches: calls left out, .*: 20" "$(grep 'left out' err)"
equal "lost" "" "$(grep -E 'lost|room|memory' err)"
kill $pid
begin ./tailing
branches "tail 100" u:tailing:tail --part 'retval < 0'
note "$(cat err got)"
equal "tail calls return with the other function" "100 calls, 40 of them with retval < 0" "$(sed -n 1p got)"
matches "and part where they jump" "^They part first at tail\\+0x" "$(grep part got)"
kill $pid

# C++: exceptions, which no return probe may meet, tables of jumps.
if "${CXX:-g++}" --version >/dev/null 2>&1 && "${CXX:-g++}" -O2 -fomit-frame-pointer -o left "$top_srcdir/tests/live/left.cc"; then
	begin ./left
	branches "throw 300" u:left:Pool::throws --count
	matches "C++: calls are left by exceptions each third time" "^sberf branches: calls left without a return .*: 100\$" "$(grep left err)"
	matches "and named as in the source" "^Pool::throws: 300 calls" "$(sed -n 1p got)"
	branches "choose 100" u:left:Pool::choose --count
	equal "each way of a table of jumps" 100 "$(awk '$5 == "->" || / -> / { n[$3 $4] += $2 } END { for (i in n) if (n[i] > most) most = n[i]; print most }' got)"
	check "it lives" kill -0 $pid
	kill $pid
else
	skip "there is no C++ compiler" "C++"
fi

# A real program, without debug information.
begin /usr/bin/python3 -u -c 'import sys
print("ready")
for line in sys.stdin:
	for i in range(100):
		try:
			([], (0,))[i % 4 == 0][0:0] = ()
		except TypeError:
			pass
	print("done")'
exe=$(readlink -f /proc/$pid/exe)
branches go "u:$exe:PyObject_SetItem" --part 'retval < 0'
note "$(cat err got)"
matches "Python: calls that fail" "^1[0-9][0-9] calls, 25 of them with retval < 0\$|^100 calls, 25 of them" "$(sed -n 1p got)"
matches "and where they part" "^They part first at PyObject_SetItem\\+0x" "$(grep -m 1 part got)"
equal "on one side alone" "25 0" "$(awk '/ -> / && $1 == 25 && !$2 { print $1, $2; exit }' got)"
kill $pid

# What is over too soon is said to be.
text=$("$SBERF" branches u:tailing:tail -- ./tailing </dev/null 2>&1 >got)
matches "a command that is over at once" "no call has ended while it was looked at" "$text"

# Without records of the CPU.
text=$("$SBERF" branches k:vfs_read --how lbr 2>&1)
status=$?
if [ -d /sys/bus/event_source/devices/cpu ]; then
	skip "this machine has a PMU" "without records: why"
else
	equal "without records: status" 1 $status
	matches "why, and other ways" "^sberf branches: no branch records: .*PMU.*; functions of programs and of the kernel, and BPF programs, are followed without" "$text"
fi
text=$("$SBERF" record -a --call-graph lbr -o lbr.data 2>&1)
equal "stacks by records: status" 1 $?
matches "stacks by records: why not" "^sberf record: .*branch records.*; stacks are complete without them" "$text"
text=$("$SBERF" branches "u:$exe:PyObject_SetItem" --how lbr -p $$ 2>&1)
equal "records of a program: status" 1 $?
matches "and what can be done" "^sberf branches: --how lbr is about functions of the kernel and BPF programs: .* --how step" "$text"
finish
