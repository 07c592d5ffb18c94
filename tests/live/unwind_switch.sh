#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_switch.sh - stacks that go on somewhere else: Go's runtime, which calls C on another stack and is called back, is followed to its
# main, or cut, and says so; fibers end where their own stack does, and are complete only if that is so; return probes of other tools, behind which the true caller is not known, are cut with a reason of their own.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
export GOCACHE=$SCRATCH/gocache GOFLAGS=-mod=mod CGO_ENABLED=1
# go_and_c TITLE OPTIONS...: the program built with these goes from Go to C and back.
go_and_c() {
	local title=$1
	shift
	if ! command -v go >/dev/null || ! go build "$@" -o "$SCRATCH/cgoback" "$top_srcdir/tests/workloads/cgoback.go" 2>"$SCRATCH/go.err"; then
		for part in recorded "below main" "called back" ends "threads begin" complete compared; do
			skip "no Go with a C compiler here" "$title: $part"
		done
		return
	fi
	check "$title is recorded" record "$SCRATCH/go.data" -F 997 --no-off-cpu --verify-unwind 4 -- "$SCRATCH/cgoback"
	"$SBERF" report -i "$SCRATCH/go.data" --format folded --no-inline | sed 's/ [0-9]*$//' | grep cgoback >"$SCRATCH/go.folded"
	note "$title: $(cuts "$SCRATCH/go.data")"
	from='runtime[.]goexit.*;main[.]main;main[.]callC;.*;runtime[.]asmcgocall[^;]*;[^;]*c_mid;c_mid;'
	at_least "$title: stacks in C below main" 1 "$(grep -cE "$from"'c_leaf$' "$SCRATCH/go.folded")"
	at_least "$title: stacks of who was called back below C below main" 1 \
		"$(grep -cE "$from"'goBack;crosscall.*;runtime[.]cgocallback[^;]*;.*_goBack$' "$SCRATCH/go.folded")"
	equal "$title: stacks that end where stacks change" 0 \
		"$(grep -cE '^cgoback;runtime[.](asmcgocall|cgocallback|systemstack|morestack)' "$SCRATCH/go.folded")"
	# With cgo it is C that begins threads, all but the first one.
	equal "$title: stacks that end where Go begins in a thread" 0 "$(grep -cE '^cgoback;runtime[.]mstart' "$SCRATCH/go.folded")"
	at_least "$title: percent complete" 60 "$(value "$SCRATCH/go.data" oncpu_complete_percent)"
	equal "$title: stacks walked in two ways that differ" 0 "$(value "$SCRATCH/go.data" verify_different)"
}
go_and_c "Go that calls C that calls Go"
go_and_c "Go and C at any address" -buildmode=pie
go_and_c "Go and C without libraries" -ldflags '-linkmode external -extldflags -static'

# The vDSO is asked on another stack, signals are handled on a third one, and the kernel goes back from there by a system call of its own.
# go_asks TITLE NAMES OPTIONS...: NAMES is "named", or "bare" where functions have none.
go_asks() {
	local title=$1 names=$2
	shift 2
	if ! command -v go >/dev/null || ! go build "$@" -o "$SCRATCH/gosignals" "$top_srcdir/tests/workloads/gosignals.go" 2>"$SCRATCH/go.err"; then
		for part in recorded time signals return complete compared; do
			skip "no Go with a C compiler here" "$title: $part"
		done
		return
	fi
	check "$title is recorded" record "$SCRATCH/go.data" -F 997 --no-off-cpu --verify-unwind 4 -- "$SCRATCH/gosignals"
	"$SBERF" report -i "$SCRATCH/go.data" --time 500ms, --format folded --no-inline 2>/dev/null | sed 's/;[^;]*_\[k\]//g' >"$SCRATCH/go.folded"
	note "$title: $(cuts "$SCRATCH/go.data")"
	if [ "$names" = named ]; then
		grep -E ';time[.]now(;|\b)' "$SCRATCH/go.folded" >"$SCRATCH/part"
		at_least "$title: percent of where the time is asked for that is below main" 99 "$(share "$SCRATCH/part" ';main[.]main;main[.]inTurns;main[.]asksTime;time[.]Now;time[.]now')"
		grep -E ';runtime[.]sigtrampgo' "$SCRATCH/go.folded" >"$SCRATCH/part"
		at_least "$title: percent of handlers that are below what they interrupted" 95 "$(share "$SCRATCH/part" ';main[.]main;main[.]inTurns;.*;runtime[.]sigtrampgo')"
		grep -E ';(runtime[.]sigreturn[^;]*|__restore_rt) [0-9]' "$SCRATCH/go.folded" >"$SCRATCH/part"
		at_least "$title: percent of the way back from there that is" 95 "$(share "$SCRATCH/part" ';main[.]main;main[.]inTurns;')"
	fi
	at_least "$title: percent complete behind the first half second" 98 "$(awk '{ n += $NF } /\[cut/ { c += $NF } END { print 100 - 100 * c / n }' "$SCRATCH/go.folded")"
	equal "$title: stacks walked in two ways that differ" 0 "$(value "$SCRATCH/go.data" verify_different)"
}
go_asks "Go that asks for the time" named
go_asks "the same, stripped" bare -ldflags '-s -w'

# Fibers: whoever made their stacks may have said where they end, or not.
ln -s "$(readlink -f "$top_builddir/tests/workloads/bin/fibers")" "$SCRATCH/fibers"
ln -s fibers "$SCRATCH/open"
cat >"$SCRATCH/all" <<'EOF'
for kind in boost ucontext made; do
	./fibers 2 $kind >$kind.out & ./fibers 2 $kind waits >/dev/null &
done
./open 2 open >/dev/null & ./open 2 open waits >/dev/null &
wait
EOF
cd "$SCRATCH" || exit 1
check "fibers are recorded" record fibers.data -F 499 -- sh all
note "$(cuts fibers.data)"
for metric in on-cpu blocked; do
	"$SBERF" report -i fibers.data --time 500ms, --metric $metric --format folded --no-inline | grep -E ';(boost|ucontext|made)_entry;' |
		sed 's/;[^;]*_\[k\]//g' >fibers.folded
	grep '^fibers;' fibers.folded >ended
	grep '^open;' fibers.folded >open.folded
	for kind in boost ucontext made; do
		if grep -q none $kind.out; then
			skip "no Boost.Context here" "$metric, boost: percent complete, of its own stack alone"
			continue
		fi
		grep ";${kind}_entry;" ended >kind
		at_least "$metric, $kind: percent complete, of its own stack alone" 99 \
			"$(share kind "^fibers(;[^;[][^;]*)?;${kind}_entry;")"
	done
	at_least "$metric, a stack without an end: percent cut, which it says" 99 "$(share open.folded '^open;\[cut: [a-z_]*\];made_entry;')"
done
cd - >/dev/null || exit 1

# Where the kernel does not tell what was there before the probe (unwind_returns.sh has the others).
chain=$top_builddir/tests/workloads/bin/chain
at=$(nm "$chain" | awk '$3 == "level_3" { print $1 }')
if [ -r /sys/bus/event_source/devices/uprobe/type ]; then
	${CC:-cc} -o "$SCRATCH/retprobe" "$top_srcdir/tests/live/retprobe.c" || exit 99
	mkfifo "$SCRATCH/hold"
	"$SCRATCH/retprobe" "$(readlink -f "$chain")" "$at" <"$SCRATCH/hold" >"$SCRATCH/set" &
	also_kill $!
	exec 3>"$SCRATCH/hold"
	wait_until 20 grep -q ready "$SCRATCH/set"
	result $? "a return probe is set"
	start_workload chain 10
	check "what it stands in for is recorded" env SBERF_WITHOUT=true_returns "$SBERF" record -e cpu-clock -o "$SCRATCH/probe.data" -F 499 --no-off-cpu --duration 1s -p "$workload"
	stop_workload
	exec 3>&-
	note "$(cuts "$SCRATCH/probe.data")"
	at_least "stacks that say so" 10 "$(value "$SCRATCH/probe.data" cut_uretprobe)"
	equal "stacks that blame the mappings" 0 "$(value "$SCRATCH/probe.data" cut_no_mapping)"
	at_least "stacks that begin behind it" 1 "$("$SBERF" report -i "$SCRATCH/probe.data" --format folded | grep -c 'cut: uretprobe];level_3;level_4')"
else
	for title in set recorded "says so" mappings behind; do
		skip "this kernel sets no probes by perf" "a return probe: $title"
	done
fi
finish
