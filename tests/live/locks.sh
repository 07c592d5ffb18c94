#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# locks.sh - who made others wait: of a mutex with 2 to 64 threads the holder is right, sums are those of the waits, and a program that hung
# before it was recorded has its deadlock in the report.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
python3=$(python_with json) || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 99

# nanoseconds: the sum of the times at the begin of the lines of standard input, as locks and waits print them.
nanoseconds() {
	"$python3" -c 'import re, sys
units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
total = 0
for line in sys.stdin:
    word = line.replace("~", "").split()
    long = re.match(r"(\d+)m(\d+)$", word[0])
    total += (int(long[1]) * 60 + int(long[2])) * 1e9 if long else float(word[0]) * units[word[1]]
print(int(total))'
}

# judge WHAT MODE THREADS [OPTION...]: records turns, and judges the waits in them. They span many turns of the lock, so the time of each
# is divided among its holders. Once more where CPUs are so busy that threads that are woken wait for one longer than others hold the lock.
judge() {
	local what=$1 waits right time never unknown
	shift
	for try in 1 2 3; do
		turns "$@"
		"$SBERF" report -i run.data --format firefox >markers.json
		read -r waits right time never unknown < <("$python3" "$top_srcdir/tests/live/locks_judge.py" truth markers.json)
		[ "${time:-0}" -lt 95 ] || [ "${never:-1}" -gt 0 ] || break
	done
	note "$what: $waits waits of 1 ms and more, $right % right, $time % of their time, $never holders that did not hold it, $unknown without"
	at_least "$what: waits" 20 "${waits:-0}"
	at_least "$what: percent of waits with a holder that is right" 95 "${right:-0}"
	at_least "$what: percent of their time that names the right one" 95 "${time:-0}"
	equal "$what: holders that did not hold it" 0 "${never:-none}"
}

# turns MODE THREADS [OPTION...]: records them into run.data; what they say of themselves goes into the file truth.
turns() {
	local mode=$1 threads=$2 program reader word out
	shift 2
	rm -f ready
	mkfifo ready
	"$WORKLOADS/locked" 60 "$mode" "$threads" >ready &
	program=$!
	also_kill $program
	exec {out}<ready
	read -rt 60 word <&"$out"
	cat <&"$out" >truth &
	reader=$!
	record run.data "$@" -p $program --duration "${turns_for:-1200ms}"
	kill $program
	wait $program $reader
	exec {out}<&-
}

# Without wakers, too, waits for locks are told one by one.
for threads in 2 8 64; do
	how=(--wakers)
	[ $threads -ne 8 ] || how=()
	judge "$threads threads" truth $threads ${how[@]+"${how[@]}"}
	"$SBERF" report -i run.data --format locks >locks
	"$SBERF" report -i run.data --format waits --metric blocked >waits
	of_locks=$(grep -E ' (mutex|futexes|end of a thread|condition)' locks | nanoseconds)
	of_waits=$(grep -E ' futex$' waits | nanoseconds)
	between "$threads threads: time of all locks (ns)" $((of_waits * 98 / 100)) $((of_waits * 102 / 100)) "$of_locks"
	equal "$threads threads: one mutex, by its name, and where it is taken" 1 "$(grep -c ' mutex lock\[0\] (0x[0-9a-f]*): takes_turns ' locks)"
	at_least "$threads threads: holders of it" $((threads / 2)) "$(("$(grep -c 'held by turns' locks)" + $(sed -nE 's/ *and ([0-9]+) more holders/\1/p' locks | grep . || echo 0)))"
done

# Where writers are preferred, readers have it when no writer waits, so few wait for readers; and the other way round.
judge "an rwlock of 8 threads, mostly written" rwlock 8
for mode in rwlock rwread; do
	[ $mode = rwlock ] || judge "an rwlock of 9 threads, mostly read" rwread 9
	"$SBERF" report -i run.data --format locks >locks
	note "$(cut -c1-120 locks)"
	equal "$mode: one lock, by its name" "shared_in_turns " "$(sed -nE 's/.* rwlock .to (read|write). (.*)\(0x.*/\2/p' locks | sort -u)"
	matches "$mode: its writers have names" ' held by turns [0-9]+' "$(grep -A 9 'rwlock (to write) shared_in_turns' locks)"
done
matches "its readers have a number" ' held by up to [2-6] readers' "$(grep -A 9 'rwlock (to write) shared_in_turns' locks)"

# Locks of the kernel: the mutex of a file's position, and the semaphore of an inode. Their holders sleep in the kernel meanwhile.
# takers MODE: the functions of the kernel that take the lock, by its source; those of inodes depend on what kind of file system /tmp is on.
takers() {
	case $1,$(stat -f -c %T /tmp) in
	kmutex,*) echo '(__)?fdget_pos' ;;
	krwsem,ext*) echo 'ext4_(buffered|dio)_write_iter' ;;
	krwsem,tmpfs) echo '(generic|shmem)_file_write_iter' ;;
	krwsem,xfs) echo 'xfs_(ilock|file_buffered_write)[a-z_]*' ;;
	krwsem,btrfs) echo 'btrfs_(inode_lock|buffered_write|do_write_iter)' ;;
	krwsem,overlayfs) echo 'ovl_write_iter' ;;
	*) echo '[a-z0-9_]*write[a-z0-9_]*' ;;
	esac
}
for mode in kmutex krwsem; do
	turns_for=600ms judge "a lock of the kernel, $mode, of 8 threads" $mode 8 --kernel-locks
	"$SBERF" report -i run.data --format locks >locks
	note "$(head -3 locks)"
	equal "$mode: one lock, by its kind and who takes it in the kernel" 1 \
		"$(grep -cE " kernel (mutex|rwsem .to write.) of $(takers $mode), 0x[0-9a-f]+: (reads_hole|writes_again) " locks)"
	at_least "$mode: holders of it" 4 "$(grep -c 'held by turns' locks)"
done

# Waits that had begun before the recording, where the kernel says for what (CONFIG_DETECT_HUNG_TASK_BLOCKER).
# asleep N: so many threads of the workload are in a sleep that no signal ends.
asleep() {
	[ "$(cat /proc/"$workload"/task/*/stat | sed 's/.*) //' | grep -c ^D)" -ge "$1" ]
}
for mode in kmutex krwsem; do
	start_workload locked 0 $mode 5
	kill -USR1 "$workload"
	wait_until 20 asleep 4
	record run.data -p "$workload" --duration 300ms --kernel-locks
	stop_workload
	"$SBERF" report -i run.data --format locks >locks
	note "$(head -3 locks)"
	if LC_ALL=C grep -aqzx blocker /sys/kernel/btf/vmlinux; then
		matches "$mode: a wait that was there before says for which lock" " 4    4  .* kernel (mutex|rwsem .to write.) of $(takers $mode), 0x" "$(cat locks)"
		matches "$mode: and who has it" 'held by turns [0-9]+, waits now: (reads_hole|writes_again) ' "$(cat locks)"
	else
		skip "this kernel does not say what a thread waits for" "$mode: a wait that was there before"
	fi
done

# As long as perf says, which counts until a thread has the lock, so with the handing over. It begins and ends at other moments, and a
# machine that is busy sees other waits in between: the averages are those of some 200 of each.
# beside_perf: the average wait, in ns, by perf and by sberf, to THEIRS and OURS.
beside_perf() {
	start_workload locked 0 krwsem 8
	rm -f perf.data
	perf lock record -o perf.data -p "$workload" >perf.out 2>&1 &
	perf=$!
	wait_until 20 test -s perf.data
	record run.data -p "$workload" --duration 500ms --kernel-locks
	kill -INT $perf
	wait $perf
	stop_workload
	"$SBERF" report -i run.data --format locks >locks
	theirs=$(perf lock contention -i perf.data 2>&1 | sed -nE 's/.* ([0-9.]+ [mu]?s) +rwsem:W .*/\1/p' | head -1 | nanoseconds)
	sed -nE 's/^ *([0-9.~]+ [mun]?s) +([0-9,]+) .* ([0-9.]+ [mun]?s)  kernel rwsem .*/\1\n\3\n\2/p' locks | head -3 >ours
	ours=$(($(head -2 ours | nanoseconds) / $(tail -1 ours | tr -d , | grep . || echo 1)))
}
if perf lock contention -h 2>&1 | grep -q -- -i; then
	# perf loses some events where CPUs are busy, and takes two waits for one then.
	for try in 1 2 3; do
		beside_perf
		[ $((theirs * 70 / 100)) -gt "$ours" ] || [ $((theirs * 140 / 100)) -lt "$ours" ] || break
	done
	between "an average wait, beside perf lock contention (ns)" $((theirs * 70 / 100)) $((theirs * 140 / 100)) "$ours"
else
	skip "perf lock contention is not here" "an average wait, beside perf lock contention"
fi

# Locks that are spun for, beside what the kernel tells of them to perf, which counts from the same two tracepoints. Where a hypervisor runs
# one CPU at a time nobody ever spins.
start_workload locked 0 kspin 4
rm -f perf.data
perf record -q -e lock:contention_begin --filter 'flags & 1' -o perf.data -p "$workload" >perf.out 2>&1 &
perf=$!
wait_until 20 test -s perf.data
# Where CPUs are busy its threads may not run at once for all of that time.
for try in 1 2 3; do
	record run.data -p "$workload" --duration 800ms --kernel-locks
	"$SBERF" report -i run.data --format locks >locks
	! grep -q 'kernel spin lock' locks || break
done
kill -INT $perf
wait $perf
stop_workload
spun=$(perf script -i perf.data 2>/dev/null | grep -c contention_begin)
note "$spun times by perf: $(grep 'kernel spin lock' locks)"
if [ "$spun" -ge 200 ]; then
	matches "a lock that is spun for, by who asks for it" ' kernel spin lock ' "$(cat locks)"
else
	skip "threads do not run at once here: $spun spins" "a lock that is spun for"
fi

# Pipes and sockets: who ends a wait, and by doctor who can. A pipe by which make shares jobs has a name of its own; by SIGCHLD, or by a
# token, a process ends the wait for it.
"$python3" "$top_srcdir/tests/live/locks_channels.py" >channels.out &
channels=$!
also_kill $channels
wait_until 20 grep -q writer channels.out
read -r reader writer <<<"$(sed 's/[a-z]*//g' channels.out | tr '\n' ' ')"
record channels.data --wakers -p "$reader,$writer" --duration 800ms
"$SBERF" doctor -p "$reader" >doctor.txt
kill "$channels"
"$SBERF" report -i channels.data --format locks >locks
note "$(cut -c1-150 locks)"
for kind in pipe socket; do
	matches "a $kind, by who ends the wait" " $kind .to read. .[0-9]+.: reads_$kind|$kind .to read. .[0-9]+." "$(cat locks)"
	matches "a $kind: the process that writes" "ended by [a-z0-9.]+ ([0-9]+/)?$writer .inferred." "$(grep -A 2 " $kind (to read)" locks)"
done

matches "who can write, by doctor" "is in read of pipe:.[0-9]+., which [a-z0-9.]+ .$writer. can write into" "$(cat doctor.txt)"
if command -v make >/dev/null; then
	printf 'all: a b c\na b c:\n\t+@$(MAKE) -f sub.mk\n' >top.mk
	printf 'all: 1 2 3\n1 2 3:\n\t@sleep 0.1\n' >sub.mk
	"$SBERF" record --wakers -o make.data -- make -f top.mk -j2 >make.out 2>&1
	"$SBERF" report -i make.data --format locks >locks
	note "$(cut -c1-150 locks)"
	matches "a pipe of make's" " jobserver token .[0-9]+.: new_job " "$(cat locks)"
	matches "who ends the wait for a token" "ended by (make|sleep|sh) [0-9]+ .inferred." "$(grep -A 9 ' jobserver token' locks)"
else
	skip "make is not installed" "a pipe of make's"
	skip "make is not installed" "who ends the wait for a token"
fi

# A lock in a block of memory is called by who allocated that, when blocks are followed.
start_workload locked 0 heap 4
record heap.data -p "$workload" --duration 1s --memory=allocs --sample-bytes 1
"$SBERF" report -i heap.data --format locks >locks
matches "a lock in a block, by who allocated it" ' mutex in a block of table_new[+]0x28 [(]0x[0-9a-f]+[)]: takes_turns ' "$(cat locks)"
matches "whoever held it held it, or rested" 'held by turns [0-9]+, mostly in: .* holds . takes_turns' "$(cat locks)"
stop_workload

# A thread that waits to write, for one that reads.
start_workload locked 0 kinds
record kinds.data -p "$workload" --duration 1500ms
"$SBERF" report -i kinds.data --format locks >locks
matches "readers have a number" ' held by 1 reader' "$(grep -A 1 'rwlock (to write) being_read' locks)"
matches "a writer has a name" ' held by owner [0-9]+, waits now: .*sleeps' "$(grep -A 1 'rwlock (to read) written' locks)"
stop_workload

# Locks of C++, Rust and Go, and of another C library: their kinds, where a program takes them, and nobody who did not have them. In the memory
# of most of these there is no holder: who ends a wait stands for it.
others=()
# also FILE: a program that is part of it.
also() {
	start_workload "$@"
	others+=("$workload")
}
"${CXX:-g++}" -std=c++17 -g -O2 -pthread -o takers "$top_srcdir/tests/live/takers.cc"
result $? "locks of C++ and Rust: built"
mkfifo takers.fifo
./takers 60 >takers.fifo &
others+=($!)
also_kill $!
exec {out}<takers.fifo
read -rt 60 word <&"$out"
for program in taken_musl gomutex; do
	[ ! -s "$WORKLOADS/$program" ] || also $program
done
record others.data --wakers -p "$(IFS=, && echo "${others[*]}")" --duration 1s
"$SBERF" report -i others.data --format locks >locks
kill "${others[@]}"
exec {out}<&-
# holders PATTERN: how the holders below locks whose lines match are said to be known, each once.
holders() {
	awk -v pattern="$1" '/ 0x|\(0x|futexes/ { on = $0 ~ pattern; next } on && NF' locks | grep -oE '(held|ended) by [a-z_]+' | sort -u | tr '\n' ' '
}
equal "std::mutex: taken in, and held by those who take it" "held by cxx " "$(holders ' mutex mutex \(0x[0-9a-f]*\): takes_cxx')"
equal "std::shared_mutex" "held by writer " "$(holders ' rwlock \(to read\) shared \(0x[0-9a-f]*\): reads_shared')"
equal "std::call_once()" 1 "$(grep -c ' once flag (0x[0-9a-f]*): calls_once' locks)"
equal "a mutex of Rust: those who end waits for it, though its data look like a holder" "ended by rust " \
	"$(holders ' mutex of_rust \(0x[0-9a-f]*\): takes_rust')"
# Debian's musl has neither names nor unwind information in its code.
[ ! -s "$WORKLOADS/taken_musl" ] || equal "a mutex of musl" "ended by taken_musl " "$(holders ' futex 0x[0-9a-f]*: libc[.]so')"
[ ! -s "$WORKLOADS/gomutex" ] || equal "threads of Go wait for work, and nobody holds that" "" "$(grep 'held by gomutex' locks)"
note "$(cut -c1-150 locks)"

# What is wrong with locks beside that, by name and with figures; and a mutex that lends its priority has no inversion.
start_workload locked 0 convoy 8
record convoy.data -p "$workload" --duration 1s
"$SBERF" report -i convoy.data --format locks >locks
note "$(head -3 locks)"
# An emulated CPU does not come that far.
[ "$(sed -n '2s/^ *[^ ]* [a-z]* *\([0-9,]*\).*/\1/p' locks | tr -d ,)" -lt 20000 ] ||
	at_least "handovers that are not told are counted" 1000 "$("$SBERF" report -i convoy.data --format summary | sed -n 's/^offcpu_untold_handovers: //p')"
matches "a convoy" 'convoy: [2-7][.][0-9] threads wait, handed over every [0-9.]+ us [(][0-9.]+ [mnu]s until the next one runs[)], for ' "$(cat locks)"
stop_workload
if chrt -f 1 true 2>/dev/null; then
	start_workload locked 0 inverted 40
	record inverted.data -p "$workload" --duration 1s
	"$SBERF" report -i inverted.data --format locks >locks
	note "$(cat locks)"
	matches "a priority inversion" 'held by low .*priority inversion: threads at real-time priority 50 waited for [0-9.]+ m?s of that, while this one, at nice 10, stood in the run queue for about [0-9.]+ ms' \
		"$(tr '\n' ' ' <locks)"
	stop_workload
else
	skip "real-time priorities are not allowed here" "a priority inversion"
fi

# A lock in memory that two processes share, whose holder is stopped.
start_workload locked 0 apart
child=$(pgrep -P "$workload")
also_kill "$child"
kill -STOP "$workload"
record apart.data -p "$workload,$child" --duration 1s
"$SBERF" report -i apart.data --format locks >locks
matches "the holder is in another process, and is stopped" "held by locked $workload, is stopped now, in: .*sleeps" "$(cat locks)"
kill "$child"
stop_workload

# A deadlock that was there before: in the report of a recording, and in that of one document of top.
start_workload locked 0 cycle 5
record cycle.data -p "$workload" --duration 1s
"$SBERF" report -i cycle.data --format locks >locks
note "$(cut -c1-120 locks)"
equal "a deadlock is the first thing" "deadlock of 5 threads:" "$(head -1 locks)"
chain=$(sed -n 2,6p locks | sed -E 's/(t[0-9]) [0-9]+/\1/g' | tr -d '\n')
equal "all of it" "  t0 waits for mutex lock[1], held by t1,    which waits for mutex lock[2], held by t2,    which waits for mutex lock[3], held by t3,    which waits for mutex lock[4], held by t4,    which waits for mutex lock[0], held by t0" "$chain"
matches "each holder waits now, in" "held by t1 [0-9]+, waits now: pthread_mutex_lock . takes_next" "$(cat locks)"
if command -v gdb >/dev/null; then
	gdb -p "$workload" -batch -ex 'python
for i in range(5): print("owner", i, gdb.parse_and_eval("lock[%d].__data.__owner" % i))' >gdb.out 2>&1
	sed -nE '/ mutex lock\[/ { N; s/.* mutex lock\[([0-9])\] .*\n.* held by t[0-9] ([0-9]+),.*/owner \1 \2/p }' locks | sort >ours
	equal "gdb sees the same owners" "$(grep '^owner' gdb.out | sort)" "$(cat ours)"
else
	skip "gdb is not installed" "gdb sees the same owners"
fi
stop_workload

# In a pid namespace of its own threads have other numbers, by which the memory of a lock calls its holder.
mkfifo inside.fifo
unshare --pid --fork --kill-child "$WORKLOADS/locked" 0 cycle 2 >inside.fifo &
outer=$!
also_kill $outer
exec {out}<inside.fifo
read -rt 60 word <&"$out"
equal "a program in another pid namespace runs" ready "$word"
inside=$(pgrep -P $outer locked)
"$SBERF" doctor -p "$inside" >doctor.txt
equal "it hangs, by doctor" 3 $?
note "$(cat doctor.txt)"
equal "for two threads that wait for each other" "deadlock of 2 threads:" "$(head -1 doctor.txt)"
record cycle.data -p "$inside" --duration 1s
"$SBERF" report -i cycle.data --format locks >locks
equal "and by a recording" "deadlock of 2 threads:" "$(head -1 locks)"
kill $outer
exec {out}<&-

start_workload locked 0 chain 3
record chain.data -p "$workload" --duration 1s
"$SBERF" report -i chain.data --format locks >locks
equal "a chain is no deadlock" "" "$(grep deadlock locks)"
matches "its end holds a lock, and" "held by t2 [0-9]+, waits now: .*sleeps" "$(cat locks)"

# What these waits were for: down the chain, and what holders did by the time of those who waited, with equal sums.
folded() {
	"$SBERF" report -i chain.data --format folded --metric blocked "$@"
}
folded >plain
folded --holders >holders
folded --by-holder >by_holder
matches "below a wait what its holder waited for, and below that what that did" \
	't0;.*;takes_next;pthread_mutex_lock;.*;\[held by t1, which waited\];.*;takes_next;.*;\[held by t2, which waited\];.*;sleeps;' "$(grep "^t0" holders)"
equal "which adds up to the waits" "$(awk '{ sum += $NF } END { print sum }' plain)" "$(awk '{ sum += $NF } END { print sum }' holders)"
matches "who made others wait, by holder" '^t2;[^[]*;sleeps;' "$(grep '^t2' by_holder)"
equal "as much as they waited" "$(awk '/pthread_mutex_lock/ { sum += $NF } END { print int(sum / 1000) }' plain)" \
	"$(awk '{ sum += $NF } END { print int(sum / 1000) }' by_holder)"
stop_workload

# The critical path of requests, by the program's own clock: 2 ms of computing, a worker that computes for 3 ms, and before that waits for a
# mutex with whose holder sleeps. It adds up to what the calls took.
start_workload locked 0 request 40
record_placed path.data -e cpu-clock -p "$workload" --every-wait --probe "call:$WORKLOADS/locked:handles"
kill -USR1 "$workload"
read -rt 60 word requests all own worker keeper <&"$workload_out"
end_record
"$SBERF" report -i path.data --critical-path call: --no-kernel --format folded >path 2>path.err
note "$(cat path.err)"
matches "a path is said to be that of all calls" "critical path of $requests calls of call:.*:handles, .* running, .* in the run queue, " "$(cat path.err)"
# about WHAT NS PATTERN: microseconds below PATTERN are NS, but for 2 % of all.
about() {
	local us
	us=$(awk -v pattern="$3" '$0 ~ pattern { sum += $NF } END { print int(sum) }' path)
	between "$1 (us)" $(($2 / 1000 - all / 50000)) $(($2 / 1000 + all / 50000)) "$us"
}
about "it adds up to the calls" "$all" .
about "what the request computed itself, or waited for a CPU to do that" "$own" ';handles;request_computes'
about "down the worker and its lock, what the holder slept" "$keeper" ';handles;.*woken by worker, which waited.*;serves;pthread_mutex_lock;.*held by keeper, '
about "what the worker computed" "$worker" ';handles;.*woken by worker, .*;serves;worker_computes'
about "what is not known" 0 'not known|known of this time|too short'
stop_workload
finish
