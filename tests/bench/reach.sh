#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# reach.sh - sberf with stacks walked in the kernel, beside whom a user would run instead: offcputime (of libbpf-tools, and of bcc),
# perf record with stacks by frame pointers and with copies of them. The same work under each of them, interleaved; medians.
#
#	tests/bench/reach.sh [ROUNDS] [SECONDS]      (environment: SBERF, top_builddir; ONLY: names of parts)
#
# First a storm of switches, then programs of the distribution at 997 Hz. By one measure for all a stack is whole when the function in
# it with which a thread begins is there. CPU is that of the tool's process, and of its BPF programs where it tells; what it takes in
# the interrupts of its samples is seen by how much longer the program is at the same work. Behind a figure that somebody has asked for
# stands what was asked. Nothing is judged. What is not installed is named. Root only.
set -eu
rounds=${1:-3}                   # of storms; of programs it is one less
seconds=${2:-7}
loops=${LOOPS:-100000}
warm=3                           # seconds after which nothing should be new ...
known=20                         # ... but of a compiler, of which a hundred thousand places come by
hz=997
sberf=${SBERF:-$top_builddir/sberf}
cpu=$(($(nproc) - 1))
PATH=$PATH:/usr/sbin:/usr/share/bcc/tools
here=$(dirname "${BASH_SOURCE[0]}")
work=$(mktemp -d)
chmod 755 "$work"
beside=
load=
cleanup() {
	local p
	for p in $beside $load; do kill "$p" 2>/dev/null || :; done
	[ ! -s "$work/pg/postmaster.pid" ] || kill -QUIT "$(head -n 1 "$work/pg/postmaster.pid")" 2>/dev/null || :
	wait
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# The function that a thread begins with, as far as there is a name for it in a stripped program. Who knows exported names alone calls
# __libc_start_call_main() by the one before it.
# shellcheck disable=SC2034  # for peers.sh
begins='__libc_start|__libc_init_first|_start|clone3?|start_thread'

# shellcheck source=tests/bench/peers.sh
. "$here/peers.sh"

wants() {
	[ -z "${ONLY-}" ] || [[ " $ONLY " == *" $1 "* ]]
}

# ---- a storm of switches ----

# storm NAME PREFIX...: `perf bench sched pipe` under PREFIX: us an operation by the clock and of its CPU time.
storm() {
	local name=$1 before
	shift
	spend
	before=$spent
	# shellcheck disable=SC2016  # for the inner shell
	"$@" taskset -c "$cpu" bash -c 'TIMEFORMAT="cpu %U %S"; time perf bench -f simple sched pipe -l "$0"' "$storm_loops" \
		>"$work/out" 2>"$work/err" || { cat "$work/err" >&2; return 1; }
	awk -v n="$storm_loops" '/^[0-9.]+$/ { printf "%.3f\n", $1 / n * 1e6 }' "$work/out" >>"$work/$name.us"
	spend
	awk -v n="$storm_loops" -v name="$work/$name" -v all="$(minus "$spent" "$before")" '$1 == "cpu" {
		printf "%.3f\n", ($2 + $3) / n * 1e6 >>(name ".cpu")
		printf "%.2f\n", all - $2 - $3 >>(name ".tool") }' "$work/err"
}

# told NAME EVENTS: percent of the switches of the storm that somebody was told of.
told() {
	awk -v got="$2" -v all=$((2 * storm_loops)) 'BEGIN { printf "%.1f\n", 100 * (got < all ? got : all) / all }' >>"$work/$1.told"
}

storm_sberf() {
	local name=$1 s=$work/s.data
	shift
	storm "$name" "$sberf" record -e cpu-clock -o "$s" "$@" --
	told "$name" "$(value "$s" offcpu_waits)"
	lost_of "$s" >>"$work/$name.lost"
	stat -c %s "$s" >>"$work/$name.bytes"
	"$sberf" report -i "$s" --format folded --metric off-cpu --no-kernel --no-inline --process sched-pipe 2>/dev/null |
		whole_folded >>"$work/$name.whole"
	value "$s" bpf_cpu_seconds >>"$work/$name.bpf"
	rm -f "$s"*
}

# Of all user threads: it has no other way to follow a command. Its sums are of time; how many waits they are of it does not say.
storm_offcputime() {
	local name=$1 tool=$2 before
	spend
	before=$spent
	offcputime_begin "$tool" -u
	storm "$name" env
	offcputime_end
	# That of the tool was known when it ended.
	sed -i '$d' "$work/$name.tool"
	spend
	awk -v all="$(minus "$spent" "$before")" '$1 == "cpu" { printf "%.2f\n", all - $2 - $3 }' "$work/err" >>"$work/$name.tool"
	offcputime_missed >>"$work/$name.lost"
	stat -c %s "$work/offcputime.out" >>"$work/$name.bytes"
	# It looks names up at the end, when the storm is over: so once more, without waiting for the end of that.
	taskset -c "$cpu" perf bench -f simple sched pipe -l 100000000 >/dev/null 2>&1 &
	load=$!
	offcputime_begin "$tool" -u
	pause 0.5
	offcputime_end
	end_load
	whole_offcputime sched-pipe >>"$work/$name.whole"
}

# A copy of 8 KB for each switch: a fifth of the storm is some 300 MB. Its file, and the switches that are not in it, are what is lost.
storm_perf() {
	local name=$1 how=$2 storm_loops=$((loops / 5)) n
	storm "$name" perf record -q -e sched:sched_switch --call-graph "$how" -o "$work/perf.data" --
	n=$(samples_of_perf)
	told "$name" "$n"
	awk -v got="$n" -v all=$((2 * storm_loops)) 'BEGIN { print got < all ? all - got : 0 }' >>"$work/$name.lost"
	stat -c %s "$work/perf.data" >>"$work/$name.bytes"
	whole_perf sched-pipe >>"$work/$name.whole"
	rm -f "$work/perf.data"*
}

storm_row() {
	local name=$1 title=$2 us
	[ -s "$work/$name.us" ] || { [ "$name" = alone ] || printf '  %-22s (not installed)\n' "$title"; return 0; }
	us=$(median <"$work/$name.us")
	awk -v t="$title" -v us="$us" -v alone="$(median <"$work/alone.us")" -v cpu="$(median <"$work/$name.cpu")" \
		-v alone_cpu="$(median <"$work/alone.cpu")" -v told="$(m "$name.told")" -v lost="$(m "$name.lost")" \
		-v bytes="$(m "$name.bytes")" -v whole="$(m "$name.whole")" -v tool="$(m "$name.tool")" -v bpf="$(m "$name.bpf")" 'BEGIN {
		printf "  %-22s %6.2f %5.2f %6.2f %5.2f %9.0f", t, us, us / alone, cpu, cpu / alone_cpu, 2e6 / us
		if (t != "alone")
			printf " %7s %8s %11s %7s %6s %6s", told, lost, bytes, whole, tool, bpf
		print "" }'
}

# slower A B: how much slower the storm is by A, of what it is by B, round by round: the median.
slower() {
	paste "$work/alone.$3" "$work/$1.$3" "$work/$2.$3" | awk '$3 > $1 { printf "%.2f\n", ($2 - $1) / ($3 - $1) }' | median
}

storms() {
	local r storm_loops=$loops
	command -v perf >/dev/null || { echo "perf is not installed: no perf bench sched pipe"; return 0; }
	for ((r = 0; r < rounds; r++)); do
		storm alone env
		rm -f "$work/alone.tool"
		storm_sberf kernel --unwind kernel
		storm_sberf copy --unwind copy
		[ -z "$offcputime" ] || storm_offcputime offcputime "$offcputime"
		[ -z "$bcc" ] || storm_offcputime bcc "$bcc"
		storm_perf fp fp
		storm_perf dwarf dwarf
	done
	echo "perf bench sched pipe -l $loops on CPU $cpu (perf record: $((loops / 5))), us an operation by the clock and of CPU time;" \
		"medians of $rounds rounds, load $(cut -d' ' -f1 /proc/loadavg)"
	printf '  %-22s %6s %5s %6s %5s %9s %7s %8s %11s %7s %6s %6s\n' "" us times CPU times "switch/s" "told %" lost bytes "whole %" \
		"tool s" "BPF s"
	storm_row alone alone
	storm_row kernel "sberf --unwind kernel"
	storm_row copy "sberf --unwind copy"
	storm_row offcputime "offcputime -u"
	storm_row bcc "offcputime -u (bcc)"
	storm_row fp "perf record, fp"
	storm_row dwarf "perf record, dwarf"
	[ -n "$offcputime" ] || return 0
	echo "  slowed down by sberf --unwind kernel $(slower kernel offcputime us) times as much as by offcputime -u," \
		"$(slower kernel offcputime cpu) times of CPU time (asked: at most 0.8)"
}

# ---- programs ----

# share NAME FILE FROM-FILE: what a recording took of a core since another one of the same, which is its beginning, and where its
# stacks were walked.
share() {
	local name=$1 s=$2 from=$3 figure
	for figure in user_cpu_seconds bpf_cpu_seconds duration_seconds user_samples; do
		minus "$(value "$s" $figure)" "$(value "$from" $figure)" >"$work/d.$figure"
	done
	awk -v d="$(cat "$work/d.duration_seconds")" -v u="$(cat "$work/d.user_cpu_seconds")" -v b="$(cat "$work/d.bpf_cpu_seconds")" \
		-v name="$work/$name" 'BEGIN { printf "%.2f\n", 100 * u / d >>(name ".user"); printf "%.2f\n", 100 * b / d >>(name ".bpf")
			printf "%.2f\n", 100 * (u + b) / d >>(name ".sum") }'
	awk -v n="$(cat "$work/d.user_samples")" -v left="$(minus "$(left_of "$s")" "$(left_of "$from")")" \
		'BEGIN { if (n > 0) printf "%.2f\n", 100 * (n - left) / n }' >>"$work/$name.kernel"
}

has_begun() {
	[ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt 1000 ]
}

# run_sberf NAME OPTIONS...: a recording, of which the beginning is kept after $warm seconds; and once more after $later seconds, if that
# is set, for the shares of $name_later.
run_sberf() {
	local name=$1 s=$work/s.data before
	shift
	rm -f "$s"
	"$sberf" record -e cpu-clock -F $hz --duration "${seconds}s" -o "$s" "$@" >/dev/null 2>"$work/err" &
	beside=$!
	if ! await has_begun "$s"; then
		cat "$work/err" >&2
		kill "$beside" 2>/dev/null || :
		beside=
		return 0
	fi
	pause "$warm"
	cp "$s" "$work/begin.data"
	if [ -n "${later-}" ]; then
		pause $((later - warm))
		cp "$s" "$work/later.data"
	fi
	wait "$beside" || :
	beside=
	share "$name" "$s" "$work/begin.data"
	[ -z "${later-}" ] || share "$name_later" "$s" "$work/later.data"
	value "$s" oncpu_samples >>"$work/$name.samples"
	value "$s" oncpu_complete_percent >>"$work/$name.complete"
	value "$s" rules_pages >>"$work/$name.pages"
	value "$s" rules_bytes >>"$work/$name.rules"
	spend
	before=$spent
	"$sberf" report -i "$s" --format folded --metric on-cpu --no-kernel --no-inline 2>/dev/null | whole_folded >>"$work/$name.whole"
	since_spent "$before" "$name.later"
	lost_of "$s" >>"$work/$name.lost"
	stat -c %s "$s" >>"$work/$name.bytes"
	rm -f "$s"*
}

# run_perf NAME HOW PID[,PID...]: its own CPU time, from $warm seconds on to the end of what is sampled; and what perf report takes then.
run_perf() {
	local name=$1 how=$2 from to
	perf record -q --no-bpf-event -e cpu-clock -F $hz --call-graph "$how" -o "$work/perf.data" -p "$3" >/dev/null 2>"$work/err" &
	beside=$!
	pause "$warm"
	from=$(cpu_of "$beside")
	pause $((seconds - warm))
	to=$(cpu_of "$beside")
	kill -INT "$beside" 2>/dev/null || { cat "$work/err" >&2; beside=; return 0; }
	wait "$beside" || :
	beside=
	awk -v u="$(minus "$to" "$from")" -v d=$((seconds - warm)) 'BEGIN { printf "%.2f\n", 100 * u / d }' |
		tee -a "$work/$name.sum" >>"$work/$name.user"
	samples_of_perf >>"$work/$name.samples"
	perf report -i "$work/perf.data" --stats 2>/dev/null | awk '$1 ~ /^LOST/ { n += $3 } END { print n + 0 }' >>"$work/$name.lost"
	stat -c %s "$work/perf.data" >>"$work/$name.bytes"
	spend
	from=$spent
	whole_perf "" >>"$work/$name.whole"
	since_spent "$from" "$name.later"
	rm -f "$work/perf.data"*
}

columns='  %-22s %8s %7s %7s %7s %8s %8s %9s %11s %5s %8s\n'
program_row() {
	local name=$1 figure row=("$2")
	[ -s "$work/$name.sum" ] || return 0
	for figure in samples user bpf sum kernel complete whole bytes lost later; do row+=("$(m "$name.$figure")"); done
	# shellcheck disable=SC2059  # it is one
	printf "$columns" "${row[@]}"
}

# run_offcputime NAME COMM: how many of the stacks of the same program's waits are whole.
run_offcputime() {
	offcputime_begin "$offcputime" -u
	pause $((seconds - warm))
	offcputime_end
	whole_offcputime "$2" >>"$work/$1.off"
}

# program NAME COMM ASKED PIDS-FOR-PERF TARGET...: all tools on what runs already.
program() {
	local name=$1 comm=$2 asked=$3 pids=$4 r rounds=$((rounds > 1 ? rounds - 1 : 1))
	shift 4
	for ((r = 0; r < rounds; r++)); do
		run_sberf "$name.walk" --unwind kernel --no-off-cpu "$@"
		[ "$name" != cc1plus ] || run_long "$name" --unwind kernel --no-off-cpu "$@"
		run_sberf "$name.waits" --unwind kernel "$@"
		[ -z "$offcputime" ] || run_offcputime "$name" "$comm"
		[ "$have_perf" = no ] || run_perf "$name.fp" fp "$pids"
		[ "$have_perf" = no ] || run_perf "$name.dwarf" dwarf,16384 "$pids"
	done
	echo "$name at $hz Hz, percent of one core from second $warm on; medians of $rounds rounds of $seconds s, load" \
		"$(cut -d' ' -f1 /proc/loadavg)"
	# shellcheck disable=SC2059  # it is one
	printf "$columns" "" samples "user %" "BPF %" "sum %" "kernel %" "reached %" "whole %" bytes lost "report s"
	program_row "$name.walk" "sberf, samples alone"
	program_row "$name.long" "the same, for $((known + 2 * seconds)) s"
	program_row "$name.known" "of these, second $known on"
	program_row "$name.waits" "sberf, and waits"
	program_row "$name.fp" "perf record, fp"
	program_row "$name.dwarf" "perf record, dwarf"
	[ ! -s "$work/$name.off" ] || echo "  offcputime -u: $(m "$name.off") % of the time of its waits is on whole stacks"
	[ -s "$work/$name.walk.sum" ] || return 0
	echo "  walked in the kernel: $(m "$name.walk.kernel") % (asked: $asked); rules: $(m "$name.walk.pages") pages of code," \
		"$(m "$name.walk.rules") bytes of memory (asked: 64 MB)"
	echo "  whole cost: $(m "$name.walk.sum") % of a core for $(nproc) CPUs (asked: 1 % for each)"
	[ ! -s "$work/$name.known.sum" ] ||
		echo "  in $((known + 2 * seconds)) s: $(m "$name.long.sum") %;" \
			"from second $known on, when its code is known: $(m "$name.known.sum") % (asked: 1 % for each)"
}

# run_long NAME OPTIONS...: for longer, from $warm on, and what is sampled of that when nearly all of a large program has come by.
run_long() {
	local later=$known name_later=$1.known seconds=$((warm + known + 2 * seconds)) name=$1
	shift
	run_sberf "$name.long" "$@"
}

# ---- what a sample costs the program that is sampled ----

often=9973
# interrupted NAME COMMAND...: the same work under COMMAND; its CPU seconds.
interrupted() {
	local name=$1
	shift
	# shellcheck disable=SC2016  # for the inner shell
	"$@" bash -c 'TIMEFORMAT="cpu %U %S"; time "$@"' - /usr/bin/python3 -c 'def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
f(31)' >/dev/null 2>"$work/err" || :
	awk '$1 == "cpu" { print $2 + $3 }' "$work/err" >>"$work/$name.work"
}

# interrupts_row NAME TITLE RUN: what its samples took of the program, each, and what that is at $hz; with its own process, of the runs of
# python3 called RUN, and with the report that is needed then, the sum.
interrupts_row() {
	[ -s "$work/$1.work" ] || return 0
	paste "$work/untouched.work" "$work/$1.work" "$work/$1.taken" |
		awk '$3 > 0 { printf "%.2f\n", ($2 - $1) / $3 * 1e6 }' >"$work/$1.each"
	awk -v t="$2" -v us="$(m "$1.each")" -v bare="$(m often.none.each)" -v own="$(m "$3.user")" -v later="$(m "$3.later")" \
		-v s="$seconds" -v hz=$hz -v out="$work/$1" 'BEGIN {
		at = us * hz / 1e4
		printf "  %-22s %6.2f us, %5.2f %% of a core at %d Hz", t, us, at, hz
		if (own != "-") {
			printf "; with its process %.2f %%, and with the report %.2f %%", at + own, at + own + 100 * later / s
			print at + own >(out ".allin")
			print at + own + 100 * later / s >(out ".whole")
			if (bare != "-")
				print (us - bare) * hz / 1e4 + own + 100 * later / s >(out ".beside")
		}
		print "" }'
}

# times_perf FIGURE: of sberf, how many times that of perf record with copies.
times_perf() {
	awk -v a="$(cat "$work/often.sberf.$1")" -v b="$(cat "$work/often.dwarf.$1")" 'BEGIN { printf "%.2f", a / b }'
}

interrupts() {
	local r s=$work/s.data n how
	[ -x /usr/bin/python3 ] || return 0
	for ((r = 0; r < 2 * rounds - 1; r++)); do
		interrupted untouched env
		interrupted often.sberf "$sberf" record -e cpu-clock -F $often --unwind kernel --no-off-cpu -o "$s" --
		value "$s" oncpu_samples >>"$work/often.sberf.taken"
		rm -f "$s"*
		[ "$have_perf" = yes ] || continue
		for n in none fp dwarf,16384; do
			how=(--call-graph "$n")
			[ "$n" != none ] || how=()
			interrupted "often.${n%,*}" perf record -q --no-bpf-event -e cpu-clock -F $often "${how[@]}" -o "$work/perf.data" --
			samples_of_perf >>"$work/often.${n%,*}.taken"
			rm -f "$work/perf.data"*
		done
	done
	echo "what a sample costs the program that is sampled: python3 at $often Hz, of its CPU time; medians of $((2 * rounds - 1)) rounds"
	interrupts_row often.none "perf record, no stacks" -
	interrupts_row often.sberf "sberf" python3.walk
	interrupts_row often.fp "perf record, fp" python3.fp
	interrupts_row often.dwarf "perf record, dwarf" python3.dwarf
	[ ! -s "$work/often.none.each" ] || [ ! -s "$work/often.dwarf.each" ] ||
		echo "  a sample without any stack takes $(awk -v a="$(m often.none.each)" -v b="$(m often.dwarf.each)" \
			'BEGIN { printf "%.2f", a / b }') times what one with a copy of 16 KB does"
	[ ! -s "$work/often.sberf.allin" ] || [ ! -s "$work/often.dwarf.allin" ] ||
		echo "  sberf takes $(times_perf allin) times what perf record --call-graph dwarf,16384 does," \
			"$(times_perf whole) times with their reports (asked: 0.2)"
	# The timer's interrupt comes to whoever samples by it, and is the larger part of what either takes of the program.
	[ ! -s "$work/often.sberf.beside" ] || [ ! -s "$work/often.dwarf.beside" ] ||
		echo "  beside what a sample without any stack takes, with their reports:" \
			"$(cat "$work/often.sberf.beside") and $(cat "$work/often.dwarf.beside") % of a core," \
			"$(times_perf beside) times (asked: 0.2)"
}

program_redis() {
	local server
	if ! command -v redis-server >/dev/null || ! command -v redis-benchmark >/dev/null; then
		echo "redis: redis-server or redis-benchmark is not installed"
		return 0
	fi
	redis-server --port 0 --unixsocket "$work/redis" --save '' --dir "$work" >/dev/null &
	server=$!
	load=$server
	await [ -S "$work/redis" ] || { echo "redis: the server does not start"; end_load; return 0; }
	redis-benchmark -s "$work/redis" -q -l -t set,get,lpush,lrange_100,zadd >/dev/null &
	load="$! $server"
	program redis redis-server "at least 99" "$server" -p "$server"
	end_load
}

program_postgres() {
	local bin as server
	bin=$(find /usr/lib/postgresql /usr/bin -maxdepth 3 -name initdb 2>/dev/null | sort -V | tail -n 1)
	if [ -z "$bin" ] || ! command -v pgbench >/dev/null || ! id postgres >/dev/null 2>&1; then
		echo "postgres: initdb, pgbench or the user postgres is not installed"
		return 0
	fi
	bin=$(dirname "$bin")
	as=(setpriv --reuid postgres --regid postgres --init-groups env -C / LC_ALL=C)
	install -d -o postgres -m 700 "$work/pg"
	"${as[@]}" "$bin/initdb" -D "$work/pg" -A trust -N >/dev/null
	"${as[@]}" "$bin/postgres" -D "$work/pg" -k "$work/pg" -c listen_addresses= -c fsync=off -c autovacuum=off >/dev/null 2>&1 &
	server=$!
	load=$server
	if ! await "${as[@]}" pgbench -h "$work/pg" -i -q -s 5 postgres; then
		echo "postgres: the server does not start"
		end_load
		return 0
	fi
	"${as[@]}" pgbench -h "$work/pg" -n -c 2 -T 3600 postgres >/dev/null 2>&1 &
	load="$! $server"
	# Two clients have two processes of the server, which have begun when their command lines say so.
	await clients_are_there || :
	program postgres postgres "at least 99" "$(pgrep -d , -f "$clients")" -n postgres
	end_load
}

clients='^postgres: postgres postgres'
clients_are_there() {
	[ "$(pgrep -fc "$clients")" -ge 2 ]
}

program_python3() {
	[ -x /usr/bin/python3 ] || { echo "python3: not installed"; return 0; }
	/usr/bin/python3 "$top_srcdir/tests/workloads/busy.py" &
	load=$!
	program python3 python3 "at least 99" "$load" -p "$load"
	end_load
}

# A build of many short compilers: a shell that starts them, and all of its children.
program_cxx() {
	cat >"$work/unit.cc" <<-'CC'
		#include <iostream>
		#include <map>
		#include <string>
		int main(int argc, char **argv)
		{
			std::map<std::string, int> m;
			for (int i = 0; i < argc; i++)
				m[argv[i]] = i;
			for (auto &[k, v] : m)
				std::cout << k << v << std::endl;
		}
	CC
	command -v g++ >/dev/null || { echo "cc1plus: g++ is not installed"; return 0; }
	# shellcheck disable=SC2016  # for the inner shell
	setsid bash -c 'while :; do g++ -O1 -c -o "$0.o" "$0.cc"; done' "$work/unit" &
	load=$!
	program cc1plus cc1plus "at least 97" "$load" -p "$load"
	kill -- "-$load"
	load=
	wait || :
}

[ "$(id -u)" -eq 0 ] || { echo "needs root"; exit; }
have_perf=yes
command -v perf >/dev/null || { have_perf=no; echo "perf is not installed"; }
# Fedora's package calls it bpf-offcputime.
offcputime=$(command -v offcputime || command -v bpf-offcputime) || echo "offcputime of libbpf-tools is not installed"
bcc=$(command -v offcputime-bpfcc) || bcc=
# Where a distribution calls both of them the same, the one of bcc is a script.
if [ -n "$offcputime" ] && head -c 2 "$offcputime" | grep -q '^#!'; then
	bcc=$offcputime
	offcputime=
	echo "offcputime of libbpf-tools is not installed"
fi
[ -n "$bcc" ] || echo "offcputime of bcc is not installed"
if wants storm; then storms; fi
if wants redis; then program_redis; fi
if wants postgres; then program_postgres; fi
if wants python3; then program_python3; fi
if wants cc1plus; then program_cxx; fi
if wants interrupts; then interrupts; fi
