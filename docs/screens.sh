#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# screens.sh - the screens of the documentation: each pane of `sberf top`, on real programs under load, as a terminal (tmux) shows it.
# `make screens` writes them into docs/screens, as text and as a picture with colours. As a test it writes them nowhere and looks whether
# each has what its pane must have; a new pane is one line in `draw` below.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"

OUT=${SCREENS:-$SCRATCH/screens}       # where to
ONLY=${SCREENS_ONLY-}                  # names of screens, "" = all
AGE=${SCREENS_AGE:-1}                  # seconds of capture that a screen shows at least
PORT=$((20000 + $$ % 20000))
PATH=$PATH:$(find /usr/lib/postgresql -path '*/bin' 2>/dev/null | tail -n 1)
mkdir -p "$OUT"

draw() {
	#      name      size    keys, and @words to wait for      what must be there
	load redis
	show   tree      100x30  ''                                '── all time · by process' '▾ aeMain' 'running .*blocked .*runnable' 'lost 0'
	show   functions 100x24  '5 0'                             ' functions · all time' '↓self .* total' ' dict[A-Z]'
	show   modules   100x24  'B 0'                             ' modules · ' 'redis-server' 'kernel'
	show   numa      100x30  '3 0 @addressed'                  ' numa · ' 'functions by '
	show   panes     160x48  '4 5 6'                           '── all time · by process' ' threads · ' ' functions · ' ' waits '
	show   flame     100x30  '7 0'                             ' flame' 'main' 'aeMain'
	show   time      100x30  '9 0'                             ' time'
	show   heat      100x24  '9 0 H'                           ' time · heat map' '500 ms'
	show   search    100x30  'E / d i c t Enter'               '/dict  [0-9]+ of [0-9]+'
	show   baseline  100x30  '@00:00:(0[5-9]|[1-9][0-9]) b @[+-][0-9]+\.[0-9]' 'since the baseline|before .* now'
	show   help      100x40  '?'                               'this help'
	show   small     40x10   ''                                '▾ (_start|main|aeMain) .* [0-9.]+' 'help'
	load postgres
	show   off-cpu   100x30  '1 u t t'                         '── blocked · by command name' 'idle waits of'
	show   threads   100x24  '4 0'                             ' threads · all time ' 'now .* ↓running' ' postgres [0-9]+ '
	show   waits     100x30  '6 0'                             ' waits .* ↓total .* count .* avg .* longest' '▾ '
	show   pick      100x24  'P @processes / p o s t g r e s :' ' processes · ' ' postgres: '
	load queries
	show   probes    100x24  'V 0 @query__start.*ms'           ' 1 probe ' 'hits .* p99 .* longest' ' us to .* █'
	show   slow      100x24  'V @query__start.*ms I d V 5 0'   ' functions .* median .* slow .*change' '\+[0-9]+\.[0-9]'
	load python
	show   quality   100x24  '8 0'                             'stacks of samples' 'lost events: none'
	load primes
	show   annotate  120x36  '@▾ / i s _ p r i m e Enter @/is_prime a'                          ' is_prime' 'for \(' ' [0-9.]+ %'
}

# Programs under load. Each sets $target, what sberf is told to look at; a screen comes after its load.

redis() {
	local log=$SCRATCH/redis.log
	redis-server --port "$PORT" --save '' --appendonly yes --dir "$SCRATCH" >"$log" 2>&1 &
	target="-p $!"
	also_kill "$!"
	wait_until 20 redis-cli -p "$PORT" ping || return
	redis-benchmark -p "$PORT" -q -t lpush -r 100000 -n 20000 >"$log" 2>&1
	redis-benchmark -p "$PORT" -q -l -t set,get,lrange_100 -r 100000 -c 20 >"$log" 2>&1 &
	also_kill "$!"
}

postgres() {
	local db=$SCRATCH.$loaded as=()
	mkdir "$db" || return
	# Not as root, which it refuses, and not below a directory that only root may enter.
	[ "$(id -u)" -ne 0 ] || { chown postgres "$db" && as=(setpriv --reuid postgres --regid postgres --clear-groups); } || return
	also_remove "$db"
	(
		cd "$db" || exit
		export PGHOST=$db PGPORT=$((PORT + 1)) PGDATABASE=postgres PGUSER=postgres
		"${as[@]}" initdb -D "$db/data" -U postgres --no-sync && "${as[@]}" postgres -D "$db/data" -k "$db" -p "$PGPORT" -h '' &
		wait_until 60 pg_isready && pgbench -q -i -s 2 && exec pgbench -c 6 -j 2 -T 3600
	) >"$SCRATCH/postgres.log" 2>&1 &
	also_kill "$!"
	wait_until 90 pgrep -f "^postgres: .*$db|postgres: postgres postgres \[local\]" && wait_until 60 grep -q 'starting vacuum' "$SCRATCH/postgres.log"
	target="-n postgres"
	postmaster=$(head -n 1 "$db/data/postmaster.pid")
}

# The same, with each query as a span.
queries() {
	postgres && target="-n postgres --yes --budget none --probe span:usdt:postgres:query__start~~usdt:postgres:query__done"
}

python() {
	cat >"$SCRATCH/service.py" <<'EOF'
import hashlib, json, re, threading, time

def pages():
    while True:
        text = json.dumps([{"id": i, "name": "item %d" % i} for i in range(400)])
        re.findall(r"item (\d+)", text)
        json.loads(text)

def sums():
    while True:
        hashlib.sha256(bytes(1 << 20)).hexdigest()
        time.sleep(0.02)

for work in pages, sums, sums:
    threading.Thread(target=work, name=work.__name__).start()
EOF
	interpreter=$(python3 -c 'import sys; print(sys.executable)')   # and no script that starts it
	"$interpreter" "$SCRATCH/service.py" &
	target="-p $!"
	also_kill "$!"
}

primes() {
	cat >"$SCRATCH/primes.c" <<'EOF'
#include <stdbool.h>

static volatile unsigned int found;

/* Whether nothing from 2 up to its root divides N. */
__attribute__((noinline)) bool is_prime(unsigned int n)
{
	for (unsigned int i = 2; i * i <= n; i++) {
		if (n % i == 0)
			return false;
	}
	return n > 1;
}

int main(void)
{
	for (unsigned int n = 0;; n++) {
		if (is_prime(n % 10000000))
			found++;
	}
}
EOF
	(cd "$SCRATCH" && ${CC:-cc} -O2 -g -o primes primes.c) || return
	"$SCRATCH/primes" &
	target="-p $!"
	also_kill "$!"
}

# also_remove DIRECTORY: when this ends
also_remove() {
	removed+=("$1")
}
removed=()
postmaster=
trap 'stop; tui_cleanup; rm -rf ${removed[@]+"${removed[@]}"}' EXIT

gone() {
	! kill -0 "$1" 2>/dev/null
}

# What was started ends. PostgreSQL is asked to, as it has shared memory to give back.
stop() {
	local pid
	[ -z "$postmaster" ] || { kill -QUIT "$postmaster" && wait_until 10 gone "$postmaster"; } 2>/dev/null
	postmaster=
	for pid in ${tap_pids[@]+"${tap_pids[@]}"}; do
		kill -KILL "$pid" && wait "$pid"
	done 2>/dev/null
	tap_pids=()
}

# load NAME: what the next screens are of
load() {
	loaded=$1
	target=
}

# Runs it, in place of what ran before; $target stays "" where it is not installed.
run_load() {
	declare -A needs=([redis]=redis-server [postgres]=pgbench [queries]=pgbench [python]=python3 [primes]=cc)
	missing=${needs[$loaded]}
	stop
	! command -v "$missing" >/dev/null || "$loaded" || note "$loaded does not start"
}

old_enough() {
	screen | sed -n '1s/.* \([0-9]*\):\([0-9]*\):\([0-9]*\) *$/\1 \2 \3/p' | awk -v age="$AGE" '{ ok = $1 * 3600 + $2 * 60 + $3 >= age } END { exit !ok }'
}

# show NAME SIZE KEYS REGEX...: one screen, into files of that name. Of what it must have a line matches each REGEX.
show() {
	local name=$1 size=$2 regex key
	[[ " ${ONLY:-$name} " == *" $name "* ]] || return
	[ -n "$target" ] || run_load
	if [ -z "$target" ]; then
		skip "$missing is not installed" "$name"
		return
	fi
	view 100 30 "$SBERF top $target"
	wait_until 60 old_enough || note "$name does not begin"
	# Before the first picture there is no pane that keys could be for.
	wait_until 30 shows '[▾▸] ' || note "$name has no picture"
	resize "${size%x*}" "${size#*x}"
	for key in $3; do
		case $key in
		@*) wait_until 30 shows "${key#@}" || note "$name: no ${key#@}" ;;
		*) keys "$key" ;;
		esac
	done
	shift 3
	for regex; do
		see "$name has what matches $regex" "$regex"
	done
	screen -N >"$OUT/$name.text"
	check "$name becomes a picture" picture "$name"
	check "$name is in the documentation" grep -q "](screens/$name.svg)" "$top_srcdir/docs/screens.md"
	sed 's/ *$//' "$OUT/$name.text" >"$OUT/$name.txt"
	rm "$OUT/$name.text"
}

picture() {
	screen -e -N | python3 "$top_srcdir/docs/screens.py" "sberf top: $1" >"$OUT/$1.svg"
}

# view COLUMNS LINES COMMAND: a terminal that shows it
view() {
	tm kill-server 2>/dev/null
	TUI_NR=$((TUI_NR + 1))
	TUI_SOCKET=$SCRATCH/tmux$TUI_NR
	tm -u new-session -d -x "$1" -y "$2" -e XDG_CONFIG_HOME=/dev/null "TERM=screen-256color $3 2>$SCRATCH/view.err" \; set -g status off
}

draw
finish
