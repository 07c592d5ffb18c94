#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A recording in several files: the oldest go, each can be read by itself, and merged they are the whole. A flight recorder. Both on a
# disk that is full.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

start_workload shares
result $? "workload is ready"
"$SBERF" record -e cpu-clock -F 4999 --max-size 64K --max-files 3 -o r.data -p "$workload" 2>err &
recorder=$!
also_kill $recorder
# Two older files, of which the oldest is then not the first any more: the one that was there first is gone.
wait_until 120 test -s r.data.2
first=$(stat -c %i r.data.2)
gone() {
	[ "$(stat -c %i r.data r.data.1 r.data.2 | grep -cx "$first")" -eq 0 ]
}
check "the oldest goes" wait_until 120 gone
kill -INT $recorder
wait $recorder
equal "ends well" 0 $?
matches "says where it is" "the last is in r.data, what came before in r.data.1 and so on, 3 files at most" "$(cat err)"
equal "so many files are left" "r.data r.data.1 r.data.2" "$(echo r.data*)"
check "each of them is sound" "$SBERF" check r.data r.data.1 r.data.2
sum=0
for file in r.data r.data.1 r.data.2; do
	sum=$((sum + $(value $file oncpu_samples)))
	check "$file has names" grep -q 'main' <("$SBERF" report --format folded $file)
done
check "they can be merged" "$SBERF" merge r.data r.data.1 r.data.2 -o whole.data
equal "the whole has the samples of all parts" $sum "$(value whole.data oncpu_samples)"

# Of two hosts, whose processes have the same numbers.
if unshare --uts true 2>/dev/null; then
	for host in db1 web; do
		unshare --uts sh -c 'hostname "$0" && exec "$@"' $host "$SBERF" record -e cpu-clock -F 997 -o $host.data -p "$workload" \
			--duration 300ms 2>/dev/null
	done
	"$SBERF" merge db1.data web.data -o hosts.data 2>/dev/null
	"$SBERF" report -i hosts.data --group-by host --format folded --metric on-cpu >by_host
	equal "two hosts are two roots" "db1 web" "$(cut -d';' -f1 by_host | sort -u | paste -sd' ')"
	equal "and each has what it had alone" "$("$SBERF" report -i db1.data --format folded --metric on-cpu | awk '{ n += $NF } END { print n }')" \
		"$(awk '/^db1;/ { n += $NF } END { print n }' by_host)"
	equal "the process is two, too" 2 "$("$SBERF" report -i hosts.data --format json | grep -o '"kind":"group"' | wc -l)"
	"$SBERF" report -i hosts.data --host 'w*' --format folded --group-by host >one
	equal "one host alone" web "$(cut -d';' -f1 one | sort -u)"
	"$SBERF" report -i hosts.data --host nosuch 2>err
	matches "none of that name" "there is no host called 'nosuch'" "$(cat err)"
	equal "of a recording that is not merged it is the host" web "$("$SBERF" report -i web.data --group-by host --format folded | cut -d';' -f1 | sort -u)"
else
	skip "not root: the host's name cannot be another one" "two hosts"
fi

# A flight recorder: nothing is written until it is wanted.
"$SBERF" record -e cpu-clock -F 997 --keep 1h -o f.data -p "$workload" 2>err &
recorder=$!
also_kill $recorder
# Until sberf expects the signal it would end it. A process that starts or begins a thread blocks all of them for a moment: SIGUSR2 (12)
# has to be blocked while SIGSEGV (11) is not.
waits_for_usr2() {
	[ $((0x$(sed -n 's/^SigBlk:[[:space:]]*//p' /proc/$recorder/status) >> 10 & 3)) -eq 2 ]
}
wait_until 60 waits_for_usr2
kill -USR2 $recorder
check "SIGUSR2 writes a file, and its name is said" wait_until 30 grep -qE "^sberf record: the last .* are in f\.data\.1 \(" err
check "it is sound" "$SBERF" check f.data.1
check "there is no other one" test ! -e f.data
enough() {
	kill -USR2 $recorder && wait_until 10 test -s f.data.$1 && [ "$(value f.data.$1 oncpu_samples)" -gt 20 ]
}
nr=1
until [ "$nr" -ge 50 ] || enough $((++nr)); do :; done
check "another one has what came since" test "$(value f.data.$nr oncpu_samples)" -gt 20
kill -INT $recorder
wait $recorder
equal "the flight recorder ends well" 0 $?
check "and writes what it has at the end" "$SBERF" check f.data
at_least "no less than before" "$(value f.data.$nr oncpu_samples)" "$(value f.data oncpu_samples)"
check "with names" grep -q main <("$SBERF" report --format folded f.data)

# fill: takes all that is free on the disk "full", the last block too.
fill() {
	head -c 100000000 /dev/zero >full/rest 2>/dev/null
}

# sound_so_far FILE: nothing in it is damaged; it may have no end.
sound_so_far() {
	"$SBERF" check "$1" >told
	[ $? -eq 0 ] || grep -q "^$1: cut off, nothing is damaged" told
}

mkdir full
if mount -t tmpfs -o size=4m none full 2>/dev/null; then
	# In the middle of a file, or just when another one is begun.
	"$SBERF" record -e cpu-clock -F 4999 --max-size 64K --max-files 90 -o full/r.data -p "$workload" 2>err &
	recorder=$!
	also_kill $recorder
	check "a full disk: there are several files" wait_until 120 test -s full/r.data.1
	fill
	wait $recorder
	equal "a full disk: status 1" 1 $?
	note "$(cat err)"
	matches "a full disk: the sentence" "cannot (write to|begin another file).*full/r.data: No space left on device" "$(cat err)"
	parts=(full/r.data full/r.data.*)
	check "a full disk: no half of a file is left" test "$(printf '%s\n' "${parts[@]}" | grep -cvE 'r\.data(\.[0-9]+)?$')" -eq 0
	check "a full disk: the files before the last are sound" "$SBERF" check "${parts[@]:1}"
	check "a full disk: so is the last one, up to there" sound_so_far full/r.data
	sum=0
	for file in "${parts[@]}"; do
		sum=$((sum + $(value "$file" oncpu_samples)))
	done
	check "a full disk: they can be merged" "$SBERF" merge "${parts[@]}" -o rest.data
	equal "a full disk: to all that was recorded" $sum "$(value rest.data oncpu_samples)"
	at_least "a full disk: which is something" 10 $sum
	umount full

	# No room for one file more: three inodes are for the directory and two files.
	mount -t tmpfs -o size=100m,nr_inodes=3 none full
	"$SBERF" record -e cpu-clock -F 4999 --max-size 64K --max-files 90 -o full/r.data -p "$workload" 2>err
	equal "no room for one file more: status 1" 1 $?
	matches "no room for one file more: the sentence" "cannot begin another file: .*full/r.data: No space left on device" "$(cat err)"
	equal "no room for one file more: those before" "full/r.data full/r.data.1" "$(echo full/*)"
	check "no room for one file more: they are sound" "$SBERF" check full/r.data full/r.data.1
	umount full

	# A flight recorder goes on, whatever becomes of what is asked for meanwhile.
	mount -t tmpfs -o size=4m none full
	"$SBERF" record -e cpu-clock -F 997 --keep 1h -o full/f.data -p "$workload" 2>err &
	recorder=$!
	also_kill $recorder
	wait_until 60 waits_for_usr2
	fill
	kill -USR2 $recorder
	check "a flight recorder on a full disk: it is said, and goes on" wait_until 60 \
		grep -q "cannot write to full/f.data.1: No space left on device; recording goes on" err
	equal "a flight recorder on a full disk: no half of a file is left" full/rest "$(echo full/*)"
	rm full/rest
	kill -USR2 $recorder
	check "a flight recorder: with room again it is written" wait_until 60 grep -q "the last .* are in full/f.data.1" err
	fill
	kill -INT $recorder
	wait $recorder
	equal "a flight recorder ends on a full disk: status 1" 1 $?
	matches "a flight recorder ends on a full disk: the sentence" "cannot write to full/f.data: No space left on device" "$(cat err)"
	equal "a flight recorder ends on a full disk: no half of a file is left" "full/f.data.1 full/rest" "$(echo full/*)"
	check "a flight recorder on a full disk: what was written before is sound" "$SBERF" check full/f.data.1
	umount full
else
	skip "needs root" "a full disk"
fi
stop_workload
finish
