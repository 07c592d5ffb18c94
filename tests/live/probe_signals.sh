#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_signals.sh - signals: each one that a target sends or is sent, with its name, both processes and the stack of the sender.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
python=$(PATH=/usr/bin:$PATH type -P python3) || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# of METRIC: how many hits are in run.data.
of() {
	"$SBERF" report -i run.data --metric "$1" --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get("count", 0))'
}

# A parent sends its child 50 signals, one after another, and then one that ends it, which the kernel tells the parent.
cat >sends.py <<'END'
import os, signal, sys
r, w = os.pipe()
pid = os.fork()
if not pid:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    while True:
        os.write(w, b"x")
        signal.sigwait({signal.SIGUSR1})
os.read(r, 1)
for i in range(50):
    os.kill(pid, signal.SIGUSR1)
    os.read(r, 1)
os.kill(pid, signal.SIGTERM)
os.waitpid(pid, 0)
print(os.getpid(), pid, file=sys.stderr)
END
usr1='signal /sig == 10/'
record run.data --probe signal --probe 'fault:major' -- "$python" sends.py
equal "recorded, status" 0 $?
note "$(cat run.data.err)"
between "signals" 52 54 "$(of signal)"
"$SBERF" report -i run.data --metric signal --format folded --no-inline >folded
at_least "those of kill(), with the whole stack of the sender" 51 \
	"$(awk '/^python3[^;]*;_start;.*;(__GI_|__)?kill / { n += $NF } END { print n + 0 }' folded)"
note "$(head -n 3 folded)"
record run.data --probe "$usr1" -- "$python" sends.py
equal "a condition by number" 50 "$(of "$usr1")"

"$SBERF" trace --probe signal -- "$python" sends.py >lines 2>err
equal "traced, status" 0 $?
read -r parent child < <(grep '^[0-9]* [0-9]*$' err)
note "$(tail -n 3 lines)"
equal "who sends what to whom" 50 "$(grep -c "python3/$parent .* signal(SIGUSR1, python3/$child, SI_USER)" lines)"
equal "the last one" 1 "$(grep -c "python3/$parent .* signal(SIGTERM, python3/$child, SI_USER)" lines)"
equal "what the kernel tells the parent" 1 "$(grep -c "python3/$child .* signal(SIGCHLD, python3/$parent, CLD_KILLED, ignored)" lines)"

# What somebody else sends to the target counts, too, without a stack of the sender; and what is between others does not.
sleep 100 &
other=$!
also_kill $other
sleep 100 &
pid=$!
also_kill $pid
"$SBERF" trace --format json -p $pid --probe signal >lines 2>err &
tracer=$!
tracing() {
	kill -CONT $pid
	kill -CONT $other
	grep -qs SIGCONT lines
}
wait_until 30 tracing
kill -TERM $pid
wait $pid 2>/dev/null
wait_until 20 grep -qs SIGTERM lines
kill -INT $tracer 2>/dev/null
wait $tracer
note "$(tail -n 3 lines; cat err)"
equal "from outside: who, what, to whom" 1 \
	"$(grep -c "\"pid\":$$,.*\"signal\":\"SIGTERM\",\"to_pid\":$pid,\"to_tid\":$pid,\"to_comm\":\"sleep\",\"code\":\"SI_USER\",\"outcome\":\"delivered\"" lines)"
equal "none between others" 0 "$(grep -c "\"to_pid\":$other," lines)"

"$SBERF" record -o bad.data --probe signal --probe "$usr1" -- true 2>err
check "two probes of signals: refused" test $? -ne 0
matches "and named" "both about signals" "$(cat err)"
matches "list knows them" 'signal\(sig, to_pid' "$("$SBERF" list signal)"
finish
