#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# week.sh - memory of an agent over a day or more: the whole machine is captured and pushed, in windows of a second instead of ten, while
# processes start and end all the time, each with a name of its own, in cgroups that come and go. What there is to keep of a process, a
# name, a cgroup and a window comes as often in MINUTES as on a machine with a new process each second and a new container each minute in
# MINUTES times what is printed as "stands for". RSS of the agent each ten seconds, and how it grows: the slope of a line through the last
# three quarters (least squares), and what that is of their mean in the whole time. tests/bench/bench_day.c makes all windows of a day, of
# made-up events. With a small STORE (--store-size) the store is full again and again, so what is kept from one to the next would be seen.
set -eu
work=$(mktemp -d)
store=$(cd "$(dirname "$0")" && pwd)/store.py
sberf=${SBERF:?is set by make bench}
minutes=${MINUTES:-4}
true=$(readlink -f "$(type -P true)")
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=
# shellcheck disable=SC2317  # by trap
end_week() {
	# shellcheck disable=SC2046  # one word each
	kill $(jobs -p) 2>/dev/null || :
	wait 2>/dev/null || :
	[ -z "$group" ] || rmdir "$group"/* "$group" 2>/dev/null || :
	rm -rf "$work"
}
trap end_week EXIT
cd "$work"

mkfifo port
/usr/bin/python3 "$store" >port &
read -r port <port

# Births and deaths: a new name each time, a new cgroup for each hundred.
storm() {
	local i=0
	group=$root/sberf-week-$$
	[ -n "$root" ] && mkdir "$group" 2>/dev/null || group=
	while :; do
		i=$((i + 1))
		if [ -n "$group" ] && [ $((i % 100)) = 0 ]; then
			mkdir "$group/$i.scope" && echo $BASHPID >"$group/$i.scope/cgroup.procs"
			[ ! -d "$group/$((i - 100)).scope" ] || rmdir "$group/$((i - 100)).scope" 2>/dev/null || :
		fi
		ln -s "$true" "n$i"
		"./n$i"
		rm "n$i"
		echo $i >born
	done
}
group=${root:+$root/sberf-week-$$}
storm &
storm=$!
SBERF_PUSH_WINDOW=1 "$sberf" agent -a --store-size "${STORE:-160M}" --push "pyroscope+http://127.0.0.1:$port" 2>err &
agent=$!
echo "seconds rss_kb born windows"
rss=()
for ((s = 10; s <= 60 * minutes; s += 10)); do
	sleep 10
	rss+=("$(awk '/^VmRSS/ { print $2 }' /proc/$agent/status)")
	echo "$s ${rss[-1]} $(cat born) $(wc -l <pushed)"
done
kill $storm
wait $storm || :
kill -INT $agent
wait $agent || :
grep -c "a new one begins" err | sed 's/^/stores that were full: /'
tail -n 2 err
echo "stands for $(($(cat born) / 3600)) h of a machine that starts a process each second"
printf '%s\n' "${rss[@]}" | awk '{ y[NR] = $1 }
	END {
		from = int(NR / 4) + 1; n = NR - from + 1
		for (i = from; i <= NR; i++) { mx += i / n; my += y[i] / n }
		for (i = from; i <= NR; i++) { xy += (i - mx) * (y[i] - my); xx += (i - mx) ^ 2 }
		slope = xx ? xy / xx : 0
		printf "rss_mean_mb %.1f slope_kb_per_minute %.1f growth_percent %.1f\n", my / 1024, slope * 6, slope * NR / my * 100
	}'
