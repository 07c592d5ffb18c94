#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# branches_kernel.sh - `sberf branches` on functions of the kernel that has kprobes (in a guest: tests/qemu/live.sh): a system call that is
# refused in three ways, each told by where its branches part; elsewhere a sentence says what is missing.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1
if [ ! -e /sys/bus/event_source/devices/kprobe/type ]; then
	text=$("$SBERF" branches k:vfs_read -p $$ 2>&1)
	equal "without kprobes: status" 1 $?
	matches "and why" "^sberf branches: .*without kprobes" "$text"
	finish
	exit
fi

mkfifo in
"$WORKLOADS/refused" <in >out &
pid=$!
also_kill $pid
exec {to}>in
wait_until 60 grep -q ready out

# branches WHAT OPTIONS...: follows to the file got while the program does WHAT.
branches() {
	local what=$1 had
	shift
	: >err
	"$SBERF" branches --budget none -p $pid "$@" >got 2>err &
	recorder=$!
	also_kill $recorder
	wait_until 60 probes_placed branches
	had=$(grep -c done out)
	echo "$what" >&"$to"
	wait_until 60 answered out $((had + 1)) "done"
	kill -INT $recorder
	wait $recorder
}

# lines_known: the debug information in the guest is that of its kernel.
lines_known() { ! grep -q 'no lines of the kernel: ' err; }

# Where the compiler put the body of the system call.
body=ksys_dup3
grep -q " $body\$" /proc/kallsyms || body=__x64_sys_dup3

# Starting a capture takes an emulated CPU seconds: where there are two kernels, each of them shows its part.
if on_share first; then
	branches 5 "k:$body /latency > 0/" --part 'retval < 0' --count --disasm --lines
	equal "status" 0 $?
	note "$(cat err got)"
	matches "the price is said first" "^sberf branches: $body: [0-9]+ probes at [0-9]+ basic blocks; a hit costs up to " "$(sed -n 1p err)"
	equal "calls, and those that fail" "20 calls, 15 of them with retval < 0" "$(grep 'of them with' got)"
	# Three instructions, each with calls that fail on one side alone.
	# By line where the debug information is that of this kernel (6.1; tests/symbol/kernel_excerpt.c), which its build-id says.
	if lines_known; then
		equal "and by line" "file.c:1220 file.c:1220 file.c:1229 " \
			"$(sed -nE "s/^(They part first|Then) at $body\\+0x[0-9a-f]+ \\((.*)\\)/\\2/p" got | tr '\n' ' ')"
		check "with inlined functions" grep -qE ' < ksys_dup3 file.c:1228\)' got
	fi
	equal "three branches at which they part, by function and offset" "15 5: 5 0; 10 5: 5 0; 5 5: 5 0; " \
		"$(awk -v body="$body" '/^(They part first|Then) at / { on = index($0, " at " body "+0x") } on && /come to it/ { came = $1 " " $2 }
		on && / -> / && !$2 { printf "%s: %s %s; ", came, $1, $2 }' got)"
	equal "nothing is lost, and nothing left out" "" "$(grep -E 'lost|gaps|not known|left' err)"
	matches "counted" "^$body: 20 calls, total " "$(grep ' calls, total' got)"
	# The instructions are as they were before there were probes.
	equal "no breakpoint is among the instructions" "" "$(grep -E '[0-9a-f] +int3|\.byte' got)"
	check "and the way back is" grep -qE '^ +[>+]+0x[0-9a-f]+ +(ret|jmp)' got
fi
if on_share second; then
	# Arguments are told by the kernel's types, and the error by its name. The kernel half evaluates the condition.
	branches 2 "k:$body /newfd == 900/" --lines --stacks --record calls.sberf
	equal "status of a capture with a condition" 0 $?
	note "$(cat err got)"
	equal "each call that meets the condition" \
		"flags=77 -22 EINVAL; flags=0 -9 EBADF; flags=0 900 ; flags=77 -22 EINVAL; flags=0 -9 EBADF; flags=0 900 ; " \
		"$(sed -n "s/^$body(oldfd=[0-9]*, newfd=900, \\(flags=[0-9]*\\)) = \\([-0-9]*\\)\\( (\\([A-Z]*\\))\\)*  refused.*/\\1 \\2 \\4; /p" got | tr -d '\n')"
	# Whose call it was: the frames of the kernel, and those of the program, which has no frame pointers, up to its begin.
	equal "each call with its whole stack, of kernel and program" 6 \
		"$(awk '/ called by (__x64_sys_dup3|do_syscall_64|x64_sys_call)/ { at = 1; n = "" } at { n = n $0 } /_start/ && n ~ /do_syscall_64.*ask.*main/ { whole++; at = 0; n = "" }
		END { print whole }' got)"
	# And each of them is an event of a recording.
	folded=$("$SBERF" report --format folded calls.sberf 2>err2)
	note "$folded" "$(cat err2)" "$("$SBERF" report --format probes calls.sberf 2>&1)"
	at_least "the calls are events of a recording, with their stacks and times" 1 \
		"$(grep -E 'main;ask.*;dup3.*;ksys_dup3|main;ask.*;__x64_sys_dup3' <<<"$folded" | awk '{ n += $NF } END { print n + 0 }')"
	equal "each once, with its result by name, and the branch that was its last one" "6;900 33.3 % -22 (EINVAL) 33.3 % -9 (EBADF) 33.3 %;3" \
		"$("$SBERF" report --format probes calls.sberf | awk -v body="$body" '/\+branches/ && !n { n = $1 } /^ +retval / { sub(/^ +retval +/, ""); result = $0 }
			/^ +last branch / { places = gsub(body "[+]0x[0-9a-f]+[^>]*-> [+]0x", "") } END { print n ";" result ";" places }' |
			sed 's/-22 (EINVAL) 33.3 %, -9 (EBADF) 33.3 %, 900 33.3 %/900 33.3 % -22 (EINVAL) 33.3 % -9 (EBADF) 33.3 %/; s/, / /g')"
	lines_known || matches "debug information of another build is not taken, and said to be one, or to be missing" \
		"is not of this build of the kernel|there is no debug information of this kernel" "$(grep 'no lines of the kernel: ' err)"
	check "each branch, from where to where" grep -qE "^  $body\\+0x[0-9a-f]+( \\(.*\\))? -> $body\\+0x[0-9a-f]+" got
fi

# What it calls, each with arguments and result: the function whose failure is that of the call.
if on_share second; then
	branches "open 1" k:do_filp_open --print 'pathname->name,*pathname,*retval,retval->f_path.dentry->d_name.name'
	note "$(cat err got)"
	equal "what arguments and results lead to: text, and errors by name" \
		'"/absent" retval is an error (ENOENT);"/proc/self/stat/below" retval is an error (ENOTDIR);"/proc/self/stat" "stat";' \
		"$(sed -nE 's/^    pathname->name = //p; s/^    retval->f_path\.dentry->d_name\.name = (cannot be read: )?//p' got | awk '{ printf "%s%s", $0, NR % 2 ? " " : ";" }')"
	equal "structures, by their members" 3 "$(grep -cE '^    \*pathname = \{name=0x[0-9a-f]+, uptr=0x[0-9a-f]+, refcnt=' got)"
	equal "what cannot be read is no structure" 2 "$(grep -cE '^    \*retval = cannot be read: retval is an error' got)"
	check "what can be is one" grep -qE '^    \*retval = \{.*f_mode=[0-9]+' got
	branches "open 4" k:do_sys_openat2 --how graph --part 'retval == -20' --count --returns
	equal "graph: status" 0 $?
	note "$(cat err got)"
	matches "graph: the price is said first" "^sberf branches: [0-9]+ functions of the kernel are probed at entry and return" "$(sed -n 1p err)"
	at_least "graph: functions" 20 "$(sed -n 's/^sberf branches: \([0-9]*\) functions of the kernel.*/\1/p' err)"
	equal "graph: calls, and those that fail in one way" "12 calls, 4 of them with retval == -20" "$(grep 'of them with' got)"
	equal "graph: they part where a function below returns that error, in all of them and in no other one" "4 0 return -20 (ENOTDIR)" \
		"$(awk '/^(They part|Then)/ { on = 1 } on && / -> return -20/ { sub(/^ +/, ""); sub(/ -> +/, ""); $1 = $1; print; exit }' got)"
	check "graph: each function has its times" grep -qE '^do_filp_open: 12 calls, total ' got
	equal "graph: nothing is lost, and nothing left out" "" "$(grep -E 'lost|left out|not seen|begun' err)"
fi
# Told when they begin: each with who calls.
if on_share first; then
	branches 2 "k:$body /newfd == 900/" --entry --stacks
	note "$(cat err got)"
	matches "calls told when they begin: the price is said" "^sberf branches: $body is probed where it begins; a hit costs up to " "$(grep begins err)"
	equal "without result and branches; who calls" "77 main;0 main;0 main;77 main;0 main;0 main;" \
		"$(awk -v body="$body" 'index($0, body "(oldfd=") { match($0, /flags=[0-9]+\)  refused/); flags = substr($0, RSTART + 6, RLENGTH - 15) + 0 }
			/^ +main / { printf "%d main;", flags }' got)"
	equal "nothing is lost" "" "$(grep -E 'lost|left out' err)"
fi
if on_share first; then
	# Several functions at once: a graph begins with each that meets the condition, and has the others.
	branches "open 1" 'k:do_*open* /dfd == -100/' --format json --print 'filename,retval'
	matches "functions that a wildcard means: why they are followed by graph" "by --how graph, since .* may be several functions" "$(cat err)"
	equal "graph, each call: status" 0 $?
	note "$(cat err got)"
	equal "graph: three calls, with their errors by name" "-2 (ENOENT);-20 (ENOTDIR);" \
		"$(sed -n 's/.*"result":"\(-[^"]*)\)",.*"calls".*/\1/p' got | tr '\n' ';')"
	equal "graph: and the function below that failed" 2 \
		"$(grep -cE '"function":"do_filp_open","depth":1,[^}]*"result":"-(2|20) \(E(NOENT|NOTDIR)\)"' got)"
fi

if on_share first || on_share second; then
	# What is called by a pointer is in no code: it is found when it is called, and followed from then on. Where there are two kernels the
	# second shows it with a link for each function, as kernels before 5.18 need it.
	: >err
	without=
	on_share first || without=kprobe_multi
	env ${without:+"SBERF_WITHOUT=$without"} "$SBERF" branches --budget none -p $pid k:vfs_read --how graph >got 2>err &
	recorder=$!
	also_kill $recorder
	wait_until 60 probes_placed branches
	# below_pointer: a read of the program that has what is called by pointer, with what that calls.
	below_pointer() {
		awk '/^vfs_read\(.* refused\// { on = 1 } on && /^ +[0-9.]+ [mun]*s  seq_read\(/ { below = 1 } below && /^ +[0-9.]+ [mun]*s    [a-z]/ { ok = 1 } END { exit !ok }' got
	}
	# Each call by pointer is followed once it was seen, and this takes as long as it takes.
	for ((round = 0; round < 30; round++)); do
		had=$(grep -c done out)
		echo "read 2" >&"$to"
		wait_until 60 answered out $((had + 1)) "done"
		! wait_until 1 below_pointer || break
	done
	kill -INT $recorder
	wait $recorder
	equal "graph: functions that are called by pointer: status" 0 $?
	note "$(cat err; tail -n 40 got)"
	check "they are followed below the function that calls them, each with what it calls" below_pointer
	check "and how many calls came before that" grep -qE '^sberf branches: calls by pointer that came before what they call was followed: [1-9]' err
fi

# A module's functions, whose types are its own and the kernel's: the port through which this is told is open, and can be opened but once.
if on_share second && grep -q ' port_fops_open.\[virtio_console\]$' /proc/kallsyms; then
	: >err
	"$SBERF" branches --budget none "k:port_fops_open /filp->f_flags != 1/" --print 'filp->f_path.dentry->d_name.name,*inode' -- \
		bash -c 'for i in 1 2; do : </dev/vport0p1; done' >got 2>err
	note "$(cat err got)"
	equal "a function of a module: arguments by its types, the error by its name, and where its argument leads" \
		'port_fops_open(inode, filp) = -16 (EBUSY) "vport0p1";port_fops_open(inode, filp) = -16 (EBUSY) "vport0p1";' \
		"$(sed -nE 's/^(port_fops_open)\(inode=0x[0-9a-f]+, filp=0x[0-9a-f]+\) = (-16 \(EBUSY\))  .*/\1(inode, filp) = \2/p
			s/^    filp->f_path.dentry->d_name.name = //p' got | paste -d ' ' - - | tr '\n' ';')"
	equal "and whole structures" 2 "$(grep -cE '^    \*inode = \{i_mode=[0-9]+' got)"
fi

# What cannot be done is said.
text=$("$SBERF" branches k:no_such_function -p $pid 2>&1)
check "a function that there is not" test $? -ne 0
matches "is said to be missing" "the kernel has no function no_such_function" "$text"
text=$("$SBERF" branches k:kprobe_dispatcher -p $pid 2>&1)
check "one that must not be probed" test $? -ne 0
note "$text"
kill $pid
finish
