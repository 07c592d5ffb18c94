#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# python.sh - frames of Python beside what a program says of itself at each moment (tests/workloads/selfreport.py), of each CPython that is here.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
[ -x /usr/bin/python3 ] || skip_all "there is no Python"
cd "$SCRATCH" || exit 1

# begin PREFIX PYTHON THREADS: starts the program; its pid is in pids.
pids=()
begin() {
	local word
	mkfifo "$1.ready"
	"$2" "$top_srcdir/tests/workloads/selfreport.py" "$1.table" "$1" "$3" >"$1.ready" 2>"$1.err" &
	pids+=($!)
	also_kill $!
	exec {ready}<"$1.ready"
	read -rt 60 word <&"$ready" && [ "$word" = ready ]
	result $? "$2 runs"
}

begin d /usr/bin/python3 2
# One whose threads keep their state beyond the first 32 variables.
LD_PRELOAD=$(realpath "$WORKLOADS/manykeys.so")
export LD_PRELOAD
begin k /usr/bin/python3 0
unset LD_PRELOAD
names=(d k)
# Development machines have more versions, whose programs have symbols.
for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
	[ -x "$python" ] && "$python" -c 'import ctypes, sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || continue
	names+=("v$(basename "$(dirname "$(dirname "$python")")" | tr -cd 0-9).")
	begin "${names[-1]}" "$python" 0
done
list=$(IFS=,; echo "${pids[*]}")
check "recorded" record python.data -F 997 --duration 4s -p "$list"
note "$(tail -n 2 python.data.err)"

# What was there when sberf came is known from the first sample on.
"$SBERF" report -i python.data --format folded --python only --group-by comm >only.folded
for name in "${names[@]}"; do
	touch "$name.table.stop"
done
wait
cat ./*.table >tables
python3 "$top_srcdir/tests/live/python_judge.py" tables only.folded >judged
note "$(cat judged)"
# "total N changing N wrong N cut N", ppm but for the first
note "$(summary python.data | grep -E '^(script|lost_ring)' | tr '\n' ' ')"
read -r _ total _ changing _ wrong _ cut <<<"$(tail -n 1 judged)"
at_least "stacks to judge, us" 500000 "${total:-0}"
# 6,000 to 9,000 ppm are usual (tests/bench/python.sh), and up to five times as many where so many programs take turns.
at_least "samples in which the stack did not change, and which count, ppm" 950000 $((1000000 - ${changing:-1000000}))
equal "stacks that are not the true one, ppm" 0 "${wrong:-none}"
at_least "complete, ppm" 995000 $((1000000 - ${cut:-1000000}))
at_least "stacks with all frames read, percent" 99.5 "$(awk -v w="$(value python.data script_whole)" -v n="$(value python.data script_stacks)" 'BEGIN { print n ? 100 * w / n : 0 }')"
equal "frames and processes that were too many" 0 "$(value python.data script_refused)"

check "frames of a program with more than 32 variables of threads" grep -q '^k[0-9].*;leaf ' only.folded
check "frames below a call that let the lock go and took it again" grep -q ';apart;compared_apart;leaf ' only.folded
check "frames of another interpreter in the same thread" \
	grep -qE "^[dk][0-9]+;<module> \(selfreport.py\);main;rounds;other_interpreter;(<module> .*|\[.*\]);inside " only.folded
check "frames of a thread that Python has not begun" grep -qE '^[a-z0-9.]+;foreign;leaf ' only.folded

# Between native frames: who sorts is C, and calls Python again.
"$SBERF" report -i python.data --format folded --group-by comm >both.folded
"$SBERF" report -i python.data --format folded --group-by comm --python native >native.folded
check "a function of C is between what calls it and what it calls" grep -qE '(^|[;.])callbacks;[^ ]*;(key_of|Odd.__lt__)' both.folded
equal "the interpreter's loop is shown with native frames alone" 0 "$(grep -cE '^d[0-9]+;.*;leaf' native.folded)"
check "and only there" grep -q '^d[0-9].*_PyEval_EvalFrameDefault' native.folded

# Threads that run Python wait for each other: that is a class of its own, known by the address of the lock.
"$SBERF" report -i python.data --format waits >waits.txt
check "waits for the interpreter are a class" grep -qE ' GIL$' waits.txt
"$SBERF" report -i python.data --format folded --python only --group-by comm --metric blocked >blocked.folded
check "their stacks say so" grep -q ';\[waiting for the GIL\] ' blocked.folded

# Who has the interpreter meanwhile is recorded with each wait: by the oldest and the newest way to find its lock.
take_turns() {
	local turns reader word
	mkfifo turns.fifo
	"$1" "$top_srcdir/tests/workloads/gilturns.py" 60 4 >turns.fifo &
	turns=$!
	also_kill $turns
	exec {ready}<turns.fifo
	rm turns.fifo
	read -rt 60 word <&"$ready" && [ "$word" = ready ] || return
	cat <&"$ready" >turns &
	reader=$!
	record turns.data --wakers -p $turns --duration 1500ms
	kill $turns
	wait $turns $reader
	exec {ready}<&-
	"$SBERF" report -i turns.data --format firefox >markers.json
	read -r waits right time never unknown < <(python3 "$top_srcdir/tests/live/locks_judge.py" turns markers.json overlapping)
	note "$waits waits of 1 ms and more, $right % right, $time % of their time, $never of who did not have it, $unknown without holder"
}
for python in /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.13.*/bin/python3; do
	[ -x "$python" ] || continue
	# Where many programs run it is seldom known who had it.
	for try in 1 2 3 4; do
		waits=
		take_turns "$python"
		[ "${waits:-0}" -lt 20 ] || break
	done
	at_least "waits for the interpreter, of $python" 20 "${waits:-0}"
	at_least "percent of which the thread that has it is right" 95 "${right:-0}"
	at_least "percent of their time" 95 "${time:-0}"
	equal "threads that did not have it" 0 "${never:-none}"
done

# Threads are called what the program calls them: each version keeps that elsewhere.
cat >named.py <<'PY'
import sys
import threading
import time
class Worker(threading.Thread):
    def __init__(self, name):
        self.before = "another text"
        super().__init__(name=name)
    def run(self):
        while not ended:
            time.sleep(.02)
ended = []
workers = [Worker("%s w\u00f6rker %d of them" % (sys.argv[1], i)) for i in range(40)]
for w in workers:
    w.start()
print("ready", flush=True)
sys.stdin.readline()
ended.append(1)
PY
mkfifo named.end
named=() versions=()
for python in /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
	[ -x "$python" ] && "$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || continue
	version=v${#named[@]}
	mkfifo named.ready
	"$python" named.py $version <named.end >named.ready &
	named+=($!) versions+=($version)
	also_kill $!
	[ "${end-}" ] || exec {end}>named.end
	exec {ready}<named.ready
	rm named.ready
	read -rt 60 word <&"$ready"
done
record named.data --duration 3s -p "$(IFS=,; echo "${named[*]}")"
exec {end}>&-
"$SBERF" report -i named.data --format folded --metric blocked --group-by comm >named.folded
for version in "${versions[@]}"; do
	equal "$version: threads by their names" 40 "$(grep -oE "^$version wörker [0-9]+ of them;" named.folded | sort -u | wc -l)"
done
"$SBERF" report -i named.data --format folded --metric blocked --group-by comm --thread 'v0 w*r 7*' >one.folded
equal "which filters know" "v0 wörker 7 of them" "$(cut -d';' -f1 one.folded | sort -u)"

# Waits have frames, too: the threads of the first one wait for each other.
python3 "$top_srcdir/tests/live/python_judge.py" tables blocked.folded >judged
note "blocked: $(tail -n 1 judged)"
read -r _ _ _ _ _ wrong _ _ <<<"$(tail -n 1 judged)"
# Short waits that found no room have stacks of others of their thread.
at_least "stacks of waits that are the true one, or of waits without an own stack, ppm" 995000 \
	$((1000000 - ${wrong:-1000000} + $(value python.data offcpu_sampled_percent | awk '{ printf "%d", 10000 * (100 - $1) }')))

# A Python that is a file only in a mount namespace of its own, and which switches tracing on and off.
cat >traced.py <<'PY'
import faulthandler
import sys
faulthandler.enable()
def leafy():
    x = 0
    for i in range(20000):
        x += i
    return x
def outer():
    return leafy()
def tracer(frame, event, arg):
    return tracer
def profiler(frame, event, arg):
    pass
print("ready", flush=True)
while True:
    sys.settrace(tracer)
    outer()
    sys.settrace(None)
    sys.setprofile(profiler)
    outer()
    sys.setprofile(None)
    outer()
PY
mkdir -p root/own root/proc
mkfifo traced.ready
# shellcheck disable=SC2016  # of the inner shell
unshare -m bash -c '
	mount -t tmpfs none root/own && cp "$(readlink -f /usr/bin/python3)" root/own/python && cp traced.py root/own || exit
	for dir in /usr /lib /lib64; do
		[ ! -e $dir ] || { mkdir -p root$dir && mount --bind $dir root$dir || exit; }
	done
	exec chroot root /own/python -X importtime /own/traced.py' >traced.ready 2>traced.err &
traced=$!
also_kill $traced
exec {ready}<traced.ready
read -rt 30 word <&"$ready" && [ "$word" = ready ]
result $? "a Python runs in a mount namespace of its own"
check "its file is there alone" [ ! -e root/own/python ]
# A thread that waits in another interpreter while somebody else has the lock: before 3.12 nothing says which one.
cat >other.py <<'PY'
import threading
import _xxsubinterpreters as interpreters
def asks():
    other = interpreters.create()
    while True:
        interpreters.run_string(other, "import time\ntime.sleep(.02)")
def spins():
    while True:
        pass
threading.Thread(target=asks, daemon=True).start()
print("ready", flush=True)
spins()
PY
mkfifo other.ready
others=
if /usr/bin/python3 -c 'import sys; sys.exit(sys.version_info >= (3, 12))'; then
	/usr/bin/python3 other.py >other.ready 2>other.err &
	others=,$!
	also_kill $!
	exec {ready}<other.ready
	read -rt 30 word <&"$ready" && [ "$word" = ready ]
	result $? "a Python with two interpreters runs"
fi
check "it is recorded" record traced.data -F 997 --duration 1s -p $traced$others
[ -z "$others" ] || {
	"$SBERF" report -i traced.data --format folded --python only --metric wall >other.folded
	kill "${others#,}"
	check "frames of another interpreter that are not known are said to be there" grep -qF ';asks;[python: frames that were not found]' other.folded
}
"$SBERF" report -i traced.data --format folded --python only | grep -v '(other[.]py)\|;asks;' >traced.folded
kill $traced
equal "stacks that cannot be" "" "$(grep -vE '^[^;]*(;<module> \(traced[.]py\)(;outer(;leafy)?)?(;(tracer|profiler))?|;\[python: frames that could not be read\])? [0-9]+$' traced.folded)"
at_least "stacks of the function that works, percent" 80 "$(awk '{ n += $NF } /;outer;leafy( |;tracer )/ { f += $NF } END { print n ? 100 * f / n : 0 }' traced.folded)"
finish
