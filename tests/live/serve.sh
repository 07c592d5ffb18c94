#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# serve.sh - `sberf serve` and `sberf agent` of what runs: events, ranges, readers that stop, and pulls by Go's own client.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/export/serving.sh" || exit 99
need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 99

mkfifo go_on
exec 8<>go_on
"$WORKLOADS/grows" wait <&8 >grows.out &
grows=$!
also_kill "$grows"
wait_until 60 grep -q ready grows.out
start_workload shares
shares=$workload

(umask 077; echo prefix-of-an-agent >prefix)
SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody \
	serves --as agent --split -p "$shares" -e cpu-clock --socket "$PWD/socket" --prefix-file prefix
agent=$server agent_address=$address
equal "with --split it has no capabilities" 0000000000000000 "$(sed -n 's/^CapEff:[[:space:]]*//p' "/proc/$agent/status")"
equal "and is not root" 65534 "$(awk '/^Uid:/ { print $3 }' "/proc/$agent/status")"
mv serve.err agent.err
SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody serves -p "$shares" -e cpu-clock -d 100ms
equal "with sudo a server becomes who called it" 65534 "$(awk '/^Uid:/ { print $3 }' "/proc/$server/status")"
python3 -c 'import json, sys, urllib.request
assert "flame" in json.load(urllib.request.urlopen(sys.argv[1] + "snapshot?pane=tree", timeout=20))' "$address"
equal "and answers" 0 $?
ends INT
equal "and ends" 0 $?
SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody serves --no-split -p "$shares" -e cpu-clock
equal "but with --no-split" 0 "$(awk '/^Uid:/ { print $3 }' "/proc/$server/status")"
ends INT
serves -p "$shares,$grows" -e cpu-clock -F 499 -d 100ms --memory=growth

echo >&8
# Both are asked at the same time, and meanwhile more by others.
if command -v go >/dev/null; then
	go tool pprof -symbolize=none -top "${address}debug/pprof/profile?seconds=2" >top 2>top.err &
	pull=$!
fi
while read -r status title; do
	case $status in
	[01]) result "$status" "$title" ;;
	*) note "$status $title" ;;
	esac
done < <(PYTHONDONTWRITEBYTECODE=1 python3 "$top_srcdir/tests/live/serve.py" "$address" "$agent_address" 2>&1; echo "$? serve.py got to the end")
if command -v go >/dev/null; then
	wait "$pull"
	equal "go tool pprof reads a pull" 0 $?
	note "$(cat top)"
	matches "it is of two seconds" "Duration: 2s" "$(cat top)"
	matches "of time on the CPU" "Type: cpu" "$(cat top)"
	between "and has the functions that ran" 30 70 "$(awk '{ cum[$NF] = $5 } END { print 100 * cum["burn_50"] / cum["share"] }' top)"
	equal "it is not called a recording that was cut off" 0 "$(grep -c "cut off" top)"
else
	skip "go is not installed" "go tool pprof reads a pull"
fi

kill -INT "$server"
wait "$server"
equal "the server ends" 0 $?
note "$(cat serve.err)"
matches "it has skipped what nobody read, and sent the rest" "[1-9][0-9]* events sent, [1-9][0-9]* skipped for slow readers" "$(cat serve.err)"
kill -TERM "$agent"
wait "$agent"
equal "the agent ends" 0 $?
finish
