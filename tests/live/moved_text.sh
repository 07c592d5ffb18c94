#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# moved_text.sh - text that moved to other memory at the same address, huge pages among it, keeps its names and its stacks; also in a child whose
# parent is gone before anybody looks. Alone, since it changes how many huge pages there are.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1
pages=/proc/sys/vm/nr_hugepages
had=

put_back() {
	! mountpoint -q "$SCRATCH/huge" || { rm -f "$SCRATCH/huge/text"; umount "$SCRATCH/huge"; }
	[ -z "$had" ] || echo "$had" >$pages
}
trap 'put_back; tap_cleanup' EXIT

# look TITLE PID
look() {
	check "$1: recorded" record moved.data -F 997 --no-off-cpu --duration 1s -p "$2"
	"$SBERF" report -i moved.data --format folded --no-kernel >folded
	at_least "$1: percent with names, from main on" 99 "$(share folded ';main;text_outer;text_middle;text_leaf')"
	at_least "$1: percent complete" 99 "$(value moved.data oncpu_complete_percent)"
}

# moved TITLE HOW...: attached behind the move.
moved() {
	local title=$1
	shift
	start_workload "${program:-movedtext}" 60 "$@" || {
		result 1 "$title: it runs"
		return
	}
	look "$title" "$workload"
	stop_workload
}

# A run-time of javascript that puts its own text on huge pages.
largepages() {
	node --use-largepages=on -e 'const t = Date.now() + 60000; let x = 1; console.log("ready"); while (Date.now() < t) x = x * 3 % 1000003' >ready &
	also_kill $!
	wait_until 20 grep -q ready ready
	check "node: recorded" record moved.data -F 997 --no-off-cpu --duration 1s -p $!
	"$SBERF" report -i moved.data --format folded --no-kernel >folded
	at_least "node: percent with the functions of its own text, by name" 80 "$(share folded ';node::Start.*;node::LoadEnvironment')"
	at_least "node: percent complete" 80 "$(value moved.data oncpu_complete_percent)"
	kill -KILL $!
	wait $! 2>/dev/null
}

moved "mremap" mremap
moved "a file in memory" memfd
moved "copied back" copy
program=movedtext_filling moved "nearly all filling, copied back" copy

if command -v node >/dev/null; then
	largepages
else
	skip "node is not installed" "node --use-largepages=on"
fi

# The child says its number before it is ready; its parent has ended by then.
mkfifo orphan
"$WORKLOADS/movedtext" 60 orphan >orphan &
parent=$!
exec {orphan_out}<orphan
read -rt 60 child <&"$orphan_out"
read -rt 60 word <&"$orphan_out"
also_kill "$child"
wait "$parent"
look "a child whose parent has ended" "$child"
kill -KILL "$child"
exec {orphan_out}<&-

had=$(cat $pages)
echo $((had + 4)) >$pages 2>/dev/null
if [ "$(cat $pages)" -lt $((had + 4)) ]; then
	skip "no memory for huge pages" "huge pages"
else
	moved "huge pages" huge
	mkdir huge
	if mount -t hugetlbfs none huge 2>mount.err; then
		moved "a file on a hugetlbfs" file huge/text
		rm -f huge/text
		umount huge
	else
		skip "no hugetlbfs can be mounted" "a file on a hugetlbfs"
	fi
fi
put_back
had=
finish
