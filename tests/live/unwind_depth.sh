#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unwind_depth.sh - stacks that are walked in the kernel are whole however large or deep they are, and wherever they go on; of those with
# more frames than sberf walks the nearest are kept.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

# walked TITLE PROGRAM ARGS...: its stacks, by weight, to the file folded; the recording is walked.data. It is left to learn first: what
# it took to learn from is another way of unwinding, with limits of its own, and not what is tested here.
walked() {
	local title=$1
	shift
	start_workload "$@"
	record walked.data -F 499 --no-off-cpu --unwind kernel -p "$workload" --duration 3s
	equal "$title: recorded, status" 0 $?
	stop_workload
	"$SBERF" report -i walked.data --format folded --no-inline >folded
	note "$title: $(value walked.data oncpu_samples) samples; $(cuts walked.data)"
	at_least "$title: percent walked in the kernel" 50 "$(value walked.data unwound_kernel_percent)"
}

# all_are TITLE REGEX: every stack, kernel side apart, matches.
all_are() {
	sed 's/ [0-9]*$//' folded | grep -vE "$2(;[^;]*_\[k\])*\$" >other
	[ ! -s other ] || note "$(head -n 1 other | cut -c 1-200)"
	equal "$1" 0 "$(grep -c . other)"
}

# Between the two are functions of the C library, which has names for them where it was not stripped.
root='^[^;]*;_start;([^;]*;){1,2}main'

walked "1000 frames" recurse 60 1000
equal "1000 frames: percent complete" 100.00 "$(value walked.data oncpu_complete_percent)"
all_are "1000 frames: all there" "$root(;recurse){1000}"

walked "20 frames of 2.5 KB" recurse 60 20 wide
equal "20 frames of 2.5 KB: percent complete" 100.00 "$(value walked.data oncpu_complete_percent)"
all_are "20 frames of 2.5 KB: all there" "$root(;recurse_wide){20};recurse"

walked "5000 frames" recurse 60 5000
kernel=$(value walked.data unwound_kernel_percent)
between "5000 frames: percent said to have too many" "$(awk -v k="$kernel" 'BEGIN { print k - 1 }')" 100 "$(share folded '\[cut: frame_limit\]')"
equal "5000 frames: those cut for it do not have the nearest 1024" 0 "$(grep -F '[cut: frame_limit]' folded | sed 's/ [0-9]*$//' |
	grep -vcE '^[^;]*;\[cut: frame_limit\](;recurse){1024}(;[^;]*_\[k\])*$')"

# The handler's stack is another one, and below it the interrupted one goes on.
for way in "" alt; do
	title="signal handler${way:+ on an alternate stack}"
	walked "$title" signals 60 $way
	equal "$title: percent complete" 100.00 "$(value walked.data oncpu_complete_percent)"
	all_are "$title: down to main" "$root;caller_of_work;interrupted_work;[^;]*;handler;handler_work"
done

# What is always deeper than a copy is learnt from where walks stop: whole after the first half second, whatever the size of frames.
# late TITLE METRIC REGEX: of the weight of METRIC behind the first half second, 99 % is in stacks that match.
late() {
	"$SBERF" report -i deep.data --time 500ms, --metric "$2" --format folded --no-inline >folded 2>/dev/null
	note "$1: $(cuts deep.data)"
	at_least "$1: percent of all behind the first half second that is whole" 99 "$(share folded "$3")"
}
for way in "1000" "100 large"; do
	read -r frames size <<<"$way"
	title="$frames frames of ${size:-544 bytes}"
	start_workload stays 60 "$frames" "${size:-small}"
	record deep.data -F 199 -p "$workload" --duration 2s
	equal "$title: recorded, status" 0 $?
	late "$title, on a CPU" on-cpu "$root(;stay_${size:-small}){$frames};innermost"
	stop_workload
	start_workload stays 60 "$frames" "${size:-small}" waits
	record deep.data -F 199 -p "$workload" --duration 2s
	equal "$title, waiting: recorded, status" 0 $?
	late "$title, waiting" blocked "$root(;stay_${size:-small}){$frames};innermost;"
	stop_workload
	# What began before is read from outside: as far as it goes, or as --stack-size says.
	start_workload stays 60 "$frames" "${size:-small}" asleep
	record deep.data -F 199 -p "$workload" --duration 1s
	"$SBERF" report -i deep.data --metric blocked --format folded --no-inline >folded
	at_least "$title, asleep since before: percent whole" 99 "$(share folded "$root(;stay_${size:-small}){$frames};innermost;")"
	record deep.data -F 199 -p "$workload" --duration 1s --stack-size 32K
	equal "$title, asleep, of 32 KB: stacks cut for it" 1 "$(value deep.data offcpu_cut_stack_size)"
	stop_workload
done

finish
