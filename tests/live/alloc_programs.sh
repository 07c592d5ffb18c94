#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# alloc_programs.sh - memory of programs as they are installed: at least 99 % of the stacks of what is allocated are complete, and what sberf
# says to be in use is what the program itself says to have grown by meanwhile. That counts what the allocator adds to a block, too, and
# blocks from before that are freed meanwhile: so both agree to the percent that is said.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

# complete NAME BLOCKS: of at least so many blocks of run.data.
complete() {
	"$SBERF" report -i run.data --metric allocated-blocks --format folded >folded
	at_least "$1: blocks" "$2" "$(awk '{ n += $NF } END { print n }' folded)"
	at_least "$1: percent of stacks complete" 99 "$(awk '{ n += $NF } /\[cut/ { cut += $NF } END { print 100 - 100 * cut / n }' folded)"
}

# agrees NAME PERCENT BYTES: what is in use of run.data is BYTES.
agrees() {
	local bytes
	bytes=$(value run.data memory_in_use_bytes)
	note "$1: $bytes bytes are in use, and it says $3"
	equal "$1: nothing was lost" "0 0" "$(value run.data lost_ring_full) $(value run.data memory_missed_frees)"
	between "$1: percent of what it says itself" $((100 - $2)) $((100 + $2)) "$(awk -v a="$bytes" -v b="$3" 'BEGIN { print 100 * a / b }')"
}

# With room for all records, however late they are read.
every=(--no-off-cpu --memory=allocs --sample-bytes 1 --budget none --ring-size 256M)

# A session of a cluster of our own keeps 500 plans. Its memory contexts say of how many bytes they are.
postgres() {
	local bin=$1 as=() server session before status from=21
	[ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	mkdir pg
	chmod 711 .
	[ "$(id -u)" -ne 0 ] || chown 65534:65534 pg
	"${as[@]}" "$bin/initdb" -D "$PWD/pg/data" -A trust -U tester -N >initdb.log 2>&1 || { result 1 "PostgreSQL: $(tail -n 1 initdb.log)"; return; }
	"${as[@]}" "$bin/postgres" -D "$PWD/pg/data" -k "$PWD/pg" -c listen_addresses= -c shared_buffers=16MB >pg.log 2>&1 &
	server=$!
	also_kill $server
	wait_until 20 "$bin/pg_isready" -q -h "$PWD/pg" -U tester -d postgres
	coproc SQL { exec "$bin/psql" -h "$PWD/pg" -U tester -AtqX postgres; }
	also_kill "$SQL_PID"
	ask "select pg_backend_pid();"
	session=$answer
	keep 1 20
	# The second answer: asking is known by then.
	ask "select sum(total_bytes) from pg_backend_memory_contexts;"
	ask "select sum(total_bytes) from pg_backend_memory_contexts;"
	# Where others keep the CPUs, records find no room in the rings: once more, then.
	for ((i = 0; i < 3; i++)); do
		before=$answer
		record_placed run.data "${every[@]}" -p "$session"
		keep $from $((from += 499))
		ask "select sum(total_bytes) from pg_backend_memory_contexts;"
		end_record
		status=$?
		from=$((from + 1))
		[ "$(value run.data lost_ring_full)" != 0 ] || break
	done
	equal "PostgreSQL: status" 0 $status
	complete PostgreSQL 5000
	agrees PostgreSQL 2 $((answer - before))
	kill -INT "$server"
	wait "$server"
}

ask() {
	echo "$1" >&"${SQL[1]}"
	read -r -u "${SQL[0]}" -t 60 answer
}

keep() {
	echo "do \$\$ begin for i in $1..$2 loop execute 'prepare q' || i ||
		' as select count(*), max(relname) from pg_class where oid > ' || i; execute 'execute q' || i; end loop; end \$\$;" >&"${SQL[1]}"
}

# 5,000 values of a size that jemalloc has: it counts what a block takes, and blocks that threads keep to give them out again.
redis() {
	local server before
	redis-server --port 0 --unixsocket "$PWD/redis" --save '' --appendonly no --enable-debug-command yes >redis.log 2>&1 &
	server=$!
	also_kill $server
	wait_until 20 redis-cli -s redis ping
	redis_used
	[ -n "$used" ] || { skip "redis-server is not on jemalloc" redis; kill $server; return; }
	redis-cli -s redis debug populate 5000 before 1018 >answer
	redis_used
	before=$used
	record_placed run.data "${every[@]}" -p $server
	redis-cli -s redis debug populate 5000 key 1018 >answer
	redis_used
	end_record
	equal "redis: status" 0 $?
	complete redis 10000
	agrees redis 5 $((used - before))
	kill $server
	wait $server
}

redis_used() {
	used=$(redis-cli -s redis memory malloc-stats | tr -d '\r' | sed -n 's/^Allocated: \([0-9]*\),.*/\1/p' | head -n 1)
}

# By mallinfo2(3), which counts 8 to 16 bytes more for each block.
python() {
	cat >kept.py <<-'PY'
		import ctypes
		import sys

		fields = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


		class Info(ctypes.Structure):
		    _fields_ = [(name, ctypes.c_size_t) for name in fields.split()]


		libc = ctypes.CDLL(None)
		libc.mallinfo2.restype = Info


		def used():
		    info = libc.mallinfo2()
		    return info.uordblks + info.hblkhd


		print("ready", flush=True)
		sys.stdin.readline()
		before = used()
		kept = [bytearray(600 + 37 * (i % 200)) for i in range(5000)]
		texts = {i: str(i) * 300 for i in range(1000)}
		for i in range(0, 5000, 3):
		    kept[i] = None
		print(used() - before, flush=True)
		sys.stdin.readline()
	PY
	coproc PY { exec /usr/bin/python3 kept.py; }
	also_kill "$PY_PID"
	read -r -u "${PY[0]}" -t 20 answer
	record_placed run.data "${every[@]}" -p "$PY_PID"
	echo >&"${PY[1]}"
	read -r -u "${PY[0]}" -t 60 answer
	end_record
	equal "python3: status" 0 $?
	complete python3 5000
	agrees python3 2 "$answer"
	kill "$PY_PID"
}

# ends NAME BLOCKS COMMAND...: it says nothing of its memory.
ends() {
	local name=$1 blocks=$2
	shift 2
	"$SBERF" record --no-off-cpu --memory=allocs --sample-bytes 64K --budget none -o run.data -- "$@" 2>err
	equal "$name: status" 0 $?
	complete "$name" "$blocks"
}

bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
if [ -x "$bin/initdb" ]; then postgres "$bin"; else skip "PostgreSQL is not installed"; fi
if command -v redis-server >/dev/null; then redis; else skip "redis-server is not installed"; fi
if [ -x /usr/bin/python3 ]; then python; else skip "/usr/bin/python3 is not installed"; fi
if command -v g++ >/dev/null; then
	printf '#include <functional>\n#include <map>\n#include <string>\n%s\n' \
		'int n(std::map<std::string, std::function<int(int)>> &m) { m["a"] = [](int x) { return x; }; return m["b"](1); }' >unit.cc
	ends g++ 10000 g++ -std=c++17 -O1 -c -o unit.o unit.cc
else
	skip "g++ is not installed"
fi
if command -v node >/dev/null; then
	ends node 1000 node -e 'let a = []; for (let i = 0; i < 3000; i++) { a[i % 200] = Buffer.alloc(20000); JSON.parse(JSON.stringify({ i, text: "x" + i })) }'
else
	skip "node is not installed"
fi
finish
