#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_peers.sh - counts of probes against those of others: a million calls, what strace and perf trace count, PostgreSQL's own number of
# queries.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# of FILE PROBE FIELD: of the probes of a recording.
of() {
	"$SBERF" report -i "$1" --format json | python3 -c 'import json, sys
print(next((p for p in json.load(sys.stdin).get("probes", []) if p["name"] == sys.argv[1]), {}).get(sys.argv[2], 0))' "$2" "$3"
}

# Many calls, in which the program waits for its probe.
for calls in uprobe:asked:counted=1000000 call:asked:counted=200000; do
	probe=${calls%=*} calls=${calls#*=}
	echo probed $calls | "$SBERF" record -o million.data --budget none --no-off-cpu --ring-size 64M --probe $probe -- \
		"$WORKLOADS/asked" >/dev/null 2>err
	note "$(cat err)"
	equal "$probe: $calls calls" $calls "$(of million.data $probe hits)"
	# As fast as the machine can; the stacks repeat.
	equal "$probe: records that were lost" 0 "$(value million.data lost_ring_full)"
	between "$probe: stacks that were lost, before its code was known" 0 4000 "$(value million.data lost_hit_stack)"
done
"$SBERF" record -o million.data --no-off-cpu --ring-size 64M --probe sys:write -- \
	dd if=/dev/zero of=/dev/null bs=1 count=200000 status=none 2>err
equal "sys:write: 200000 calls" 200000 "$(of million.data sys:write hits)"

# The same program, counted by others.
calls=(read write openat close mmap)
program=(dd if=/dev/zero of=/dev/null bs=1 count=5000 status=none)
probes=()
for call in "${calls[@]}"; do
	probes+=(--probe "sys:$call")
done
"$SBERF" record -o calls.data --no-off-cpu "${probes[@]}" -- "${program[@]}" 2>err
equal "system calls: status" 0 $?
if command -v strace >/dev/null; then
	strace -c -o strace.out "${program[@]}"
	for call in "${calls[@]}"; do
		theirs=$(awk -v c="$call" '$NF == c { print $4 }' strace.out)
		equal "sys:$call: as many as strace -c counts" "${theirs:-0}" "$(of calls.data "sys:$call" hits)"
	done
else
	note "strace is not installed"
fi
# perf_counts CALL: what it counted. It loses events at times, and counts less than the 5,000 calls that dd(1) makes then.
perf_counts() {
	awk -v c="$1" '$1 == c { n = $2; exit } END { print n + 0 }' perf.out
}
# perf_counts_all: whether it has counted all of them now.
perf_counts_all() {
	perf trace -s -o perf.out "${program[@]}" 2>/dev/null && [ "$(perf_counts read)" -ge 5000 ] && [ "$(perf_counts write)" -ge 5000 ]
}
if ! command -v perf >/dev/null; then
	note "perf is not installed"
elif perf_counts_all || perf_counts_all || perf_counts_all || perf_counts_all; then
	for call in read write; do
		theirs=$(perf_counts $call)
		ours=$(of calls.data "sys:$call" hits)
		# It begins a little before the program does, or later.
		between "sys:$call: as many as perf trace -s counts, but for those of the start" $((theirs - 4)) $((theirs + 4)) "$ours"
	done
else
	note "perf trace does not work here, or counted $(perf_counts write) of 5000 calls: nothing to compare with"
fi

# PostgreSQL's queries.
server=$(find /usr/lib/postgresql -name postgres -path '*/bin/*' 2>/dev/null | sort -V | tail -n 1)
if [ -z "$server" ] || ! id postgres >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
	note "PostgreSQL is not installed, or this is not root"
elif ! "$SBERF" list "usdt:$server:postgresql:query__start" 2>/dev/null | grep -q query__start; then
	note "this PostgreSQL has no static probes"
else
	bin=$(dirname "$server")
	data=$(mktemp -d /tmp/sberf-postgres.XXXXXX) || exit 99
	chown postgres "$data"
	chmod 755 "$data"
	as_postgres() {
		(cd / && setpriv --reuid postgres --regid postgres --clear-groups env -u LD_PRELOAD "$@")
	}
	as_postgres "$bin/initdb" -D "$data/db" -A trust >/dev/null 2>&1
	as_postgres "$server" -D "$data/db" -k "$data" -h '' -p 7654 >"$data/log" 2>&1 &
	also_kill $!
	asks() {
		as_postgres "$bin/psql" -q -t -A -h "$data" -p 7654 -d postgres "$@"
	}
	wait_until 30 eval 'asks -c "select 1" >/dev/null 2>&1'
	postmaster=$(head -n 1 "$data/db/postmaster.pid")
	for ((i = 0; i < 500; i++)); do
		echo "select $i;"
	done >queries.sql
	start=usdt:$server:postgresql:query__start
	span="span:$start~~usdt:$server:postgresql:query__done"
	record_placed pg.data --budget none --no-off-cpu --ring-size 64M -p "$postmaster" --probe "$start" --probe "$span"
	# The probes of a process that is born then come within a tenth of a second.
	(sleep 1.5; cat queries.sql) | asks >answers
	end_record
	note "$(cat err)"
	equal "PostgreSQL: it has answered all" 500 "$(wc -l <answers)"
	equal "PostgreSQL: as many queries as were sent" 500 "$(of pg.data "$start" hits)"
	equal "PostgreSQL: and spans to their ends" 500 "$(of pg.data "$span" hits)"
	kill -INT "$postmaster"
	wait_until 20 eval '! kill -0 $postmaster 2>/dev/null'
	rm -rf "$data"
fi
finish
