#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_change.sh - code that changes in one place while stacks are walked in the kernel: no stack is ever walked by rules of what
# was there before, or by those of another process that had the same number.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

# What the program knows: each layer is only entered by its turn, and each work by its layer.
possible='main;turn_([ab]);\1_outer(;\1_inner(;work_\1)?)?(;[^;]*_\[k\])*$'

# Emulated, programs take ten times as long for what they do, and learning some seconds.
ms=150 walked=50 whole=80 lasts=1.5s
[ -z "${SBERF_EMULATED-}" ] || ms=100 walked=5 whole=50 lasts=3s

# changes TITLE MODE SEEN: swaps, changing so every so many ms. SEEN yes: the kernel half tells the memory from the one before, so nothing is
# dropped. SEEN no: that shows afterwards; those stacks are dropped, and counted. SEEN perhaps: either.
changes() {
	local title=$1 mode=$2 seen=$3
	start_workload swaps 60 "$mode" $ms
	record "$mode.data" -F 997 --no-off-cpu --unwind kernel --verify-unwind 2 -p "$workload" --duration $lasts
	equal "$title: recorded, status" 0 $?
	stop_workload
	"$SBERF" report -i "$mode.data" --format folded --no-inline | sed 's/ [0-9]*$//' >"$mode.folded"
	note "$title: $(value "$mode.data" oncpu_samples) samples; $(cuts "$mode.data")"
	if [ "$seen" = yes ]; then
		equal "$title: stale" 0 "$(value "$mode.data" cut_stale)"
	elif [ "$seen" = no ]; then
		at_least "$title: stale" 1 "$(value "$mode.data" cut_stale)"
	fi
	at_least "$title: percent walked in the kernel" $walked "$(value "$mode.data" unwound_kernel_percent)"
	at_least "$title: percent complete" $whole "$(value "$mode.data" oncpu_complete_percent)"
	at_least "$title: stacks of both" 2 "$(grep -oE 'work_[ab]' "$mode.folded" | sort -u | wc -l)"
	grep -F -v '[cut:' "$mode.folded" | grep -E '(^|;)(work_[ab]|[ab]_outer|[ab]_inner)(;|$)' | grep -vE "$possible" >"$mode.wrong"
	note "$(head -n 3 "$mode.wrong")"
	equal "$title: stacks that cannot be" 0 "$(grep -c . "$mode.wrong")"
	at_least "$title: stacks compared" 10 "$(value "$mode.data" verify_checked)"
	equal "$title: of them different" 0 "$(value "$mode.data" verify_different)"
}

replaced=("mapped over another file" over "unmapped, and another file mapped" unmap "dlclose and dlopen" dlopen)

# Where as much code of another file comes to be at the same address, it takes a tracepoint to see it.
record probe.data --no-off-cpu --unwind kernel -- true
case ,$(value probe.data kernel_without), in *,mmap_lock,*) seen=no ;; *) seen=yes ;; esac
for ((i = 0; i < ${#replaced[@]}; i += 2)); do
	changes "${replaced[i]}" "${replaced[i + 1]}" $seen
	if [ $seen = yes ]; then
		SBERF_WITHOUT=mmap_lock changes "${replaced[i]}, untold" "${replaced[i + 1]}" no
	fi
done
# A child is walked by what is known of its relatives until it maps code itself, which is not told either.
changes "fork" fork ${seen/no/perhaps}
# That of a relative which has what the child has: what was mapped over what is seen by who was forked since, and by nobody else.
changes "forked after a change" inherit ${seen/no/perhaps}
changes "a pid that is used again" reuse ${seen/no/perhaps}
if [ $seen = yes ]; then
	SBERF_WITHOUT=mmap_lock changes "fork, untold" fork perhaps
	SBERF_WITHOUT=mmap_lock changes "forked after a change, untold" inherit perhaps
	SBERF_WITHOUT=mmap_lock changes "a pid that is used again, untold" reuse perhaps
fi
changes "exec" exec yes

# The tools that the rest takes are not in a guest.
[ -z "${SBERF_EMULATED-}" ] || finish

# A program that has ended is copied over by another one: the file keeps its inode.
cat >two.sh <<-'SH'
	for program; do
		# As long as somebody reads /proc of a process that is gone, its program is busy.
		until cp "$program" one 2>/dev/null; do sleep 0.1; done
		timeout -s KILL "$SECONDS_EACH" ./one >/dev/null 2>&1
	done
SH
rewritten() {
	local title=$1 file=$2 each=$3
	shift 3
	record "$file.data" -F 997 --no-off-cpu --unwind kernel -- env SECONDS_EACH=$each sh two.sh "$@"
	"$SBERF" report -i "$file.data" --format folded --no-inline | sed 's/ [0-9]*$//' >"$file.folded"
	note "$title: $(value "$file.data" oncpu_samples) samples; $(cuts "$file.data")"
	at_least "$title: percent complete" 99 "$(value "$file.data" oncpu_complete_percent)"
	at_least "$title: stacks of the first" 1 "$(grep -c 'main;level_1;level_2;level_3;level_4;level_5' "$file.folded")"
	at_least "$title: stacks of the second" 1 "$(grep -c 'main;recurse;recurse;recurse' "$file.folded")"
	equal "$title: stacks of both" 0 "$(grep 'level_1' "$file.folded" | grep -c 'recurse')"
}
rewritten "copied over" copied 1.5 "$WORKLOADS/chain" "$WORKLOADS/recurse"
objcopy -R .note.gnu.build-id "$WORKLOADS/chain" first && objcopy -R .note.gnu.build-id "$WORKLOADS/recurse" second
# Names come from the file alone, so they have to be read before it is copied over, however busy the machine is.
rewritten "copied over, without build-ids" nameless 3 "$SCRATCH/first" "$SCRATCH/second"
finish
