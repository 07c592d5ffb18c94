# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# round.sh - sourced by the tests of formats: does another program's reader find the same functions with the same time in an export
# as --format folded has?
. "$top_srcdir/tests/tap.sh" || exit 99
sberf=${SBERF:?is set by make check}
# Readers are not to look into what this user or a server has.
export HOME=$SCRATCH TMPDIR=$SCRATCH PPROF_TMPDIR=$SCRATCH PPROF_BINARY_PATH=$SCRATCH DEBUGINFOD_URLS=
recordings=("$top_srcdir"/tests/data/{example,v1,v1_1,v1_2}.sberf)

# folded_functions: folded stacks on standard input, "function TAB self TAB total TAB stacks" in microseconds on standard output. The
# first word of a stack, its group, is no function; suffixes are taken off; a function counts once in a stack.
folded_functions() {
	awk '{
		ns = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, frame, ";")
		split("", seen)
		for (i = 2; i <= n; i++) {
			name = frame[i]
			sub(/_\[[kij]\]$/, "", name)
			if (!(name in seen)) {
				total[name] += ns
				stacks[name]++
			}
			seen[name] = 1
			if (i == n)
				self[name] += ns
		}
	}
	END {
		for (name in total)
			printf "%s\t%.0f\t%.0f\t%d\n", name, self[name], total[name], stacks[name]
	}'
}

# same_functions TITLE WANT GOT: files as folded_functions writes them (GOT without the last column). Each stack in WANT was rounded to
# a microsecond, and a function of no time need not be in GOT. What stands under a group of folded stacks without a function has one in
# other formats, which says so.
same_functions() {
	check "$1" awk -F '\t' '
	function off(a, b) { return a > b ? a - b : b - a }
	NR == FNR { self[$1] = $2; total[$1] = $3; stacks[$1] = $4; next }
	!($1 in total) && $1 ~ /^(\[no stack\]|idle: )/ { next }
	!($1 in total) { printf "not in folded: %s\n", $0; bad = 1; next }
	{
		if (off($2, self[$1]) > stacks[$1] + 1 || off($3, total[$1]) > stacks[$1] + 1) {
			printf "%s: %.0f %.0f, in folded %.0f %.0f\n", $1, $2, $3, self[$1], total[$1]
			bad = 1
		}
		delete total[$1]
		n++
	}
	END {
		for (name in total)
			if (total[name] > stacks[name]) {
				printf "only in folded: %s %.0f\n", name, total[name]
				bad = 1
			}
		exit bad || !n
	}' "$2" "$3"
}

# collapse EVENT: what `perf script` prints on standard input as folded stacks in nanoseconds: of events that match EVENT, any when it is "".
collapse() {
	awk -v event="$1" '
	function done() {
		if (stack != "" && (event == "" || here ~ "^(" event ")$"))
			printf "%s%s %s\n", comm, stack, period
		stack = ""
	}
	/^[^\t #]/ {
		done()
		here = $NF
		sub(/:$/, "", here)
		period = $(NF - 1)
		comm = "comm"
		next
	}
	/^\t/ {
		sub(/^\t *[0-9a-f]+ /, "")
		# "name+0x10 (file)", "name (inlined)", or, with source lines, "name+0x10" of an inlined one.
		if (!sub(/\+0x[0-9a-f]+( \(.*\))?$/, ""))
			sub(/ \([^(]*\)$/, "")
		gsub(/;/, ":")
		stack = ";" $0 stack
	}
	END { done() }'
}

# microseconds: functions as folded_functions has them, whose times are nanoseconds, in microseconds.
microseconds() {
	awk -F '\t' '{ printf "%s\t%.3f\t%.3f\t%d\n", $1, $2 / 1000, $3 / 1000, $4 }'
}

# pprof ARGS...: Go's reader, which is not to look for binaries.
pprof() {
	go tool pprof -symbolize=none "$@" 2>&1
}

# top_functions VALUE FILE [UNIT]: as folded_functions of round.sh; UNIT: how many of VALUE are 1 there, 1000 unless said.
top_functions() {
	pprof -top -unit=ns -nodecount=1000000 -nodefraction=0 -edgefraction=0 -sample_index="$1" "$2" | awk -v unit="${3:-1000}" '
	$1 == "flat" { go = 1; next }
	go {
		self = $1 / unit
		total = $4 / unit
		sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, "")
		sub(/ \((partial-)?inline\)$/, "")
		gsub(/;/, ":")
		printf "%s\t%.0f\t%.0f\n", $0, self, total
	}'
}

# perf_script FILE FIELDS: what perf reads in FILE, as it prints it.
perf_script() {
	perf script -i "$1" --no-inline --max-stack 20000 -F "comm,pid,tid,cpu,time,event,period,ip$2" 2>/dev/null
}
