#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# parca.sh - what an agent pushes to Parca, read by the messages of Parca's own client.
. "${top_srcdir:?is set by make check}/tests/interop/readers.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 99

# read_by_client FILE: bodies, one a line.
read_by_client() {
	"$node" --no-warnings "$top_srcdir/tests/interop/parca.mjs" "$modules" <"$1"
}
has_run() {
	[ "$(awk '{ print $14 }' "/proc/$workload/stat")" -ge "$1" ]
}

mkfifo port.fifo
python3 "$top_srcdir/tests/live/push_store.py" log 200 >port.fifo &
also_kill $!
exec {said}<port.fifo
read -rt 30 port <&"$said"
start_workload mixed
"$SBERF" agent -e cpu-clock -F 499 -p "$workload" --label region=eu --push "parca+http://127.0.0.1:$port" 2>err &
agent=$!
also_kill $agent
wait_until 60 grep -qs sberf-engine /proc/$agent/task/*/comm
# An agent that ends pushes what it has.
wait_until 60 has_run 50
kill $agent
wait $agent
note "$(cat err)"
python3 -c 'import json
for line in open("log"):
    print(json.dumps(json.loads(line)["body"]))' >bodies
read_by_client bodies >read
equal "Parca's client reads each body" 0 $?
note "$(cat read)"
equal "both profiles, with labels, and none empty" "off_cpu eu process_cpu eu" \
	"$(sed -n 's/^true .*__name__=\([a-z_]*\) .*region=\([a-z]*\) .* [1-9][0-9]*$/\1 \2/p' read | sort -u | paste -sd' ')"
sed 's/"normalized"/"normalised"/' bodies >wrong
check "and refuses a field that it does not know" eval '! read_by_client wrong >/dev/null 2>&1'
finish
