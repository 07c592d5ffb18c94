# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# peers.sh - for benches that set sberf beside others: what each of them has told, and what it took. Read by them, not run.
#
# Set before, by who reads this: $work, a directory; $sberf; $begins, a regular expression for the names of functions that threads begin
# with. $beside is the process of the tool that is at it, $load those that give it something to do.
#
# shellcheck disable=SC2154  # those

median() {
	sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# m NAME: the median of what has been noted as NAME; "-" when nothing has.
m() {
	if [ -s "$work/$1" ]; then median <"$work/$1"; else echo -; fi
}

minus() {
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", a - b }'
}

pause() {
	read -rt "$1" <> <(:) || :
}

# await COMMAND...: until it succeeds, for 20 seconds at most.
await() {
	local end=$((SECONDS + 20))
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		pause 0.05
	done
}

# $spent: CPU seconds of all commands of this shell that have ended, and theirs. (In a subshell it would be those of the subshell.)
spend() {
	times >"$work/times"
	spent=$(awk -F '[ms ]+' 'END { printf "%.3f\n", $1 * 60 + $2 + $3 * 60 + $4 }' "$work/times")
}

# since_spent BEFORE NAME: what has been spent since then is noted as NAME.
since_spent() {
	spend
	minus "$spent" "$1" >>"$work/$2"
}

# CPU seconds of the process PID so far, all of its threads.
cpu_of() {
	awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) / hz }' "/proc/$1/stat" 2>/dev/null || echo 0
}

end_load() {
	local p
	for p in $load; do kill "$p" 2>/dev/null || :; done
	for p in $load; do wait "$p" 2>/dev/null || :; done
	load=
}

# ---- sberf ----

# summary FILE; of a beginning it says so each time.
summary() {
	"$sberf" report -i "$1" --format summary 2>/dev/null
}

value() {
	summary "$1" | sed -n "s/^$2: //p"
}

lost_of() {
	summary "$1" | awk '/^lost_/ { n += $2 } END { print n + 0 }'
}

# Stacks that the kernel left to a copy.
left_of() {
	summary "$1" | awk '/^walk_/ { n += $2 } END { print n + 0 }'
}

# Of folded stacks on standard input, percent of the weight on those in which a thread's first function is.
whole_folded() {
	awk -v begins="[;](${begins})" '
		{ all += $NF; if ($0 ~ begins) good += $NF }
		END { if (all) printf "%.1f\n", 100 * good / all }'
}

# ---- offcputime ----

# offcputime_begin TOOL ARGS...: it has begun when it holds a link to a BPF program (that of bcc: an event).
offcputime_begin() {
	"$@" >"$work/offcputime.out" 2>"$work/offcputime.err" &
	beside=$!
	await offcputime_is_there || :
}

offcputime_is_there() {
	grep -qs link_id "/proc/$beside/fdinfo/"* || grep -qs Tracing "$work/offcputime.out" || ! kill -0 "$beside"
}

# It takes signals some time after it has begun.
offcputime_end() {
	while kill -INT "$beside" 2>/dev/null; do pause 0.1; done
	wait "$beside" || :
	beside=
}

# Stacks that it says it has not got.
offcputime_missed() {
	cat "$work/offcputime.out" "$work/offcputime.err" | grep -c 'Missed User Stack' || :
}

# whole_offcputime COMM: of its threads of that name, percent of the time on whole stacks. A stack is lines of functions, one of the thread,
# and one of microseconds.
whole_offcputime() {
	awk -v comm="$1" -v begins="^(${begins})" '
		$1 == "-" { wanted = index($2, comm) == 1; last = 1; next }
		last { last = 0; if (wanted) { all += $1; if (whole) good += $1 } whole = 0; next }
		NF == 0 { whole = 0; next }
		$1 ~ begins { whole = 1 }
		END { if (all) printf "%.1f\n", 100 * good / all }' "$work/offcputime.out"
}

# ---- perf ----

# whole_perf COMM: of samples of that name, or of all, percent with whole stacks. This is when copies are unwound.
whole_perf() {
	{ perf script -i "$work/perf.data" -F comm,ip,sym --no-inline 2>/dev/null || :; } |
		awk -v comm="$1" -v begins=" (${begins})" 'BEGIN { RS = "" }
		!comm || index($1, comm) == 1 { all++; if ($0 ~ begins) good++ }
		END { if (all) printf "%.1f\n", 100 * good / all }'
}

samples_of_perf() {
	perf report -i "$work/perf.data" --stats 2>/dev/null | awk '$1 == "SAMPLE" { n = $3 } END { print n + 0 }'
}
