#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_kernel.sh - functions of the kernel: each call for the target is counted, with arguments and both sides of the stack, where the
# kernel has kprobes (in a guest: tests/qemu/live.sh); elsewhere a sentence says what is missing.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1

if [ ! -e /sys/bus/event_source/devices/kprobe/type ]; then
	for command in "record -o bad.data" trace; do
		# shellcheck disable=SC2086 # it is words
		"$SBERF" $command --probe kprobe:vfs_read -- true 2>err
		check "${command%% *}: without kprobes it ends" test $? -ne 0
		matches "${command%% *}: and says why, and what to use" 'without kprobes \(CONFIG_KPROBE_EVENTS\).*use a tracepoint' "$(cat err)"
		note "$(cat err)"
	done
	"$SBERF" list 'kprobe:vfs_rea?' >listed 2>err
	equal "list: it has functions all the same" 0 $?
	matches "list: with their prototypes" 'kprobe:vfs_read\(struct file \* file, char \* buf, size_t count, loff_t \* pos\) -> ssize_t' "$(cat listed)"
	matches "list: and says that they cannot be probed, and why" 'without kprobes' "$(cat err)"
	"$SBERF" list 'kprobe:no_such_function' >listed 2>err
	check "list: one that there is not is an error" test $? -ne 0
	check "no recording is left behind" test ! -e bad.data
	finish
	exit
fi

# hits METRIC [PATTERN]: how many hits of run.data have stacks that match.
hits() {
	"$SBERF" report -i run.data --metric "$1" --format folded --no-inline >folded
	awk -v pattern="${2:-.}" '$0 ~ pattern { n += $NF } END { print n + 0 }' folded
}

# Each start of a capture takes an emulated CPU ten seconds: where there are two kernels, each shows its part. That the verifier of each
# takes all programs is shown by verifier.sh.
one='kprobe:vfs_read /arg2 == 1/'
if on_share first; then
	# What a program does is known: 500 reads and writes of a byte. One start for all, since each takes an emulated CPU ten seconds.
	# The same as $one by the names that the kernel's types have: of /dev/zero alone.
	named='kprobe:vfs_read /count == 1 && file->f_inode->i_rdev == 1048581 && file->f_path.dentry->d_name.name == "zero"/'
	# Where functions return, with the result: dd counts its own reads.
	returned='kretprobe:vfs_read /retval == 1/'
	record run.data --ring-size 32M --probe "$one" --probe k:__x64_sys_write --probe 'kprobe:vfs_write sum(arg2)' --probe 'kprobe:vfs_writ?' \
		--probe "$named" --probe "$returned" --probe 'kr:vfs_write sum(retval)' -- dd if=/dev/zero of=/dev/null bs=1 count=500
	equal "recorded, status" 0 $?
	note "$(cat run.data.err)"
	equal "reads of a byte, by the argument" 500 "$(hits "$one")"
	equal "with the kernel's side of the stack" 500 "$(hits "$one" '(ksys_read|sys_read).*vfs_read')"
	note "$(head -n 2 folded)"
	at_least "with the program's" 499 "$(hits "$one" '^dd;.*(read|main|_start)[^;]*;.*vfs_read')"
	"$SBERF" report -i run.data --format probes >probes
	equal "by names of parameters, and members behind them" "500 unread 0" \
		"$(awk '/kprobe:vfs_read \/count/ { print $1; exit }' probes) unread $(value run.data lost_value)"
	matches "and the values that they had" ' count +1 ~?100[.]0 %' "$(cat probes)"
	writes=$(hits kprobe:__x64_sys_write)
	# dd tells what it has done.
	between "writes" 501 510 "$writes"
	equal "a wildcard" "$writes" "$(hits 'kprobe:vfs_writ?')"
	at_least "sum of what was written" 530 "$(hits 'kprobe:vfs_write sum(arg2)')"
	equal "returns of reads of a byte" 500 "$(hits "$returned")"
	equal "with who called" 500 "$(hits "$returned" '(ksys_read|sys_read)')"
	note "$(head -n 2 folded)"
	at_least "sum of what was written, by the result" 530 "$(hits 'kretprobe:vfs_write sum(retval)')"
	"$SBERF" record -o bad.data --probe 'kretprobe:vfs_read /arg0 == 1/' -- true 2>err
	check "arguments are not known at the return" test $? -ne 0
fi

if on_share second; then
	"$SBERF" trace --probe "$one" -- dd if=/dev/zero of=/dev/null bs=1 count=100 >lines 2>err
	equal "traced, status" 0 $?
	equal "lines, with arguments" 100 "$(grep -c ' kprobe:vfs_read /arg2 == 1/(file=0x[0-9a-f]*, buf=0x[0-9a-f]*, count=1, ' lines)"
	note "$(head -n 2 lines; cat err)"

	# Conditions, sums and spans of other kinds: whether the verifier of this kernel takes the programs is seen here alone.
	some='uprobe:asked:counted /arg0 >= 100/' timed='call:asked:outer /latency > 0/' span='span:uprobe:asked:outer~~uprobe:asked:counted'
	read='sys:read /retval > 0 && comm == "asked"/'
	mkfifo in
	"$WORKLOADS/asked" <in >out &
	asked=$!
	also_kill $asked
	exec {to}>in
	wait_until 60 grep -q ready out
	record_placed run.data --budget none --ring-size 32M --probe "$some" --probe "$timed" --probe "$span" \
		--probe "$read" --probe 't:raw_syscalls:sys_enter /id == 0/' --probe signal --probe fault -p $asked
	echo probed 1 >&$to
	wait_until 60 answered out 1 done
	echo 200 >&$to
	wait_until 60 answered out 2 done
	end_record
	equal "all kinds with conditions: status" 0 $?
	exec {to}>&-
	note "$(cat err)"
	"$SBERF" report -i run.data --format probes >probes
	note "$(head -n 8 probes)"
	# listed PROBE: how many hits the list has of it.
	listed() {
		awk -v probe="$1" '$1 ~ /^[0-9,]+$/ && index($0, probe) { gsub(",", "", $1); print $1; exit }' probes
	}
	equal "functions, by an argument" 100 "$(listed "$some")"
	between "functions up to their return" 200 201 "$(listed "$timed")"
	between "from one function to another" 200 201 "$(listed "$span")"
	at_least "system calls, by their result" 1 "$(listed "$read")"
	# What the program needs it has by now.
	matches "page faults" '^[0-9]+$' "$(listed fault)"
fi

# On kernels before 6.10 each probe in a program has a link of its own. Whoever leaves a view of 64 of them, one of which came while it ran,
# is not kept by them: another process takes them off, each in more than 0.1 s.
links() {
	ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c bpf_link
}
case $(uname -r) in
6.1.*)
	"$WORKLOADS/naps" 600 1000 60 >/dev/null 2>&1 &
	naps=$!
	also_kill $naps
	"$SBERF" list -p $naps 'u:libc.so.6:get*' 'u:libc.so.6:set*' 'u:libc.so.6:str*' 2>err |
		sed -n 's/.*[0-9] us  \(uprobe:[^ (]*:[a-z]*\)\([( ].*\)*$/--probe=\1/p' | sort -u | head -n 63 >many
	equal "there are so many functions" 63 "$(wc -l <many)"
	TERM=linux /bin/ptyrun 100 30 screen 120 'with stack' A 'probe:' 'u:libc.so.6:malloc
' 'hits/s' q -- xargs -a many "$SBERF" top -e cpu-clock --budget none -p $naps 2>err
	held=$(links)
	note "$(cat err), and $held links are held behind it"
	matches "a view of 64 probes, one of which was added, ends" 'it ended [0-9]+ ms after' "$(cat err)"
	late=$(sed -n 's/.*ended \([0-9]*\) ms after.*/\1/p' err)
	# It takes 0.1 to 0.4 s here, and would take 64 times a grace period of an emulated machine.
	check "at once" test "${late:-99999}" -lt 3000
	off() {
		[ "$(links)" -eq 0 ]
	}
	check "then these are taken off, too" wait_until 60 off
	check "and the program goes on" kill $naps
	;;
esac

if on_share first; then
	# What cannot be placed is said in a sentence, with what is near.
	for bad in kprobe:vfs_reed 'kprobe:no_such_thing_*' 'kprobe:*' kprobe:kprobe_dispatcher; do
		"$SBERF" record -o bad.data --probe "$bad" -- true 2>err
		check "$bad: it does not record" test $? -ne 0
		at_least "$bad: a sentence, and at most a hint" 1 "$((3 - $(wc -l <err)))"
		case $bad in
		*:vfs_reed) matches "the nearest name is said" "did you mean 'vfs_rea" "$(cat err)" ;;
		*:kprobe_dispatcher) matches "one that must not be probed" "lets nobody probe its function kprobe_dispatcher" "$(cat err)" ;;
		*) note "$(cat err)" ;;
		esac
	done
	"$SBERF" list 'kprobe:vfs_re*' >listed
	at_least "list knows them" 3 "$(grep -c 'kprobe:vfs_re' listed)"
	matches "with what they are given" 'kprobe:vfs_read\(struct file \* file, char \* buf, size_t count, loff_t \* pos\) -> ssize_t' "$(cat listed)"
fi
finish
