#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# `sberf record` end to end: exit statuses, what is said, what is in the file, and that nothing is lost on bad days.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# has_samples FILE: can ten samples be read from it, also while it is being written?
has_samples() {
	[ "$(value "$1" oncpu_samples)" -ge 10 ]
}

# The command's status is record's.
"$SBERF" record -e cpu-clock -o a.data -- sh -c 'exit 7' 2>err
equal "returns the command's status" 7 $?
"$SBERF" record -e cpu-clock -o a.data -- sh -c 'kill -TERM $$' 2>err
equal "returns 128 + the signal that killed the command" 143 $?
"$SBERF" record -e cpu-clock -o none.data -- ./no-such-command 2>err
equal "a command that does not exist: 127" 127 $?
matches "and one sentence that names it" "^sberf record: .*no-such-command.*no such" "$(cat err)"
equal "in one line" 1 "$(wc -l <err)"
check "and no recording" test ! -e none.data
touch not-executable
"$SBERF" record -e cpu-clock -o none.data -- ./not-executable 2>err
equal "a command that is not executable: 126" 126 $?

# Targets that do not exist.
"$SBERF" record -e cpu-clock -o none.data -p 4194001 2>err
equal "no such process: status 1" 1 $?
matches "and one sentence" "no process 4194001" "$(cat err)"
"$SBERF" record -e cpu-clock -o none.data -n no-such-name-at-all 2>err
equal "no such name: status 1" 1 $?
matches "and one sentence" "no-such-name-at-all" "$(cat err)"
check "and no recording for either" test ! -e none.data

# Too few open files: the limit, the need, the command.
for limit in 20 66; do
	(ulimit -n $limit; exec "$SBERF" record -e cpu-clock -o none.data -a --duration 100ms) 2>err
	equal "ulimit -n $limit: status 1" 1 $?
	matches "and one sentence" \
		"allowed: $limit \(RLIMIT_NOFILE\), and a capture of [0-9]+ CPUs takes ([0-9]+); run: ulimit -n [0-9]+" "$(cat err)"
done
enough=$(sed -n 's/.*ulimit -n //p' err)
(ulimit -n "$enough"; exec "$SBERF" record -e cpu-clock -o enough.data -a --duration 100ms) 2>err
equal "the number that it names is enough" 0 $?

# Two at once: the second neither takes the first one's file nor moves it away.
"$SBERF" record -e cpu-clock -o two.data -a 2>two.err &
recorder=$!
also_kill $recorder
wait_until 120 test -s two.data
"$SBERF" record -e cpu-clock -o two.data -a --duration 100ms 2>err
equal "a recording that is being written is refused" 1 $?
matches "and one sentence" "two.data is being written by another sberf record; choose another file with -o" "$(cat err)"
kill -INT $recorder
wait $recorder
equal "the first one ends well" 0 $?
check "and is where it was" "$SBERF" report --format summary two.data
check "nothing was moved" test ! -e two.data.old
equal "and nothing is left beside it" "" "$(ls -- *.part 2>/dev/null)"

# Ctrl-C ends it properly; the target lives on.
start_workload shares
result $? "workload is ready"
"$SBERF" record -e cpu-clock -o b.data -F 499 -p "$workload" 2>b.err &
recorder=$!
also_kill $recorder
wait_until 120 has_samples b.data
kill -INT $recorder
wait $recorder
equal "SIGINT: status 0" 0 $?
matches "says how many samples, and where they are" "samples, .* complete, lost 0, .* in b.data" "$(cat b.err)"
at_least "samples are in the file" 10 "$(value b.data oncpu_samples)"
check "the target lives on" kill -0 "$workload"
equal "the recording is private" 600 "$(stat -c %a b.data)"

# Asleep for a few periods at a time, and its CPU idle: not sampled as often as asked for, which is no loss of the rate.
mkfifo silent
bash -c 'while :; do for ((i = 0; i < 1000; i++)); do :; done; read -rt 0.0025 <>silent; done' &
also_kill $!
"$SBERF" record -e cpu-clock -o half.data -F 997 --duration 3 -p $! 2>err
equal "a target that sleeps much of the time: status 0" 0 $?
at_least "the rate got is that of its busy time" 850 "$(value half.data rate_got_hz)"

# The end of the target ends the recording.
"$SBERF" record -e cpu-clock -o c.data -F 499 -p "$workload" 2>c.err &
recorder=$!
also_kill $recorder
wait_until 120 sh -c '[ "$(stat -c %s c.data 2>/dev/null || echo 0)" -gt 1000 ]'
stop_workload
wait $recorder
equal "the target's end: status 0" 0 $?

# --duration and --delay.
start_workload shares
record d.data -F 499 -p "$workload" --duration 500ms
between "--duration 500ms takes about that long (s)" 0.45 6 "$(value d.data duration_seconds)"
record e.data -F 499 -p "$workload" --duration 400ms --delay 300ms
result $? "--delay"

# --at: sampling begins at that moment, to a tenth of a second; the first sample shows it.
at=$(($(date +%s) + 3))
record at.data -F 499 -p "$workload" --duration 400ms --at "@$at.25"
result $? "--at"
"$SBERF" report -i at.data --format firefox >at.json
between "when it began, ms behind that moment" 0 100 "$(sed -n 's/.*"startTime": *\([0-9]*\).*/\1/p' at.json | head -n 1 | awk -v at="$at" '{ printf "%d", $1 - 1000 * at - 250 }')"
check "what it recorded is of the time behind it" [ "$(value at.data oncpu_samples)" -gt 20 ]
"$SBERF" record -p "$workload" --at 25:00 2>err
equal "what is no moment is refused" "2 sberf record: '25:00' is no moment: write it as 15:04:05, 2026-11-29T15:04:05Z or @1795961045" "$? $(head -n 1 err)"
"$SBERF" record -p "$workload" --at 2020-01-01T00:00:00Z 2>err
matches "and what has passed" "2020-01-01T00:00:00Z has passed" "$(cat err)"
"$SBERF" record -p "$workload" --at 23:59 --delay 1s 2>err
matches "and two beginnings" "--at and --delay both say when to begin" "$(cat err)"

# SIGKILL of the recorder: at most the last second is lost.
"$SBERF" record -e cpu-clock -o k.data -F 499 -p "$workload" 2>k.err &
recorder=$!
wait_until 120 has_samples k.data
kill -KILL $recorder
wait $recorder 2>/dev/null
out=$("$SBERF" report -i k.data --format summary 2>k.note)
result $? "a recording of a killed sberf can be read"
at_least "it holds samples" 10 "$(printf '%s\n' "$out" | sed -n 's/^oncpu_samples: //p')"
matches "and says that it was cut off" "." "$(cat k.note)"
stop_workload

# The recording alone is enough: with the binary gone, the same answer.
cp "$WORKLOADS/shares" ./moved
./moved >/dev/null &
pid=$!
also_kill $pid
record f.data -F 997 -p $pid --duration 1s
kill -KILL $pid
"$SBERF" report -i f.data --format folded >with
rm moved
env -i "$SBERF" report -i f.data --format folded >without
check "without its binary a recording gives the same answer" cmp with without
check "names are in it" grep -q 'main;' without

# An existing recording is kept, other files are never overwritten.
record f.data -F 99 --duration 100ms -a
check "the previous recording is kept as .old" test -s f.data.old
echo precious >notes.txt
"$SBERF" record -e cpu-clock -o notes.txt -a --duration 100ms 2>err
equal "a file that is not a recording is refused" 1 $?
equal "and stays" precious "$(cat notes.txt)"
ln -s notes.txt link
"$SBERF" record -e cpu-clock -o link -a --duration 100ms 2>err
equal "a symbolic link is refused" 1 $?
"$SBERF" record -e cpu-clock -o /nonexistent/dir/x.data -a --duration 100ms 2>err
equal "a directory that does not exist: status 1" 1 $?
matches "and named" "/nonexistent/dir/x.data" "$(cat err)"

# What a script does: a job in the background, for which its shell ignores SIGINT.
timeout 60 bash -c '"$1" record -a -o bg.data 2>bg.err & p=$!
	until [ "$(stat -c %s bg.data 2>/dev/null || echo 0)" -gt 1000 ]; do read -rt 0.02 <> <(:); done
	kill -INT $p; wait $p' - "$SBERF"
equal "SIGINT to a job in the background of a script: status 0" 0 $?

# A signal sent to sberf goes on to its command.
"$SBERF" record -e cpu-clock -o t.data -- sh -c 'exec sleep 300' 2>t.err &
recorder=$!
also_kill $recorder
wait_until 120 sh -c "pgrep -P $recorder -x sleep"
kill -TERM $recorder
wait $recorder
equal "SIGTERM ends the command too: 128 + 15" 143 $?

# Under sudo the command is the user's, in the user's home; half of sudo's variables are refused.
out=$(SUDO_UID=65534 SUDO_GID=65534 "$SBERF" record -e cpu-clock -o /tmp/sudo.$$ -- sh -c 'echo $(id -u) $(id -g) $USER $HOME' 2>sudo.err)
equal "the command runs as the invoking user" "65534 65534 nobody /nonexistent" "$out"
equal "the recording belongs to that user" 65534 "$(stat -c %u /tmp/sudo.$$)"
rm -f /tmp/sudo.$$
out=$(SUDO_UID=65534 "$SBERF" record -e cpu-clock -o half.data -- id -u 2>half.err)
equal "SUDO_UID without SUDO_GID: status 1" 1 $?
equal "and nothing runs as root" "" "$out"

# A script whose interpreter is missing.
printf '#!/nonexistent/interpreter\n' >script && chmod +x script
"$SBERF" record -e cpu-clock -o none2.data -- ./script 2>err
equal "a missing interpreter: 126" 126 $?
matches "is told as such" "interpreter" "$(cat err)"

# computed PID: its user time in ticks. has_computed PID TICKS: whether it is that much.
computed() {
	awk '{ print $14 }' "/proc/$1/stat"
}
has_computed() {
	[ "$(computed "$1")" -ge "$2" ]
}

# A full disk ends the recording, not the command.
mkdir full
if mount -t tmpfs -o size=256k none full 2>/dev/null; then
	# Open for both, so that neither side waits for the other to come.
	mkfifo enough
	exec {gate}<>enough
	"$SBERF" record -e cpu-clock -F 4999 -o full/f.data -- sh -c '"$1" 0 30 >/dev/null & echo $! >works; read -r word <enough
		kill $!; echo $word >ended' - "$WORKLOADS/recurse" 2>err &
	recorder=$!
	also_kill $recorder
	wait_until 120 has_samples full/f.data
	head -c 1000000 /dev/zero >full/rest 2>/dev/null
	# Two seconds of its time are 50 KB: more than the rest of a page that the file has already.
	works=$(cat works)
	wait_until 120 has_computed "$works" $(($(computed "$works") + 2 * $(getconf CLK_TCK)))
	echo enough >&"$gate"
	wait $recorder
	equal "a full disk: status 1" 1 $?
	matches "named" "No space left" "$(cat err)"
	check "the command ran to its end" grep -qx enough ended
	"$SBERF" report -i full/f.data --format summary >full.txt 2>full.note
	at_least "what was captured before is there" 10 "$(sed -n 's/^oncpu_samples: //p' full.txt)"
	umount full
else
	skip "needs root" "a full disk"
fi
finish
