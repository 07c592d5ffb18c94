#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs of known truth, captured live: shares within 3 points, completeness of at least 99.5 % of user stacks.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# built NAME: the workload exists; what a machine has no tool for was left empty.
built() {
	[ -s "$WORKLOADS/$1" ] || { skip "$1 could not be built on this machine" "$1"; return 1; }
}

# capture TITLE PROGRAM OPTIONS -- ARGS...: records the workload for half a second and more at 997 Hz into TITLE.data and TITLE.folded; for
# longer on a machine so busy that this gives less than 300 samples.
capture() {
	local title=$1 program=$2 options=() duration status
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	start_workload "$program" "$@" || { result 1 "$title: is ready"; return 1; }
	for duration in 600ms 2s 8s 32s; do
		record "$title.data" -F 997 -p "$workload" --duration $duration "${options[@]}"
		status=$?
		[ "$(value "$title.data" oncpu_samples)" -lt 300 ] || break
	done
	result $status "$title: recording"
	stop_workload
	"$SBERF" report -i "$title.data" --format folded --no-inline >"$title.folded"
	note "$title: $(value "$title.data" oncpu_samples) samples, $(cuts "$title.data")"
	at_least "$title: samples" 50 "$(value "$title.data" oncpu_samples)"
}

# complete TITLE PROGRAM PERCENT REGEX [ARGS...]: at least 99.5 % of its user stacks are complete, and PERCENT of its time is in
# stacks that REGEX (of a folded line) describes from the root on. Its stacks are in TITLE.folded, when together() was called: some
# workloads at a time are in one recording. $mine says which processes of it are this one's, unless it is that alone which was started.
complete() {
	local title=$1 program=$2 percent=$3 regex=$4
	shift 4
	built "$program" || return
	start_workload "$program" "$@" || { result 1 "$title: is ready"; return 1; }
	titles+=("$title") filters+=("${mine:-$workload}") pids+=("$workload") outs+=("$workload_out") percents+=("$percent") regexes+=("$regex")
	kill -STOP "$workload"   # until it is looked at: it takes a CPU
	[ ${#titles[@]} -lt 6 ] || together
}

# together: records what complete() has started, for 400 ms of each and a little more, and for longer on a machine so busy that one of them has less than 300
# samples, and judges each. All samples weigh the same, so the share of a stack is that of its samples; those without a user stack are left out.
together() {
	local i duration pid list least n title
	[ ${#titles[@]} -gt 0 ] || return
	list=$(IFS=, && echo "${pids[*]}")
	for duration in $((400 * ${#titles[@]} + 400))ms 8s 32s; do
		kill -CONT "${pids[@]}"
		record together.data -F 997 -p "$list" --duration $duration || { result 1 "recorded: ${titles[*]}"; break; }
		kill -STOP "${pids[@]}"
		least=
		for i in "${!titles[@]}"; do
			"$SBERF" report -i together.data --process "${filters[i]}" --format folded --no-inline \
				>"${titles[i]}.folded" 2>/dev/null
			n=$(awk '{ us += $NF } END { print int(us * 997 / 1000000) }' "${titles[i]}.folded")
			samples[i]=$n
			[ -n "$least" ] && [ "$least" -le "$n" ] || least=$n
		done
		[ "$least" -lt 300 ] || break
	done
	note "together: ${titles[*]}: $(value together.data oncpu_samples) samples, $(cuts together.data)"
	for i in "${!titles[@]}"; do
		title=${titles[i]}
		workload=${pids[i]} workload_out=${outs[i]}
		stop_workload
		grep -vE '^[^;]*;[^;]*_\[k\]' "$title.folded" >user.folded
		at_least "$title: samples" 50 "${samples[i]}"
		at_least "$title: percent of user stacks complete" 99.5 "$(awk -v cut="$(share user.folded '\[cut')" 'BEGIN { print 100 - cut }')"
		at_least "$title: percent of time under /${regexes[i]}/" "${percents[i]}" "$(share "$title.folded" "${regexes[i]}")"
	done
	titles=() filters=() pids=() outs=() percents=() regexes=() samples=()
}
titles=() filters=() pids=() outs=() percents=() regexes=() samples=()

levels='level_1;level_2;level_3;level_4;level_5'
five_deep=";main;$levels"
complete chain chain 98 "_start;.*$five_deep"
for variant in static static_pie nopie lld debug_frame fp musl musl_static; do
	complete "chain_$variant" "chain_$variant" 98 "$five_deep"
done
complete signals signals 50 ';main;caller_of_work;interrupted_work;.*;handler;handler_work'
complete altstack signals 50 ';main;caller_of_work;interrupted_work;.*;handler;handler_work' 0 alt
complete signals_musl signals_musl 50 'main;caller_of_work;interrupted_work;.*handler;handler_work'
mine=vforker complete vfork vforker 50 ';main;vfork_once;child_work'
complete alloca allocas 90 ';main;with_alloca'
complete realign realign 80 ';main;realigned'
complete noreturn noreturns 90 ';main;outer_noreturn;calls_noreturn;never_returns'
# Without symbols the same stacks, by address. Not together with the others: they have the build-id of the one whose symbols they lost.
together
complete chain_stripped chain_stripped 98 '(;chain_stripped\+0x[0-9a-f]+){6}'
complete vdso vdso 90 ';main;ask_time'
complete plt plt 90 ';main;call_library'
complete dlopen dlopen_cycle 40 ';main;work_in;plugin_(a|b)_work;plugin_(a|b)_inner'
complete coroutines coroutines 95 'co_entry;co_middle;co_inner'
complete threads threads_start 2 'thread_main;thread_work'
complete syscalls syscalls 90 ';main;read_zeros'
together
complete chain_noheaders chain_noheaders 98 '(;chain_noheaders\+0x[0-9a-f]+){6}'
complete go gochain 40 'main\.main;main\.goOuter;main\.goInner;main\.goWork'
together
equal "chain_stripped: each function is one node" 1 "$(sed 's/ [0-9]*$//; s/;[^;]*_\[k\].*//' chain_stripped.folded | sort -u | wc -l)"

# The C library of musl has no CFI, so what it does itself is cut, and says so; a thread's function is known to be called by it.
if built threads_musl && capture threads_musl threads_musl --; then
	grep 'thread_main;thread_work' threads_musl.folded >running.folded
	at_least "threads_musl: stacks of thread_work" 1 "$(wc -l <running.folded)"
	equal "threads_musl: of them cut" 0 "$(grep -c '\[cut' running.folded)"
fi

# A callee that never ran must not appear: the return address behind a noreturn call belongs to another function.
equal "noreturn: the function behind is not blamed" 0 "$(grep -c innocent noreturn.folded)"

# Stacks of plugins never mix, although one was mapped where the other had been.
equal "dlopen: no stack goes through both libraries" 0 "$(grep 'plugin_a' dlopen.folded | grep -c plugin_b)"

# JIT code has frame pointers and no file; the walk goes through it to main.
if capture jit jit --; then
	at_least "jit: percent of user stacks complete" 99.5 "$(value jit.data oncpu_complete_percent)"
	at_least "jit: percent of time under main" 90 "$(share jit.folded ';main;call_jit;')"
fi

# Shares of time, within 3 points.
start_workload shares
record shares.data -F 1997 -p "$workload" --duration 3s
stop_workload
"$SBERF" report -i shares.data --format folded --no-inline --no-kernel >shares.folded
note "shares: $(value shares.data oncpu_samples) samples"
for percent in 50 30 20; do
	between "shares: burn_$percent" $((percent - 3)) $((percent + 3)) "$(share shares.folded ";burn_$percent")"
done

# Depth, exactly: 1,000 calls of recurse; and a copy that is too small says so.
if capture deep recurse --stack-size 64K -- 0 1000; then
	at_least "deep: percent of user stacks complete" 99.5 "$(value deep.data oncpu_complete_percent)"
	equal "deep: 1,000 frames of recurse, no more and no less" 1000 "$(awk -F';' '{ n = 0; for (i = 2; i <= NF; i++)
		if ($i ~ /^recurse( |$)/) n++; print n }' deep.folded | sort -n | tail -1)"
fi
# Copies of 4 KB: a walk by rules is complete whatever their size.
if capture short recurse --unwind copy --stack-size 4K -- 0 1000; then
	equal "short: nothing is called complete" 0.00 "$(value short.data oncpu_complete_percent)"
	equal "short: every cut is one of the stack size" "$(value short.data user_samples)" "$(value short.data cut_stack_size)"
	at_least "short: the folded stack says so" 99 "$(share short.folded '\[cut: stack_size\]')"
fi
# Learnt sizes: the first stacks of a deep program are cut, then the copy is long enough.
if capture learnt recurse --unwind copy -- 0 1900; then
	at_least "learnt: percent of user stacks complete" 95 "$(value learnt.data oncpu_complete_percent)"
fi

# A binary that is deleted while it runs.
cp "$WORKLOADS/chain" ./gone
mkfifo fifo
./gone >fifo &
pid=$!
also_kill $pid
read -rt 20 _ <fifo
rm ./gone
record gone.data -F 997 -p $pid --duration 1s
kill -KILL $pid
"$SBERF" report -i gone.data --format folded >gone.folded
at_least "deleted binary: percent of user stacks complete" 99.5 "$(value gone.data oncpu_complete_percent)"
at_least "deleted binary: names" 98 "$(share gone.folded "$five_deep")"

# A process in user, mount and pid namespaces of its own, whose file exists only there: names, and both of its pids.
if unshare --user --map-root-user --mount --pid --fork true 2>/dev/null; then
	mkdir -p inside
	cp "$WORKLOADS/chain" inside.bin
	unshare --user --map-root-user --mount --pid --fork sh -c "mount -t tmpfs none '$PWD/inside' && cp inside.bin inside/program && exec inside/program" >fifo &
	also_kill $!
	read -rt 20 _ <fifo
	record ns.data -F 997 -n program --duration 1s
	"$SBERF" report -i ns.data --format folded >ns.folded
	at_least "namespaces: percent of user stacks complete" 99.5 "$(value ns.data oncpu_complete_percent)"
	at_least "namespaces: names" 98 "$(share ns.folded "$five_deep")"
	equal "namespaces: both pids, in JSON and in labels" "$(pgrep -P $! program) (1 inside) $(pgrep -P $! program) 1" "$(
		"$SBERF" report -i ns.data --group-by process --depth 1 | sed -n 's/.* program \(.*\)/\1/p') $(
		"$SBERF" report -i ns.data --format json | python3 -c '
import json, sys
t = next(t for t in json.load(sys.stdin)["threads"] if t["name"] == "program")
print(t["pid"], t["pid_inside"])')"
	pkill -KILL -P $! program
else
	skip "no pid namespaces" "namespaces"
fi
finish
