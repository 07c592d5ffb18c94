#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# push.sh - what an agent pushes to stores of profiles: the requests of Pyroscope and of Parca, with labels, headers and profiles of the
# program; and what becomes of windows that a store does not take.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
python3=$(python_with json) || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 99

# store LOG ANSWER...: its port is in $port.
store() {
	rm -f port.fifo
	mkfifo port.fifo
	"$python3" "$top_srcdir/tests/live/push_store.py" "$@" >port.fifo &
	store=$!
	also_kill $store
	exec {said}<port.fifo
	read -rt 30 port <&"$said"
}
agent() {
	"$SBERF" agent -e cpu-clock -F 499 -p "$workload" "$@" 2>err &
	agent=$!
	also_kill $agent
}
# asked N: whether the store was asked so often.
asked() {
	[ "$(wc -l <log)" -ge "$1" ]
}
# of EXPRESSION: a Python expression about r, a list of the requests.
of() {
	"$python3" -c 'import base64, gzip, json, sys
r = [json.loads(line) for line in open("log")]
def profile(s):
    return gzip.decompress(base64.b64decode(s["samples"][0]["rawProfile"]))
def labels(s):
    l = s["labels"]
    return {x["name"]: x["value"] for x in (l["labels"] if isinstance(l, dict) else l)}
print('"$1"')'
}
captures() {
	grep -qs sberf-engine /proc/"$agent"/task/*/comm
}
ticks() {
	awk '{ print $14 }' "/proc/$workload/stat"
}
# has_run N: whether the program has used so many ticks of a CPU.
has_run() {
	[ "$(ticks)" -ge "$1" ]
}
# The agent captures, and has seen the program for a while: more than a refresh.
looks_on() {
	wait_until 60 captures && wait_until 60 has_run $(($(ticks) + 20))
}

start_workload mixed
: >log
store log 200
umask 077
printf 'X-Scope-OrgID: tenant one\nAuthorization: Bearer abc\n' >headers
agent --push "pyroscope+http://127.0.0.1:$port/behind/a/proxy/" --push-headers headers --label region=eu --label 'service_name=shöp'
looks_on
kill $agent
wait $agent
note "$(cat err)"
equal "what was captured when it ends is pushed" True "$(of 'len(r) > 0')"
equal "to the path of Pyroscope, behind that of a proxy" /behind/a/proxy/push.v1.PusherService/Push "$(of 'r[0]["path"]')"
equal "with the headers of a file" "tenant one Bearer abc application/json" \
	"$(of 'r[0]["headers"]["X-Scope-OrgID"], r[0]["headers"]["Authorization"], r[0]["headers"]["Content-Type"]' | tr -d "(',)")"
equal "and labels" "shöp eu $(uname -n)" "$(of '*[labels(r[0]["body"]["series"][0])[x] for x in ("service_name", "region", "instance")]')"
equal "two profiles, by what Pyroscope calls them" "off_cpu process_cpu" "$(of '*sorted(labels(s)["__name__"] for s in r[0]["body"]["series"])')"
# The first window may be a short one, by chance, in which little was seen yet.
equal "of the program, with names" "True True" "$(of '*[any(
	b"mixed" in profile(s) and b"main" in profile(s) for q in r for s in q["body"]["series"] if labels(s)["__name__"] == kind)
	for kind in ("off_cpu", "process_cpu")]')"
reads() {
	"$python3" "$top_srcdir/tests/live/push_read.py" log "$1" "$2"
}
if command -v protoc >/dev/null; then
	reads "$top_srcdir/src/export" pprof >read
	note "$(cat read)"
	equal "protoc reads each profile, with stacks from the root" "off_cpu process_cpu" \
		"$(awk '$2 > 0 && / (_start|__clone3?|start_thread) / { print $1 }' read | sort -u | paste -sd' ')"
fi
equal "by numbers that nobody else has" 2 "$(of 'len({s["samples"][0]["ID"] for s in r[0]["body"]["series"]})')"
matches "counted" "[12] windows of ten seconds pushed .*, 0 attempts failed, 0 windows refused, 0 dropped" "$(cat err)"
kill $store

# Not now, reset, never, and at the end yes.
: >log
store log 429@0 503@d0 reset 400 200
agent --push "parca+http://127.0.0.1:$port"
wait_until 60 asked 4
kill $agent
wait $agent
note "$(cat err)"
equal "to the path of Parca" /api/profiles/writeraw "$(of 'r[-1]["path"]')"
equal "the same again when there was too much, after it was refused for now, and after a reset; then the next" "429@0 503@d0 reset 400 200" "$(of '*[x["answer"] for x in r]')"
equal "the same" True "$(of 'r[0]["body"] == r[1]["body"] == r[3]["body"] and r[3]["body"] != r[4]["body"]')"
equal "as Parca has it" "True process" "$(of 'r[4]["body"]["normalized"], labels(r[4]["body"]["series"][0])["service_name"]' | tr -d "(',)")"
if command -v protoc >/dev/null; then
	grep '"200"' log >last
	"$python3" "$top_srcdir/tests/live/push_read.py" last "$top_srcdir/src/export" parca >read
	equal "in the shape of WriteRawRequest, with profiles that protoc reads" "0 off_cpu process_cpu" \
		"$? $(awk '$2 > 0 { print $1 }' read | sort -u | paste -sd' ')"
fi
matches "said once" "store at 127.0.0.1:$port takes nothing now, and is asked again" "$(cat err)"
matches "and what it never takes, clean" "refuses this: 400: not.\[2J today" "$(cat err)"
matches "all of it counted" "1 windows of ten seconds pushed .*, 3 attempts failed, 1 windows refused, 0 dropped" "$(cat err)"
kill $store

# OTLP: one request, compressed, which a receiver reads whose answer comes slowly.
: >log
store log slow
agent --push "otlp+http://127.0.0.1:$port" --label region=eu
looks_on
kill $agent
wait $agent
note "$(cat err)"
equal "to the path of OTLP" "/v1development/profiles application/x-protobuf gzip" \
	"$(of 'r[0]["path"], r[0]["headers"]["Content-Type"], r[0]["headers"]["Content-Encoding"]' | tr -d "(',)")"
if command -v protoc >/dev/null; then
	reads "$top_srcdir/tests/live" otlp >read
	note "$(cat read)"
	check "protoc reads it: every index is one of its table" grep -qx sound read
	equal "with labels as resource" "resource region=eu service.name=process host.name=$(uname -n)" "$(grep -m1 resource read)"
	matches "time on the CPU as receivers know it, with stacks from the root" \
		"samples/count cpu/nanoseconds [0-9]+ [1-9][0-9]* .*(_start|clone3?|start_thread) .*(short|long|ask|main)" "$(cat read)"
	matches "and off it" "off_cpu/nanoseconds / [0-9]+ [1-9][0-9]* .*(_start|clone3?|start_thread) " "$(cat read)"
fi
matches "a slow answer is one" " 0 attempts failed, 0 windows refused, 0 dropped" "$(cat err)"
kill $store

# Over TLS, to a server whose certificate is by a CA of its own.
if ! command -v openssl >/dev/null; then
	skip "openssl is not installed" "over TLS"
elif "$SBERF" agent -p $$ --push pyroscope+https://127.0.0.1:1 --push-ca /nowhere 2>err || grep -q "built without" err; then
	skip "it is built without libcurl" "over TLS"
else
	matches "a file of certificates that is not there" "cannot read certificates from /nowhere: No such file" "$(cat err)"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -subj /CN=ca -days 2 2>/dev/null
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out req.pem -subj /CN=store 2>/dev/null
	printf 'subjectAltName=IP:127.0.0.1\n' >ext
	openssl x509 -req -in req.pem -CA ca.pem -CAkey ca.key -CAcreateserial -extfile ext -days 2 -out cert.pem 2>/dev/null
	: >log
	store --tls cert.pem key.pem log 200
	agent --push "otlp+https://127.0.0.1:$port" --push-ca ca.pem --push-headers headers
	looks_on
	kill $agent
	wait $agent
	note "$(cat err)"
	equal "over TLS: the same request" "/v1development/profiles application/x-protobuf gzip tenant one Bearer abc" \
		"$(of '*[r[0]["path"]] + [r[0]["headers"][x] for x in ("Content-Type", "Content-Encoding", "X-Scope-OrgID", "Authorization")]')"
	matches "over TLS: counted" "[12] windows of ten seconds pushed .*, 0 attempts failed, 0 windows refused, 0 dropped" "$(cat err)"
	# To the same store, whom the system does not trust; and nobody is there for the next: it ends all the same.
	agent --push "otlp+https://127.0.0.1:$port"
	looks_on
	kill $agent
	wait $agent
	note "$(cat err)"
	matches "a certificate that nobody trusts" "takes nothing now, and is asked again: .*certificate" "$(cat err)"
	matches "nothing is sent to it" " 0 windows of ten seconds pushed" "$(cat err)"
	kill $store
fi

# More threads than there is room for: what there was is pushed, and another store begins.
stop_workload
start_workload threads_start
: >log
store log 200
begins() {
	grep -q 'a new one begins' err || ! kill -0 "$agent" 2>/dev/null
}
agent --store-size 4M --push "pyroscope+http://127.0.0.1:$port"
wait_until 90 begins
before=$(wc -l <log)
wait_until 60 eval '! begins || captures'
looks_on
kill $agent
wait $agent
note "$(cat err)"
matches "a store that is full is followed by a new one" \
	"its store of stacks and threads was full \(--store-size\) after [0-9.]+ s: a new one begins" "$(cat err)"
equal "what was seen before is pushed, and what comes then" "True True" "$(of "*[any(b'thread_work' in profile(s)
	for q in part for s in q['body']['series']) for part in (r[:$before], r[$before:])]")"
kill $store

# Nobody there: it ends all the same.
agent --push "parca+http://127.0.0.1:1"
looks_on
kill $agent
wait $agent
matches "a store that is not there" "0 windows of ten seconds pushed .*, [12] attempts failed, 0 windows refused, [12] dropped" "$(cat err)"
chmod o+r headers
"$SBERF" agent -a --push pyroscope+http://h --push-headers headers 2>err
matches "headers that everybody can read are refused" "everybody can read the headers in headers: chmod o-r it" "$(cat err)"
finish
