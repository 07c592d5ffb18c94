#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# python_gdb.sh - the stacks of Python in which threads wait are those that gdb's py-bt shows, of a program of services
# (tests/workloads/services.py) that it stops four times.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v gdb >/dev/null || skip_all "gdb is not installed"
python=$(readlink -f /usr/bin/python3)
[ -r "/usr/share/gdb/auto-load$python-gdb.py" ] || skip_all "python3-dbg is not installed"
cd "$SCRATCH" || exit 1

mkfifo ready
"$python" "$top_srcdir/tests/workloads/services.py" >ready 2>program.err &
program=$!
also_kill $program
exec {ready}<ready
read -rt 60 word <&"$ready" && [ "$word" = ready ]
result $? "the program runs"
check "it is recorded" record run.data --duration 3s -p $program
"$SBERF" report -i run.data --python only --metric wall --format folded --group-by comm >folded
for stop in 1 2 3 4; do
	gdb -p $program -batch -ex 'thread apply all py-bt' >"gdb.$stop" 2>gdb.err
done
kill $program

# A thread of gdb's is right when sberf has seen one in the same functions, from the first one on.
cat >compare.py <<'END'
import glob
import re

def plain(name):
    return re.sub(r" \(.*\)$", "", name).split(".")[-1].strip("<>")

seen = set()
for line in open("folded"):
    frames = line.rsplit(" ", 1)[0].split(";")[1:]
    seen.add(tuple(plain(f) for f in frames if not f.endswith("_[k]") and not f.startswith("[")))
threads = []
for name in sorted(glob.glob("gdb.[0-9]")):
    for line in open(name):
        if line.startswith("Thread "):
            threads.append([])
        frame = re.match(r'  File ".*", line \d+, in (.*)', line)
        if frame and threads:
            threads[-1].insert(0, plain(frame[1].strip()))
threads = [tuple(t) for t in threads if t]
wrong = [t for t in threads if not any(s[:len(t)] == t for s in seen)]
for t in wrong:
    print("#", ";".join(t))
print(len(threads), len(wrong))
END
python3 compare.py >compared
note "$(grep '^#' compared)"
read -r threads wrong < <(tail -n 1 compared)
at_least "threads that gdb shows" 20 "${threads:-0}"
equal "and sberf has not seen so" 0 "${wrong:-1}"
finish
