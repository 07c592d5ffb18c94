#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_kernel.sh - stacks walked in the kernel by learnt rules: whole, the same as those walked from copies, and never by rules of
# what is no longer mapped.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

# ways FILE: what the ways in which stacks were unwound add up to, in percent.
ways() {
	summary "$1" | awk '/^unwound_(kernel|copy|frame_pointers|none)_percent: / { sum += $2 } END { printf "%.2f", sum }'
}

# The same number of samples. Emulated, learning takes seconds.
rate=997 ms=1500 least=10
[ -z "${SBERF_EMULATED:-}" ] || rate=499 ms=3000 least=1

# walked TITLE PERCENT PROGRAM ARGS...: PERCENT of its stacks are walked in the kernel, every other of them is compared with a copy, and
# none differs. The recording is walked.data. The first stacks are copies: they are what is learnt from, and most of what there is where
# learning takes seconds (SBERF_EMULATED).
walked() {
	local title=$1 percent=${SBERF_EMULATED:+5}
	percent=${percent:-$2}
	shift 2
	start_workload "$@"
	record walked.data -F "$rate" --no-off-cpu --unwind kernel --verify-unwind 2 -p "$workload" --duration "${ms}ms"
	stop_workload
	equal "$title: ways add up" 100.00 "$(ways walked.data)"
	at_least "$title: copies that were learnt from, in percent" 0.01 "$(value walked.data unwound_learned_percent)"
	equal "$title: none without a reason" 0 "$(value walked.data walk_not_asked)"
	note "$title: copied because of:$(reasons walked.data)"
	note "$title: complete $(value walked.data oncpu_complete_percent), stale $(value walked.data cut_stale)"
	at_least "$title: percent walked in the kernel" "$percent" "$(value walked.data unwound_kernel_percent)"
	at_least "$title: stacks compared" 20 "$(value walked.data verify_checked)"
	equal "$title: of them different" 0 "$(value walked.data verify_different)"
}

walked "plain functions" 50 chain
at_least "plain functions: percent complete" 99.5 "$(value walked.data oncpu_complete_percent)"
if [ -z "${SBERF_EMULATED:-}" ]; then
	walked "1000 frames" 50 recurse
	walked "signal handler" 50 signals
	walked "realigned stacks" 50 realign
	walked "return addresses elsewhere" 50 slots
	"$SBERF" report -i walked.data --format folded --no-inline >folded
	at_least "return addresses elsewhere: percent of time under main;in_slot;beside_frame_pointer;in_pieces" 99 \
		"$(share folded ';main;in_slot;beside_frame_pointer;in_pieces')"
fi
if on_share first; then
	walked "signal handler on an alternate stack" 50 signals 0 alt
	walked "calls through the linker's stubs" 50 plt
fi
if on_share second; then
	walked "code made at run time" 50 jit
	at_least "code made at run time: percent complete" 99.5 "$(value walked.data oncpu_complete_percent)"
fi
# What they are built with may be missing.
for program in coroutines gochain gochain_stripped chain_musl chain_musl_static; do
	if [ -x "$WORKLOADS/$program" ]; then
		walked "$program" 50 "$program"
	fi
done
# Nearly as much of it as a space has room for, and more.
if [ -z "${SBERF_EMULATED:-}" ]; then
	walked "200 pieces of code made at run time" 60 jit 0 200
	walked "400 pieces of code made at run time" 30 jit 0 400
fi
if [ -z "${SBERF_EMULATED:-}" ] && node=$(command -v node); then
	cat >hot.js <<'JS'
const end = Date.now() + 60000;
const make = i => new Function("x", `let s = 0; for (let j = 0; j < 200; j++) s += Math.sqrt(x + j * ${i}); return s;`);
let made = Array.from({ length: 50 }, (_, i) => make(i)), n = 0;
while (Date.now() < end) {
	for (const f of made)
		n += f(n & 63);
	if (Math.random() < 0.01)
		made[n & 31] = make(n % 1000);
}
JS
	"$node" hot.js &
	also_kill $!
	record node.data -F 499 --no-off-cpu --unwind kernel --verify-unwind 2 -p $! --duration 4s
	kill $!
	note "node: copied because of:$(reasons node.data)"
	at_least "node: percent walked in the kernel" 70 "$(value node.data unwound_kernel_percent)"
	at_least "node: stacks compared" 20 "$(value node.data verify_checked)"
	equal "node: of them different" 0 "$(value node.data verify_different)"
fi

# Two libraries are mapped in turn, mostly in the same place; nothing of one is ever walked by rules of the other.
if on_share second; then
	walked "libraries that come and go" 5 dlopen_cycle
	"$SBERF" report -i walked.data --format folded --no-inline >folded
	equal "libraries that come and go: stacks with functions of both" 0 "$(grep -E 'plugin_a_' folded | grep -cE 'plugin_b_')"
fi

# A program that executes itself again and again has other memory each time.
# For some time each, not some work: machines differ, and longer where learning takes seconds. Not by sh, which is a busybox without unwind
# information in guests.
cat >again.sh <<'SH'
n=${1:-0}
end=$((${EPOCHREALTIME/./} + ${EACH_US:-250000}))
while ((${EPOCHREALTIME/./} < end)); do :; done
[ "$n" -ge 12 ] || exec "$BASH" "$0" $((n + 1))
SH
[ -z "${SBERF_EMULATED:-}" ] || export EACH_US=1000000
record exec.data -F 499 --no-off-cpu --unwind kernel --verify-unwind 1 -- "$BASH" again.sh
note "exec: $(value exec.data unwound_kernel_percent) % walked in the kernel, $(value exec.data verify_checked) compared," \
	"$(value exec.data cut_stale) stale"
at_least "exec: stacks compared" "$least" "$(value exec.data verify_checked)"
equal "exec: of them different" 0 "$(value exec.data verify_different)"
# Children that execute nothing are walked by what is known of their relatives from their first sample on. Not in guests, whose sh has no
# unwind information, and takes a minute for this.
if [ -z "${SBERF_EMULATED:-}" ]; then
	cat >children.sh <<'SH'
n=0
while [ $n -lt 100 ]; do
	(i=0; while [ $i -lt 12000 ]; do i=$((i + 1)); done)
	n=$((n + 1))
done
SH
	record children.data -F 499 --no-off-cpu --unwind kernel --verify-unwind 2 -- /bin/sh children.sh
	at_least "children: percent walked in the kernel" 75 "$(value children.data unwound_kernel_percent)"
	at_least "children: stacks compared" 20 "$(value children.data verify_checked)"
	equal "children: of them different" 0 "$(value children.data verify_different)"
fi

# What was learnt is said, and a difference would have its cause.
equal "exec: causes add up to what is different" "$(value exec.data verify_different)" \
	"$(($(value exec.data verify_shorter) + $(value exec.data verify_longer) + $(value exec.data verify_other_module) + \
	$(value exec.data verify_other_place)))"
for figure in pages processes bytes; do
	at_least "rules: $figure" 1 "$(value exec.data rules_$figure)"
done
at_least "different rules" 2 "$(value exec.data rules)"
equal "none gave way" 0 "$(value exec.data rules_evicted)"
# What the kernel itself says of hashes (type 1, and 9 where who is not of use falls out) and arrays (2), by the size of keys and values.
# A map of one entry is none of them, whatever its size.
maps_of_walks='1 8 4|1 4 4|9 8 8|2 4 1088|2 4 8|2 4 8224'
charged() {
	cat "/proc/$recorder/fdinfo/"* 2>/dev/null | awk -v wanted="^($maps_of_walks)\$" '
		$1 == "map_type:" { type = $2 } $1 == "key_size:" { key = $2 } $1 == "value_size:" { value = $2 } $1 == "max_entries:" { most = $2 }
		$1 == "memlock:" && most > 1 && type " " key " " value ~ wanted { sum += $2; n++ }
		END { if (n == 6) print sum; exit n != 6 }'
}
if on_share first; then
	start_workload chain
	"$SBERF" record -e cpu-clock --no-off-cpu --unwind kernel -o maps.data -p "$workload" 2>maps.err &
	recorder=$!
	also_kill $recorder
	check "the maps of walks are there" wait_until 60 charged
	by_kernel=$(charged)
	# Until it listens: this shell has it begin with interrupts ignored.
	while kill -INT $recorder 2>/dev/null; do read -rt 0.1 <> <(:) || :; done
	wait $recorder
	stop_workload
	at_least "memory of rules, with all that the kernel charges for its maps" "${by_kernel:-none}" "$(value maps.data rules_bytes)"
fi
check "memory of rules is under 64 MB" test "$(value exec.data rules_bytes)" -lt 64000000

if on_share second; then
	start_workload chain
	record copy.data -F 499 --unwind copy -p "$workload" --duration 1s
	stop_workload
	equal "copies: the kernel knows none" unknown "$(value copy.data rules_pages)"
	equal "copies: all stacks are" "0.00 100.00 0.00" "$(value copy.data unwound_kernel_percent) \
$(value copy.data unwound_copy_percent) $(value copy.data unwound_learned_percent)"
	at_least "copies: the kernel is not asked to walk" 1 "$(value copy.data walk_not_asked)"
fi
finish
