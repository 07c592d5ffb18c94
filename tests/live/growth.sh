#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# growth.sh - what makes memory grow (--memory): each site that touches it, and what is given back, adds up to what the kernel says is
# resident; of a process that is started, of one that runs, and of a child. Exact to the page where all is told, within its error else.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

# judge TITLE MOST INTERVAL: sites, and each process from its begin to its end, may be off by MOST of a part and by so many standard errors
# of samples of INTERVAL bytes. "said" is what the program says.
judge() {
	local slack
	"$SBERF" report -i run.data --metric grown --group-by process --format folded >grown
	"$SBERF" report -i run.data --metric returned --group-by process --format folded >back
	# Where one stack stands for 64 faults, it does so for those before it, too, with 16 pages of a file each.
	case ,$(value run.data kernel_without), in *,rss_parts,*) slack=$((5 << 19)) ;; *) slack=$((1 << 18)) ;; esac
	awk -v most="$2" -v interval="$3" -v slack="$slack" '
	function allowed(n) { return n * most + slack + 4 * sqrt(n * interval) }
	function look(what, want, got, of, off) {
		off = want > got ? want - got : got - want
		right += off <= allowed(of)
		all++
		print what, want, got
	}
	# What a process had before it executed its program is not there any more: its group has another name.
	FILENAME != "said" {
		bytes = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, f, ";")
		sums[f[1]] += FILENAME == "grown" ? bytes : -bytes
		for (i = 2; FILENAME == "grown" && i <= n; i++)
			if (f[i] ~ /^by_/)
				sites[f[i]] += bytes
		next
	}
	$1 == "begin" { begun[$2] = $3 }
	$1 == "end" { look("process " $2, $3 - begun[$2], sums["grows " $2], interval > 1 ? $3 + 6e7 : $3) }
	NF == 2 { look($1, $2, sites[$1], $2) }
	END { print right + 0, "of", all + 0 }' grown back said >judged
	note "$(grep -v ' of ' judged)"
	equal "$1: sites and processes are as the kernel says" "9 of 9" "$(tail -n 1 judged)"
}

total() {
	"$SBERF" report -i run.data --metric "$1" --format folded | awk '{ n += $NF } END { printf "%d\n", n / 1048576 }'
}

# Bytes that give_back() has offered by advice, by METRIC.
advised() {
	"$SBERF" report -i run.data --metric "$1" --format folded | awk '/;give_back;/ { n += $NF } END { printf "%d\n", n }'
}

# On the second node, where there is one: what it touches first is there.
pin=()
node=/sys/devices/system/node/node1/cpulist
[ ! -s "$node" ] || pin=(taskset -c "$(sed 's/[-,].*//' "$node")")

grows() {
	"${pin[@]}" "$SBERF" record --no-off-cpu --ring-size 64M -o run.data "$@" -- "$WORKLOADS/grows" >said 2>err
	equal "$name, status" 0 $?
	equal "$name: nothing was lost" "" "$(grep -o 'lost [1-9].*' err)"
}

each_page() {
	name="each page"
	grows --memory --sample-bytes 1
	judge "$name" 0.01 1
	between "what was mapped, in MB" 163 189 "$(total mapped)"
	between "what was unmapped" 49 59 "$(total unmapped)"
	equal "what was given back by advice, by stack, to the byte" $((28 << 20)) "$(advised advised)"
	equal "and of that lazily" $((4 << 20)) "$(advised advised-lazily)"
	between "what was given back" 45 47 "$(total returned)"
	between "what shows no file, in MB" 136 139 "$(total grown-anon)"
	# Programs of a guest are in memory that is shared.
	between "what is shared" 5 12 "$(total grown-shared)"
	equal "what was touched on another node" 0 \
		"$("$SBERF" report -i run.data --metric grown --by-node --format folded | grep -c "^node $((${#pin[@]} ? 0 : 1))")"
	matches "sizes of processes were read" "[1-9][0-9]*  sizes of memory" "$("$SBERF" check run.data)"
}

sampled() {
	name="sampled"
	grows --memory=growth
	judge "$name" 0.01 65536
}

# One that runs: what it had before does not count.
running() {
	local target sberf
	mkfifo go
	"$WORKLOADS/grows" wait <go >said &
	target=$!
	exec 3>go
	wait_until 20 grep -q ^begin said
	"$SBERF" record --no-off-cpu --memory --sample-bytes 1 --ring-size 64M -o run.data -p "$target" 2>err &
	sberf=$!
	# Its thread begins behind what it has attached.
	wait_until 60 eval 'grep -qs sberf-engine /proc/$sberf/task/*/comm'
	echo >&3
	exec 3>&-
	wait "$sberf"
	equal "a process that runs, status" 0 $?
	judge "a process that runs" 0.01 1
}

# Where the parts of counters cannot be read, stacks stand for 32 pages or more of a CPU.
in_sums() {
	name="in sums"
	SBERF_WITHOUT=rss_parts grows --memory --sample-bytes 1
	judge "$name" 0.03 1
}

if on_share first; then
	each_page
fi
if on_share second; then
	running
fi
if on_share first && on_share second; then
	sampled
	in_sums
fi

# Of a program that lives for less than a second it is known how large it was, too: a slice of time has the average of its readings, and while
# the machine is busy some of these are from before it had its 64 MB. Of a reading at its start it would be 1 MB.
brief() {
	cat >brief.c <<-'END'
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	/* Others might read it: else the compiler leaves all of it out. */
	char *p;
	int main(void)
	{
		p = malloc(64 << 20);
		memset(p, 1, 64 << 20);
		usleep(400000);
		return 0;
	}
	END
	${CC:-cc} -O1 -o brief brief.c || exit 99
	check "a brief program: recorded" record run.data --memory -- ./brief
	at_least "a brief program: MB resident at most" 60 \
		"$("$SBERF" report -i run.data --format memory | sed -n 's/^resident .*, \([0-9]*\)[0-9.]* MB at most$/\1/p')"
}
# A guest has no compiler.
[ -n "${SBERF_EMULATED:-}" ] || brief
finish
