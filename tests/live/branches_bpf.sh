#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# branches_bpf.sh - `sberf branches` on BPF programs: one that drops packets for three reasons, each named by its line (in a guest, whose
# kernel lets BPF programs be followed: tests/qemu/live.sh); its instructions beside objdump's; elsewhere a sentence says what is missing.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1
mkfifo in
"$top_builddir/tests/live/drops" code <in >out &
also_kill $!
exec {to}>in
wait_until 60 grep -q ready out
read -r _ id first_bytes second_bytes <out

# offsets FUNCTION [WHAT]: where instructions of FUNCTION are, in the listing got; those alone whose text begins with WHAT.
offsets() {
	awk -v f="$1" -v what="${2-}" '/ of BPF program / { on = $0 ~ "  " f " of" }
		on && match($0, /[ >]\+0x[0-9a-f]+ +/) { text = substr($0, RSTART + RLENGTH); at = substr($0, RSTART + 4, RLENGTH - 4); sub(/ +/, "", at)
			if (text ~ "^" what) print at }' got
}

# objdumped FROM TO LAST [WHAT]: the same of objdump, from byte FROM of the code to byte TO, and no further than behind LAST.
objdumped() {
	objdump -D -b binary -m i386:x86-64 --no-show-raw-insn --start-address="$1" --stop-address="$2" code |
		awk -v from="$1" -v last="$3" -v what="${4-}" 'function value(hex, i, n) { for (i = 1; i <= length(hex); i++)
			n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
			$1 ~ /^[0-9a-f]+:$/ { at = value(substr($1, 1, length($1) - 1)) - from; if (at > value(last)) exit
				if ($2 ~ "^" what) printf "%x\n", at }'
}

# branches WHAT OPTIONS...: follows to the file got while the program does WHAT, and says what it cannot.
branches() {
	local what=$1
	shift
	: >err
	"$SBERF" branches --budget none "$@" >got 2>err &
	recorder=$!
	also_kill $recorder
	wait_until 60 probes_placed branches
	: >out
	echo "$what" >&"$to"
	wait_until 60 answered out 1 "done"
	kill -INT $recorder 2>/dev/null
	wait $recorder
}

if [ -n "$(command -v objdump)" ]; then
	"$SBERF" branches "bpf:$id" --disasm --duration 0.1s >got 2>err
	note "$(cat err got)"
	for function in drops allowed; do
		[ $function = drops ] && from=0 to_byte=$first_bytes || { from=$first_bytes to_byte=$((first_bytes + second_bytes)); }
		last=$(offsets $function | tail -n 1)
		at_least "$function: instructions" 10 "$(offsets $function | wc -l)"
		equal "$function: each begins where objdump has it" "$(objdumped "$from" "$to_byte" "$last")" "$(offsets $function)"
		equal "$function: so does each jump on a condition" "$(objdumped "$from" "$to_byte" "$last" 'j[^m]')" "$(offsets $function 'j[^m]')"
	done
	if command -v bpftool >/dev/null; then
		mkdir bpffs
		unshare -m bash -c 'mount -t bpf none bpffs && bpftool prog pin id "$1" "bpffs/a: b" && "$2" branches "bpf:pinned:bpffs/a: b:allowed" \
			--disasm --duration 0.1s' - "$id" "$SBERF" >pinned 2>err
		equal "a sub-program of what is pinned" "taken not taken allowed of BPF program $id" "$(head -n 1 pinned | xargs)"
	fi
	matches "helpers have names" '<[a-z_]*map_lookup_elem>' "$(cat got)"
fi

# Where there are two kernels each shows its part: a start takes an emulated CPU seconds.
if on_share first; then
	branches "all 1" "bpf:$id"
else
	branches "all 4" "bpf:$id /retval == 1/" --disasm --count
fi
if ! grep -q "probes placed" err; then
	wait $recorder
	equal "where BPF programs cannot be followed: status" 1 $?
	matches "and why" "^sberf branches: drops cannot be followed: that takes " "$(tail -n 1 err)"
	finish
	exit
fi

if on_share first; then
	note "$(cat err got)"
	matches "the price is said first" "^sberf branches: drops: [0-9]+ jumps on a condition in 2 functions;sberf branches: breakpoints of each CPU watch 4 of them in turn: .*; a hit costs about [0-9.]+ [num]s;" \
		"$(head -n 2 err | tr '\n' ';')"
	equal "each call, with what it is given, and what it returns" "16 1 (XDP_DROP);64 1 (XDP_DROP);64 1 (XDP_DROP);64 1 (XDP_DROP);64 2 (XDP_PASS);" \
		"$(sed -n 's/^drops(ctx=0x[0-9a-f]*, len=\([0-9]*\)) = \([^)]*)\)  drops.*/\1 \2/p' got | tr '\n' ';')"
	# The third and fourth are refused by the sub-program, which has more jumps than are watched: there is a gap, and the branch behind it.
	equal "the branch that decided, the last one of each call, by its line" "44 taken;46 taken;48 taken;48 taken;48 not;" \
		"$(awk '/^drops\(/ { if (NR > 1) print last } / -> / { last = $0 } END { print last }' got |
			sed -E 's/.*drops\.bpf\.c:([0-9]+)\) -> .*not taken$/\1 not/; s/.*drops\.bpf\.c:([0-9]+)\) -> .*/\1 taken/' | tr '\n' ';')"
	check "gaps are marked" grep -qE '^  allowed\+.* what was between is not known' got
	# Five calls at once: breakpoints were at four of six jumps.
	equal "jumps that were watched in no call are counted" 2 "$(sed -n 's/^sberf branches: jumps that were watched in no call, .*: //p' err)"
	branches "all 20" "bpf:tag:$("$SBERF" bpf -d 0.01 --format json | sed -n "s/^{\"id\":$id,.*\"tag\":\"\\([0-9a-f]*\\)\".*/\\1/p")" --part 'retval == 1' --lines
	note "$(cat err got)"
	equal "of many calls, those that drop" "100 calls, 80 of them with retval == 1" "$(head -n 1 got)"
	equal "where they part first, then, and last" "44 if (data + LEAST_BYTES > end);46 if (data[0] != VERSION);48 if (!allowed(data[1]));" \
		"$(awk '/ at drops\+/ { on = 1; next } on { on = 0; sub(/^ +/, ""); sub(/ \| /, " "); print }' got | tr '\n' ';')"
	# How many of the calls had the jump watched depends on how quickly they come.
	equal "with counts of both sides: some that drop, and no others" "some 0;some 0;some 0;" \
		"$(awk '/ at drops\+/ { on = 1 } / at allowed/ { on = 0 } on && / -> / && !$2 { print ($1 > 0 ? "some" : 0), $2 }' got | tr '\n' ';')"
fi
if on_share second; then
	! on_share first || branches "all 4" "bpf:$id /retval == 1/" --disasm --count
	note "$(cat err got)"
	equal "a condition on the result" "drops: 16 calls" "$(sed -n 's/, total .*//p' got)"
	# Four jumps of six are watched at a time, and others after eight calls: of how many calls each was watched is not known.
	equal "counts beside instructions: taken, and not, by their shares" "25 % ja;33 % jne;100 % je;" \
		"$(awk '/drops of BPF/ { on = 1 } /allowed of BPF/ { on = 0 } on && $1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+$/ && $3 ~ /^\+/ { print int(100 * $1 / ($1 + $2)) " %", $4 }' got | tr '\n' ';')"
	equal "counts stand at jumps on a condition alone" "" "$(awk '$1 ~ /^[0-9]+$/ && $3 ~ /^\+/ && $4 !~ /^j[^m]/' got)"
	branches "all 3" "bpf:drops:allowed /kind == 8/" --lines
	note "$(cat err got)"
	equal "a sub-program, and a condition on what it is given: status" 0 $?
	equal "each call that meets it" "allowed(kind=8) = 0;allowed(kind=8) = 0;allowed(kind=8) = 0;" "$(sed -n 's/^\(allowed(.*) = [0-9]*\) .*/\1/p' got | tr '\n' ';')"
	equal "its branches are all known" 0 "$(grep -c 'not known' got)"
	check "the one that decided, with the text of its line" grep -qE '36 \| return \*level >= LEAST_LEVEL;' got
	branches "all 2" "bpf:$id /ctx->rxq->dev->ifindex == 1 && retval == 2/" --print 'ctx->rxq->dev->name,*ctx,retval' --last 9
	note "$(cat err got)"
	equal "what the context leads to, by the types of the kernel, also in a condition" '2 (XDP_PASS) "lo" 2;2 (XDP_PASS) "lo" 2;' \
		"$(sed -nE 's/^drops\(ctx=0x[0-9a-f]+, len=64\) = (2 \(XDP_PASS\)) .*/\1/p; s/^    (ctx->rxq->dev->name|retval) = //p' got | paste -d ' ' - - - | tr '\n' ';')"
	equal "whole structures" 2 "$(grep -cE '^    \*ctx = \{data=0x[0-9a-f]+, data_end=0x[0-9a-f]+, ' got)"
	# By whom it was called: frames from the test's own system call on, and those of the kernel before them.
	branches "all 2" "bpf:$id /retval == 2/" --stacks --record calls.data
	note "$(cat err got)"
	equal "each call has its stack, down to the program's main()" "2 2 2" \
		"$(grep -c '^drops(' got) $(grep -cE '^ +(called by )?bpf_prog_test_run_xdp ' got) $(grep -cE '^ +(called by )?main ' got)"
	"$SBERF" report -i calls.data --format folded >folded
	"$SBERF" report -i calls.data --format probes >probes
	note "$(cat folded probes)"
	matches "and is recorded with it, weighed by its time" ";main;run_.i.;.*;bpf_prog_test_run_xdp.*drops.* [1-9]" "$(cat folded)"
	matches "results and arguments of the recording" "len +64 100.0 %.* retval +2 .XDP_PASS. 100.0 %" "$(tr '\n' ' ' <probes)"
	equal "a line for each call" 2 "$("$SBERF" trace --input calls.data | wc -l)"
	branches "all 2" "bpf:drops:allowed" --stacks --entry
	note "$(cat err got)"
	equal "by whom a sub-program is called, as it begins" "6 6 6" \
		"$(grep -c '^allowed(' got) $(grep -cE '^ +(called by )?bpf_prog_[0-9a-f]*_drops ' got) $(grep -cE '^ +bpf_prog_test_run_xdp ' got)"
	branches "all 2000" "bpf:$id" --stacks --count --budget 0.01
	note "$(cat err got)"
	at_least "calls that would cost more than the budget are not followed, and counted" 1000 \
		"$(sed -n 's/^sberf branches: calls that came while none was followed, .*: \([0-9,]*\)$/\1/p' err | tr -d ,)"
	# The last ones, as JSON.
	branches "all 3" "bpf:drops:allowed /kind == 8/" --last 2 --format json
	note "$(cat err got)"
	equal "the last two calls as JSON: result, and the branch that decided" "0 false 36;0 false 36;" \
		"$(sed -nE 's/^\{"call":"allowed",.*"args":"kind=8","result":"(0)","end":"return",.*"line":([0-9]+)\},"taken":(true|false)\}\]\}$/\1 \3 \2;/p' got | tr -d '\n')"
	branches "all 3" "bpf:drops:allowed /kind == 8/" --entry
	note "$(cat err got)"
	equal "told when they begin: without a result" "allowed(kind=8);allowed(kind=8);allowed(kind=8);" "$(sed -n 's/^\(allowed(.*)\)  drops.*[0-9]$/\1/p' got | tr '\n' ';')"
	matches "others are counted" "calls that do not meet the condition of their function: 6" "$(cat err)"
fi
exec {to}>&-
finish
