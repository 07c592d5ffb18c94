#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# record --split: what each process of a capture holds while it runs, whose the recording is, that names come all the same, also when
# processes end, and what is said when something of it cannot be had.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
command -v setpriv >/dev/null || skip_all "setpriv (util-linux) is not installed"
cd "$SCRATCH" || exit 99
chmod 755 "$SCRATCH"
mkdir -m 777 out
# A program that nobody but root may read.
install -m 700 "$WORKLOADS/shares" ./shares
install -m 700 "$WORKLOADS/deadlock" ./deadlock
install -m 700 "$WORKLOADS/latenames" ./latenames
install -m 700 "$WORKLOADS/grows" ./grows
WORKLOADS=$SCRATCH
nobody=65534

# split OPTIONS...: as sudo would start it for user nobody; what is said goes to the file err.
split() {
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -e cpu-clock -F 499 "$@" 2>err
}
# split_on FILE TARGET...: the same as process $recorder, until it has given up what it has.
split_on() {
	file=$1
	shift
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -e cpu-clock -F 499 -o "$file" "$@" 2>err &
	recorder=$!
	also_kill $recorder
	wait_until 60 gave_up
}
gave_up() {
	[ "$(held $recorder NoNewPrivs)" = 1 ] && [ -e "$file" ] || ! kill -0 "$recorder" 2>/dev/null
}
# held PID NAME: a line of its status.
held() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" 2>/dev/null
}
# files PID: the kinds of its open files, without doubles.
files() {
	find "/proc/$1/fd" -type l -printf '%l\n' 2>/dev/null | sed 's/:\[[0-9]*\]$//' | sort -u | tr '\n' ' '
}
# Capabilities: cap_dac_read_search (2), cap_sys_ptrace (19), cap_syslog (34), cap_perfmon (38), cap_bpf (39), cap_checkpoint_restore (40).
three=$(printf '%016x' $((1 << 19 | 1 << 38 | 1 << 39)))
four=$(printf '%016x' $((1 << 2 | 1 << 19 | 1 << 34 | 1 << 40)))
none=$(printf '%016x' 0)

start_workload shares
split_on out/held.data -p "$workload"
collectors=$(pgrep -P $recorder -x sberf-collector)
for task in /proc/$recorder/task/*; do
	task=${task##*/}
	echo "$(held "$task" Uid | cut -f 1-4 | tr '\t' ' ') $(held "$task" CapPrm) $(held "$task" CapEff) $(held "$task" NoNewPrivs) $(held "$task" Seccomp)"
done | sort -u >tasks
equal "each thread of sberf: the caller's user, no capability, no new privileges, a filter" \
	"$nobody $nobody $nobody $nobody $none $none 1 2" "$(cat tasks)"
equal "sberf: the caller's groups" "$nobody" "$(held $recorder Groups | tr -d ' ')"
equal "there are collectors for the kernel half, files, mappings, memory and stacks" 5 "$(wc -w <<<"$collectors")"
# With the processes that they have requests served by.
for process in $collectors $(for parent in $collectors; do pgrep -P "$parent"; done); do
	echo "$(held "$process" Uid | cut -f 1-4 | tr '\t' ' ') $(held "$process" CapPrm) $(held "$process" CapEff)" \
		"$(held "$process" CapBnd) $(held "$process" CapInh) $(held "$process" NoNewPrivs) $(held "$process" Seccomp)" \
		"$(files "$process")"
done | sort -u >processes
user="$nobody $nobody $nobody $nobody"
equal "each: the caller's user, three or four capabilities, no others ever, a filter, sockets, and the kernel half or the list of targets" \
	"$user $three $three $none $none 1 2 /dev/null anon_inode:bpf-map anon_inode:bpf-prog anon_inode:bpf-stats anon_inode:bpf_link anon_inode:btf socket 
$user $four $four $none $none 1 2 /dev/null anon_inode:bpf-map socket " "$(cat processes)"
# reader JOB: the process that reads files for $recorder: for names, or images, which unwinding needs.
reader() {
	pgrep -P $recorder -f "^sberf-worker $1\$"
}
for job in images names; do
	wait_until 60 eval "reader $job >/dev/null"
	process=$(reader $job)
	equal "the one that reads files for $job: the same user, no capability, no new privileges, filters" \
		"$nobody $nobody $nobody $nobody $none $none $none 1 2" "$(held "$process" Uid | tr '\t' ' ') $(held "$process" CapPrm) \
$(held "$process" CapEff) $(held "$process" CapInh) $(held "$process" NoNewPrivs) $(held "$process" Seccomp)"
	equal "it has a socket, and of files only programs and libraries" "/dev/null socket" "$(for file in /proc/"$process"/fd/*; do
		[ "$(head -c 4 "$file" 2>/dev/null | tr -d '\0')" = $'\177ELF' ] || readlink "$file"
	done | sed 's/:\[[0-9]*\]$//' | sort -u | xargs)"
done
enough() {
	[ "$(stat -c %s out/held.data 2>/dev/null || echo 0)" -gt 6000 ]
}
wait_until 60 enough
kill -INT $recorder
wait $recorder
equal "it records" 0 $?
note "$(cat err)"
equal "the recording is the caller's" "$nobody $nobody" "$(stat -c '%u %g' out/held.data)"
"$SBERF" report -i out/held.data --format folded >folded
check "functions of the program have names" grep -q 'main;share;burn' folded
check "functions of the kernel have names" grep -qE '(asm_)?sysvec|irq|schedule' folded
gone=0
for process in $collectors; do
	[ ! -e "/proc/$process" ] || gone=1
done
result $gone "no process is left behind"

# What root has recorded before may be of no use to the caller.
echo of-root >out/root.data
chmod 600 out/root.data
split -o out/root.data -p "$workload" --duration 100ms
equal "a recording of root's stays" "1 of-root" "$? $(cat out/root.data)"
matches "and it says whose it is" "root.data is another user's, who may read it alone" "$(cat err)"

# Threads and cgroups are known by other lists.
split -o out/thread.data -t "$workload" --duration 500ms
"$SBERF" report -i out/thread.data --format folded >folded
check "a thread: its functions have names" grep -q 'main;share;burn' folded
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
docker=$(printf '%064x' $$)
if [ -n "$root" ] && mkdir -p "$root/sberf-test-$$/docker-$docker.scope" 2>/dev/null; then
	was=$(sed -n 's/^0:://p' "/proc/$workload/cgroup")
	echo "$workload" >"$root/sberf-test-$$/docker-$docker.scope/cgroup.procs"
	split -o out/cgroup.data --cgroup "/sberf-test-$$" --duration 500ms
	"$SBERF" report -i out/cgroup.data --format folded >folded
	check "a cgroup: functions of the program have names" grep -q 'main;share;burn' folded
	# What Docker keeps of its containers only root may read.
	mkdir -pm 700 "docker/containers/$docker"
	(umask 077 && echo '{"Name":"/web","Config":{"Image":"nginx:1.25"}}' >"docker/containers/$docker/config.v2.json")
	export nobody SBERF
	unshare -m bash -c 'mount -t tmpfs none /var/lib && mkdir /var/lib/docker && mount --bind docker /var/lib/docker &&
		SUDO_UID=$nobody SUDO_GID=$nobody exec "$SBERF" record --split -e cpu-clock -F 499 "$@"' - -o out/named.data \
		-p "$workload" --duration 500ms 2>err
	note "$(cat err)"
	equal "a container has its name and image" '"container": "web" "image": "nginx:1.25"' "$("$SBERF" report -i out/named.data --format json |
		grep -oE '"(container|image)": ?"[^"]*"' | sed 's/:"/: "/' | sort -u | xargs -d '\n')"
	echo "$workload" >"$root$was/cgroup.procs"
	rmdir "$root/sberf-test-$$/docker-$docker.scope" "$root/sberf-test-$$"
else
	skip "no writable cgroup v2" "a cgroup: functions of the program have names"
	skip "no writable cgroup v2" "a container has its name and image"
fi

# Who calls sudo need not ask for it, but for the whole machine; where that user cannot write the recording, root does.
mkdir -m 700 private
for where in out/usual.data private/usual.data; do
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --no-off-cpu -e cpu-clock -F 499 -o $where -p "$workload" --duration 300ms 2>err
	equal "$where, by sudo: status 0" 0 $?
	note "$(cat err)"
done
at_least "by sudo a capture of a program is split" 1 "$(value out/usual.data split_asked)"
equal "and the recording is the caller's" $nobody "$(stat -c %u out/usual.data)"
equal "not where the caller may not write" 0 "$(value private/usual.data split_asked)"
SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --no-split --no-off-cpu -e cpu-clock -o out/one.data -p "$workload" --duration 100ms 2>err
equal "nor with --no-split" 0 "$(value out/one.data split_asked)"

# On a kernel that lets nobody without privileges ask for entries of maps, who holds them does: of sums, totals and plans of interpreters.
if command -v strace >/dev/null; then
	export SBERF_WITHOUT=map_entries
	printf 'def spins(n):\n\twhile n:\n\t\tn -= 1\nspins(3000000)\n' >spins.py
	for what in "pingpong 0 20000" "python3 spins.py"; do
		read -r program arguments <<<"$what"
		! [ -x "$top_builddir/tests/workloads/bin/$program" ] || program=$top_builddir/tests/workloads/bin/$program
		SUDO_UID=$nobody SUDO_GID=$nobody timeout 60 strace -f -qq -e trace=bpf,execve -e signal=none -o calls \
			"$SBERF" record --split -e cpu-clock -F 499 -o "out/asked.data" -- "$program" $arguments >/dev/null 2>err
		equal "$what, without map_entries: status 0" 0 $?
		note "$(cat err)" "$(value out/asked.data split_asked)"
		[[ $what != pingpong* ]] || at_least "and its waits are counted, in sums and totals" 39000 "$(value out/asked.data offcpu_waits)"
		equal "sberf itself asks the kernel for nothing" 0 "$(grep -c "^$(head -n 1 calls | cut -d ' ' -f 1) bpf(" calls)"
	done
	unset SBERF_WITHOUT
else
	skip "strace is not installed" "sberf itself asks the kernel for nothing"
fi

# Of the whole machine, what works for sberf is not seen: each sample of it would make work for it. Another sberf is.
split_on out/all.data -a --duration 2s
for parent in $recorder $(pgrep -P $recorder); do
	pgrep -P "$parent"
done | sort -u >own
wait $recorder
note "$(cat err)" "$(value out/all.data split_asked)"
"$SBERF" report -i out/all.data --format folded --group-by process --metric off-cpu >folded
"$SBERF" report -i out/all.data --format folded --group-by process >>folded
sed -n 's/^[^;]* \([0-9]*\);.*/\1/p' folded | sort -u >seen
at_least "-a: processes have stacks" 3 "$(wc -l <seen)"
at_least "sberf has processes that work for it" 6 "$(wc -l <own)"
equal "of these none is seen" "" "$(comm -12 own seen)"

# Threads that slept already: their stacks are read from outside.
stop_workload
start_workload deadlock
all_wait() {
	[ "$(cat "/proc/$workload/task/"*/status 2>/dev/null | grep -c '^State:.*sleeping')" -eq 3 ]
}
wait_until 60 all_wait
split -o out/asleep.data -p "$workload" --duration 1s
note "$(cat err)"
equal "stacks of threads that slept before are read" "3 0" \
	"$(value out/asleep.data offcpu_outside_stacks) $(value out/asleep.data offcpu_outside_denied)"
"$SBERF" report -i out/asleep.data --metric off-cpu --format folded >folded
check "they are whole" grep -q 'start_thread;first_worker;lock_a_then_b;' folded
stop_workload

# What makes memory grow, and sizes of mappings, which the user may not read.
mkfifo go
./grows stay <go >said &
also_kill $!
exec 3>go
wait_until 20 grep -q ^begin said
split_on out/grown.data --memory --sample-bytes 1 --ring-size 64M --no-off-cpu -p $!
wait_until 60 eval 'grep -qs sberf-engine /proc/$recorder/task/*/comm'
echo >&3
# Once it has ended its file can be opened by nobody but its user.
wait_until 60 answered said 2 end
kill -INT $recorder
wait $recorder
equal "with --memory: status" 0 $?
echo >&3
exec 3>&-
note "$(cat err)"
total() {
	"$SBERF" report -i out/grown.data --metric "$1" --format folded |
		awk -v "of=$2" '$0 ~ of { n += $NF } END { printf "%d\n", n / 1048576 }'
}
equal "what was given back by advice, in MB, by its function" 28 "$(total advised ';give_back;')"
between "what became resident by a function" 64 65 "$(total grown ';by_huge;')"
between "what was mapped" 163 189 "$(total mapped .)"
matches "sizes of mappings are read" "by mapping: heap [0-9.]+ MB, stack [0-9]+ KB, anon [0-9]+ MB" \
	"$("$SBERF" report -i out/grown.data --format memory)"

# A plug-in reads the memory of a program.
if [ -x /usr/bin/python3 ]; then
	cat >program.py <<-END
	def inner():
	    n = 0
	    while n < 100000:
	        n += 1
	def outer():
	    print("ready", flush=True)
	    while True:
	        inner()
	outer()
	END
	mkfifo ready.python
	/usr/bin/python3 program.py >ready.python &
	python=$!
	also_kill $python
	read -r <ready.python
	split -o out/python.data -p $python --duration 1s
	note "$(cat err)"
	"$SBERF" report -i out/python.data --format folded >folded
	check "functions of Python have names" grep -q 'outer;inner' folded
	split -o out/python.data -p $python --duration 300ms --no-plugins
	"$SBERF" report -i out/python.data --format folded >folded
	check "not without plug-ins" test -z "$(grep 'outer;inner' folded)"
	kill $python
else
	skip "python3 is not installed" "functions of Python have names"
	skip "python3 is not installed" "not without plug-ins"
fi
# What names code that a compiler makes at run time is read by another such process.
mkdir dumps
start_workload latenames 60 unwind "$SCRATCH/dumps"
split_on out/made.data -p "$workload"
map_reader() {
	process=$(pgrep -P $recorder -f '^sberf-worker perf-map$')
}
wait_until 60 map_reader
equal "the one that reads jitdumps: the same user, no capability, no new privileges, filters" \
	"$nobody $nobody $nobody $nobody $none $none $none 1 2" "$(held "$process" Uid | tr '\t' ' ') $(held "$process" CapPrm) \
$(held "$process" CapEff) $(held "$process" CapInh) $(held "$process" NoNewPrivs) $(held "$process" Seccomp)"
equal "it has a socket, and nothing else" "/dev/null socket" "$(files "$process" | xargs)"
kill -INT $recorder
wait $recorder
stop_workload
rm -r dumps
start_workload shares

# The buffers that sberf maps count for its user, who is not root.
mlock=/proc/sys/kernel/perf_event_mlock_kb
if [ -w $mlock ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt -1 ] && command -v prlimit >/dev/null; then
	was=$(cat $mlock)
	trap 'echo "$was" >$mlock; tap_cleanup' EXIT
	# within KB: a capture with so much for each CPU and nothing beside it.
	within() {
		local status
		echo "$1" >$mlock
		SUDO_UID=$nobody SUDO_GID=$nobody prlimit --memlock=0:0 "$SBERF" record --split -e cpu-clock -F 499 \
			-o out/within.data -p "$workload" --duration 300ms 2>err
		status=$?
		echo "$was" >$mlock
		return $status
	}
	within 64
	equal "with little memory for perf events the buffers are smaller" 0 $?
	note "$(cat err)"
	within 0
	equal "without any: status 1" 1 $?
	matches "and it says what helps" \
		"would lock more memory than this user may: run: sudo sysctl kernel.perf_event_mlock_kb=2048" "$(cat err)"
	trap tap_cleanup EXIT
else
	skip "kernel.perf_event_mlock_kb bounds nothing here" "with little memory for perf events the buffers are smaller"
fi

# A collector that is killed takes names along, and nothing else.
split_on out/held2.data -p "$workload"
# shellcheck disable=SC2046  # pids
kill -KILL $(pgrep -P $recorder -f '^sberf-collector [0-9]')
wait_until 60 test -s out/held2.data
kill -INT $recorder
wait $recorder
equal "without its collector it records on" 0 $?
note "$(cat err)"
check "the recording is whole" "$SBERF" check -i out/held2.data
# The one that holds the programs takes the capture along.
split_on out/held3.data -p "$workload"
wait_until 60 test -s out/held3.data
kill -KILL "$(pgrep -P $recorder -f '^sberf-collector holds')"
wait $recorder
equal "without the one that holds its programs it ends" 1 $?
matches "and says why" "sberf-collector, which holds the BPF programs of this capture, has ended" "$(cat err)"
check "what was recorded until then is whole" "$SBERF" check -i out/held3.data

# Whoever ends what reads files delays names. The target has new ones all the time.
cat >all <<'S'
while :; do ls -l / ; id; date; sort /etc/passwd; done >/dev/null
S
sh all &
commands=$!
also_kill $commands
split_on out/killed.data -a
kills=0
kill_reader() {
	local process
	for process in $(reader names) $(reader images); do
		[ $kills -lt 50 ] && kill -KILL "$process" && kills=$((kills + 1))
	done
	[ $kills -ge 50 ] || ! kill -0 $recorder 2>/dev/null
}
until kill_reader; do
	sleep 0.02
done
kill $commands
kill -INT $recorder
wait $recorder
equal "with what reads files killed 50 times it records on" "0 50" "$? $kills"
note "$(cat err)"
check "it is told how often that ended" test "$(value out/killed.data worker_ended)" -ge 10
equal "and no file is left alone" 0 "$(value out/killed.data files_left)"
note "$(value out/killed.data split_refused) of $(value out/killed.data split_asked) requests refused"
check "of a whole machine next to no request is refused" \
	test $(($(value out/killed.data split_refused) * 50)) -le "$(value out/killed.data split_asked)"
"$SBERF" report -i out/killed.data --format folded >folded
check "functions of the program have names" grep -q 'main;share;burn' folded
note "$(value out/killed.data rows_late) of $(value out/killed.data rows_asked) answers about rows came late"
at_least "percent of stacks that are complete all the same" 95 "$(value out/killed.data oncpu_complete_percent)"

# What unwinding needs is read by somebody else, and says the same.
for how in --split --no-split; do
	SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record $how -e cpu-clock -F 499 -o out/rows.data --duration 2s -p "$workload" 2>err
	"$SBERF" report -i out/rows.data --format folded >"folded$how"
	value out/rows.data oncpu_complete_percent >"complete$how"
	value out/rows.data images_in_worker >"images$how"
	value out/rows.data rows_asked >"rows$how"
	note "$how: $(cat "complete$how") % complete, $(value out/rows.data rows_late) of $(cat "rows$how") answers late"
done
check "files that unwinding needs are read by sberf-worker" test "$(cat images--split)" -ge 2
check "which is asked for their rows" test "$(cat rows--split)" -ge 1
equal "without --split they are not" "0 0" "$(cat images--no-split) $(cat rows--no-split)"
at_least "percent of stacks that are complete" 99 "$(cat complete--split)"
# stacks HOW: the shares of its stacks, by their functions, in tenths.
stacks() {
	awk '{ n = $NF; $NF = ""; of[$0] += n; all += n } END { for (s in of) if (of[s] * 20 > all) print int(of[s] * 10 / all + 0.5), s }' "folded$1" | sort
}
equal "the stacks are the same" "$(stacks --no-split)" "$(stacks --split)"

# A debug file that is fatal to read: there is no room for a part of it, which only whoever maps it finds out.
cc=$(command -v gcc || command -v cc || true)
mkdir fatal
if [ -n "$cc" ] && command -v readelf >/dev/null && mount -t tmpfs -o size=1M none fatal 2>/dev/null; then
	chmod 755 fatal
	{
		echo '#include <stdio.h>'
		echo 'static volatile unsigned long sink;'
		for i in $(seq 400); do
			echo "static inline __attribute__((always_inline)) void part_$i(unsigned long v_$i) { sink += v_$i * $i; }"
		done
		echo '__attribute__((noinline)) static void burn(unsigned long n) {'
		printf 'part_%d(n);\n' $(seq 400)
		echo '} int main(void) { puts("ready"); fflush(stdout); for (unsigned long i = 0;; i++) burn(i); }'
	} >parts.c
	(cd fatal && $cc -O2 -g -gsplit-dwarf -c -o parts.o ../parts.c && $cc -o ../parts parts.o) || exit 99
	read -r at bytes < <(readelf -SW fatal/parts.dwo | sed -nE 's/.* \.debug_info\.dwo +[A-Z]+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/\1 \2/p')
	from=$(((0x$at + 8191) / 4096 * 4096))
	fallocate -p -o $from -l $(((0x$at + 0x$bytes) / 4096 * 4096 - from)) fatal/parts.dwo
	dd if=/dev/zero of=fatal/filler bs=4k 2>/dev/null
	stop_workload
	WORKLOADS=. start_workload parts
	split -o out/fatal.data -p "$workload" --duration 500ms
	equal "a file that is fatal to read: it records on" 0 $?
	note "$(cat err)"
	matches "it says so" 'sberf-worker, which reads files, ended 2 times and was started again' "$(cat err)"
	matches "and which file that is" 'parts: no more of it is read: sberf-worker ended twice while it read it: it crashed \(signal 7' \
		"$(cat err)"
	equal "both are counted" "2 1" "$(value out/fatal.data worker_ended) $(value out/fatal.data files_left)"
	"$SBERF" report -i out/fatal.data --format folded >folded
	check "names of its symbol table are there, and others" grep -q '__libc_start_main.*;main;burn' folded
	stop_workload
	umount fatal
	start_workload shares
else
	skip "there is no C compiler" "a file that is fatal to read: it records on"
fi

# A debug file that takes more memory to read than there is in the cgroup: the kernel ends who reads it, and that is no chance.
groups=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup) limit=memory.limit_in_bytes events=memory.oom_control
if [ ! -d "$groups" ] || ! grep -q ':memory:' /proc/self/cgroup; then
	groups=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)$(sed -n 's/^0:://p' /proc/self/cgroup) limit=memory.max events=memory.events
fi
small=$groups/sberf-small-$$
if [ -n "$cc" ] && command -v objcopy >/dev/null && mkdir "$small" 2>/dev/null && [ -w "$small/$limit" ] && grep -q '^oom_kill ' "$small/$events"; then
	cat >packed.c <<-'END'
	#include <stdio.h>
	static volatile unsigned long sink;
	__attribute__((noinline)) static void burn(unsigned long n) { sink += n; }
	int main(void) { puts("ready"); fflush(stdout); for (unsigned long i = 0;; i++) burn(i); }
	END
	truncate -s 300M zeros
	$cc -O1 -g -o packed packed.c && objcopy --add-section .debug_macinfo=zeros packed || exit 99
	stop_workload
	WORKLOADS=. start_workload packed
	echo 220M >"$small/$limit"
	sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$small" env SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -e cpu-clock -F 499 \
		-o out/packed.data -p "$workload" --duration 2s 2>err
	equal "a file that takes more memory than there is: it records on" 0 $?
	note "$(cat err) $(grep '^oom_kill ' "$small/$events")"
	matches "and it is left alone" 'packed: no more of it is read: sberf-worker ended twice while it read it: it crashed \(signal 9' "$(cat err)"
	equal "it is counted" 1 "$(value out/packed.data files_left)"
	stop_workload
	rm -f zeros packed
	rmdir "$small"
	start_workload shares
else
	rmdir "$small" 2>/dev/null
	skip "no writable cgroup of memory" "a file that takes more memory than there is: it records on"
fi

# Each capability that the collector lacks, and what cannot be done, in one sentence.
for cap in bpf perfmon sys_ptrace dac_read_search checkpoint_restore syslog; do
	SUDO_UID=$nobody SUDO_GID=$nobody setpriv --bounding-set=-$cap --inh-caps=-all "$SBERF" record --split -e cpu-clock \
		-o out/lacks.data -p "$workload" --duration 100ms 2>err
	equal "without cap_$cap: status 1" 1 $?
	matches "and it says so" "sberf-collector lacks cap_$cap: run sberf by sudo" "$(cat err)"
done
check "no recording is left behind" test ! -e out/lacks.data
"$SBERF" record --split -o out/lacks.data -p "$workload" --duration 100ms 2>err
equal "without sudo: status 1" 1 $?
matches "and it says so" "nobody has: run it by sudo" "$(cat err)"
stop_workload

# Without sudo, by the capabilities of sberf-collector, for a group.
if command -v setcap >/dev/null; then
	mkdir -m 755 bin
	cp "${SBERF%/*}"/sberf "${SBERF%/*}"/sberf-worker "${SBERF%/*}"/sberf-collector bin
	chgrp $nobody bin/sberf-collector && chmod 0750 bin/sberf-collector
	setcap cap_bpf,cap_perfmon,cap_dac_read_search,cap_sys_ptrace,cap_syslog,cap_checkpoint_restore=ep bin/sberf-collector
	start_workload shares
	as_user() {
		setpriv --reuid "$1" --regid "$1" --clear-groups bin/sberf "${@:2}"
	}
	as_user $nobody record -e cpu-clock -F 499 -o out/group.data -p "$workload" --duration 300ms 2>err
	equal "a member of the group needs no sudo" 0 $?
	note "$(cat err)"
	"$SBERF" report -i out/group.data --format folded >folded
	check "functions of a program of root have names" grep -q 'main;share;burn' folded
	as_user $nobody record --no-split -o out/alone.data -p "$workload" --duration 100ms 2>err
	equal "with --no-split: status 1" 1 $?
	matches "and it says what is missing" "sberf is run without" "$(cat err)"
	# What it makes at run time, and how that is unwound, is in a file that only root may read.
	stop_workload
	mkdir dumps
	start_workload latenames 60 unwind "$SCRATCH/dumps"
	as_user $nobody record --no-off-cpu -e cpu-clock -F 499 -o out/made.data -p "$workload" --duration 300ms 2>err
	note "$(cat err)"
	at_least "code made at run time: percent of stacks that are complete" 90 "$(value out/made.data oncpu_complete_percent)"
	"$SBERF" report -i out/made.data --format folded >folded
	check "and it has its name" grep -q ';main;call_jit;made_at_run_time' folded
	as_user 65533 record --split -o out/alone.data -p "$workload" --duration 100ms 2>err
	equal "somebody else: status 1" 1 $?
	note "$(cat err)"
	matches "doctor says that it is set up" "ok +sberf record without sudo +by the capabilities of .*/bin/sberf-collector" \
		"$(as_user $nobody doctor)"
	check "and that capturing works" as_user $nobody doctor
	matches "and to root by which commands it is" "run: sudo setcap cap_bpf,.*=ep .*/sberf-collector" "$("$SBERF" doctor)"
	stop_workload
else
	skip "setcap (libcap2-bin) is not installed" "a member of the group needs no sudo"
fi

# What is linked: no parser of foreign bytes, no terminal.
program=${SBERF%/*}/sberf-collector
equal "sberf-collector: its libraries" "libbpf libc libelf libseccomp libz" \
	"$(ldd "$program" | sed -nE 's,^\s*(lib[a-z_]+)\S* => .*,\1,p' | grep -vE 'san$|^libm$|^libstdc' | sort | xargs)"
equal "sberf-collector: nothing that parses files of others" "" \
	"$(nm "$program" | grep -E ' [TtUw] (elf|gelf|dwarf|dwfl|image_|symver|jit_|plugin_|wnew|initscr|inflate|lzma)' | head -n 3)"
finish
