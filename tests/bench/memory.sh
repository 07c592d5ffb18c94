#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# memory.sh - what a pair of malloc() and free() costs a program (pairs.c) that does nothing else, by who looks at it: ns of its own CPU time,
# medians of ROUNDS, each tool in each round, and what is more than alone. What --memory=growth costs a compiler (unit.cc), in
# milliseconds of CPU time of all that it starts, beside a recording without. And how long whole programs take, and how many requests a
# second redis-server answers, at each level within the default budget, in percent of alone: the median of what each round has.
set -eu
work=$(mktemp -d)
sberf=${SBERF:?is set by make bench}
pairs=$top_builddir/tests/bench/pairs
library=$top_builddir/libsberf-memory.so
rounds=${ROUNDS:-5}

. "$top_srcdir/tests/bench/peers.sh"

# of NAME COMMAND...: one figure more.
of() {
	local name=$1
	shift
	"$@" 2>"$work/err" | grep -E '^[0-9]+\.[0-9]+$' >>"$work/$name" || echo "$name failed: $(tail -n 1 "$work/err")" >&2
}

sampled() {
	local level=$1
	shift
	"$sberf" record --no-off-cpu --budget none --memory "$level" -o "$work/run.data" -- "$@"
}

has() {
	command -v "$1" >/dev/null
}

# What bcc's memleak does, by bpftrace: each block has its stack, from malloc() to its return, and until it is freed.
libc=$(ldd "$pairs" | awk '$1 == "libc.so.6" { print $3 }')
cat >"$work/leak.bt" <<end
uprobe:$libc:malloc /pid == cpid/ { @size[tid] = arg0; }
uretprobe:$libc:malloc /@size[tid]/ { @live[retval] = (@size[tid], ustack(perf)); delete(@size[tid]); }
uprobe:$libc:free /pid == cpid/ { delete(@live[arg0]); }
END { clear(@size); clear(@live); }
end
traced=
if has perf && perf probe -q -x "$libc" malloc 2>/dev/null; then traced=yes; fi
redis=
# shellcheck disable=SC2317  # by trap
end_memory() {
	[ -z "$traced" ] || perf probe -q -d probe_libc:malloc 2>/dev/null || :
	[ -z "$redis" ] || kill "$redis" 2>/dev/null || :
	rm -rf "$work"
}
trap end_memory EXIT

# Programs as a whole.
levels="alone record growth allocs preload"
launch() {
	local level=$1
	shift
	case $level in
	alone) "$@" ;;
	record) "$sberf" record -o "$work/run.data" -- "$@" ;;
	*) "$sberf" record --memory="$level" -o "$work/run.data" -- "$@" ;;
	esac >/dev/null 2>"$work/err"
}

# takes NAME COMMAND...: how long it takes at each level, in percent of alone; not how long sberf begins before and reads names behind.
takes() {
	local name=$1 level took alone=
	shift
	for level in $levels; do
		# shellcheck disable=SC2016  # for that shell
		launch "$level" bash -c 'TIMEFORMAT=%R; { time "$@" 2>/dev/null; } 2>"$0"' "$work/took" "$@" ||
			echo "$name at level $level failed: $(tail -n 1 "$work/err")" >&2
		took=$(tail -n 1 "$work/took")
		alone=${alone:-$took}
		awk "BEGIN { print 100 * $took / $alone }" >>"$work/whole.$name.$level"
	done
}

# Requests a second, of a server that runs already.
serves() {
	local level recorder rate alone=
	for level in alone record growth allocs; do
		recorder=
		case $level in
		alone) ;;
		record) "$sberf" record -p "$redis" -o "$work/run.data" 2>"$work/err" & recorder=$! ;;
		*) "$sberf" record --memory="$level" -p "$redis" -o "$work/run.data" 2>"$work/err" & recorder=$! ;;
		esac
		pause 2
		rate=$(redis-benchmark -s "$work/redis" -t set -n 1000000 -r 100000 -d 64 --csv | awk -F'"' '$2 == "SET" { print $4 }')
		if [ -n "$recorder" ]; then
			kill -INT "$recorder"
			wait "$recorder" || :
		fi
		alone=${alone:-$rate}
		awk "BEGIN { print 100 * $rate / $alone }" >>"$work/whole.redis.$level"
	done
}

# compiles NAME COMMAND...: the compiler below COMMAND; what the rest of COMMAND takes is left out.
compiles() {
	local name=$1
	shift
	"$@" bash -c 'TIMEFORMAT="%U %S"; time "$@" 2>/dev/null' - g++ -O2 -c "$(dirname "$0")/unit.cc" -o "$work/unit.o" 2>"$work/err"
	awk '/^[0-9.]+ [0-9.]+$/ { print 1000 * ($1 + $2) }' "$work/err" >>"$work/$name"
}

for ((round = 0; round < rounds; round++)); do
	if has g++; then
		compiles compiler
		compiles recorded "$sberf" record --no-off-cpu -o "$work/run.data" --
		compiles grown "$sberf" record --no-off-cpu --memory -o "$work/run.data" --
	fi
	of alone "$pairs" 20000
	of library env LD_PRELOAD="$library" "$pairs" 20000
	of preload sampled preload "$pairs" 20000
	of allocs sampled allocs "$pairs" 1000
	has heaptrack && of heaptrack heaptrack -o "$work/heaptrack" "$pairs" 1000
	has valgrind && of valgrind valgrind -q --tool=massif --massif-out-file=/dev/null "$pairs" 1000
	has bpftrace && of bpftrace bpftrace -q -c "$pairs 100" "$work/leak.bt"
	[ -z "$traced" ] || of perf perf trace -o /dev/null -e probe_libc:malloc/call-graph=fp/ "$pairs" 100
done

if has redis-server && has redis-benchmark; then
	redis-server --port 0 --unixsocket "$work/redis" --save '' --appendonly no >/dev/null &
	redis=$!
	await redis-cli -s "$work/redis" ping || redis=
fi
for ((round = 0; round < rounds; round++)); do
	has g++ && takes g++ g++ -O2 -c "$(dirname "$0")/unit.cc" -o "$work/unit.o"
	# shellcheck disable=SC2016  # perl's
	has perl && takes perl perl -e 'for my $i (1 .. 6000000) { $h{$i % 200000} .= $i }'
	has node && takes node node -e 'let a = []; for (let i = 0; i < 240; i++) { for (let k = 0; k < 20000; k++) a[k] = { k, s: "x" + k }; JSON.parse(JSON.stringify(a)) }'
	[ -z "$redis" ] || serves
done

row() {
	[ ! -s "$work/$2" ] || printf '%-46s %9.1f %9.1f\n' "$1" "$(m "$2")" "$(minus "$(m "$2")" "$(m alone)")"
}

printf '%-46s %9s %9s\n' "ns a pair" is more
row "alone" alone
row "with libsberf-memory.so, nobody looks" library
row "record --memory=preload, 512K" preload
row "record --memory=allocs, 512K" allocs
row "heaptrack" heaptrack
row "valgrind --tool=massif" valgrind
row "perf trace of malloc(), frame pointers" perf
row "as memleak does, by bpftrace" bpftrace
if [ -s "$work/compiler" ]; then
	printf '%-46s %9s %9s\n' "ms of a compiler" is more
	printf '%-46s %9.0f\n' "alone" "$(m compiler)"
	printf '%-46s %9.0f %9.0f\n' "record" "$(m recorded)" "$(minus "$(m recorded)" "$(m compiler)")"
	printf '%-46s %9.0f %9.0f\n' "record --memory, 64K" "$(m grown)" "$(minus "$(m grown)" "$(m recorded)")"
fi
printf '%-46s %9s %9s %9s %9s\n' "percent of alone" record growth allocs preload
for program in g++ perl node redis; do
	[ ! -s "$work/whole.$program.alone" ] || printf '%-46s %9.1f %9.1f %9.1f %9s\n' \
		"$program$([ $program = redis ] && echo ", requests a second" || echo ", seconds")" "$(m "whole.$program.record")" \
		"$(m "whole.$program.growth")" "$(m "whole.$program.allocs")" "$(m "whole.$program.preload" | cut -c1-5)"
done
