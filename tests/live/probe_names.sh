#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_names.sh - names in conditions: arguments of system calls, what a function returns, and texts that are compared in the kernel.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

mkfifo in
"$WORKLOADS/named" <in >out &
pid=$!
also_kill $pid
exec {to}>in
wait_until 20 grep -q ready out

# hits PROBE: hits of it while the program does 1000 turns, their sum if it has one, and values that could not be read.
hits() {
	local had
	had=$(grep -c done out)
	record_placed run.data --budget none --no-off-cpu --ring-size 64M -p $pid --probe "$1"
	echo 1000 >&$to
	wait_until 60 answered out $((had + 1)) done
	end_record || cat err
	"$SBERF" report -i run.data --format json | python3 -c 'import json, sys
d = json.load(sys.stdin)
p = (d.get("probes") or [{"hits": 0}])[0]
print(p["hits"], *([p["sum"]] if p.get("sum") else []), "unread", d["figures"]["lost_value"])'
}
# Lines of its source: of inner(), which is inlined at three places, and one of twice() itself.
line=$(grep -n 'the line of inner()' "$top_srcdir/tests/workloads/named.c" | cut -d : -f 1)
whole=$(grep -n 'sink += 7' "$top_srcdir/tests/workloads/named.c" | cut -d : -f 1)
longest=/a-name-that-is-exactly-as-long-as-a-text-can-be-in-a-condition

while IFS='|' read -r want probe; do
	equal "$probe" "$want" "$(hits "$probe")"
done <<END
500 unread 0|sys:openat /filename == "/etc/passwd"/
500 unread 0|sys:%file /filename == "/etc/passwd"/
500 unread 0|sys:openat /arg1 != "/etc/hosts" && dfd == -100 && retval > 0 && flags == 0/
1000 1000 unread 0|sys:openat /dfd < 0/ sum(dfd + 101)
333 unread 0|uprobe:named:plain /arg0 == "/etc/hosts"/
300 unread 0|uprobe:named:handle /r->path == "/etc/passwd" || r->tag == "tag1"/
200 unread 0|uprobe:named:handle /r->path == "$longest"/
250 50000 unread 0|call:named:handle /how == "put" && retval->status == 200/ sum(retval->status)
500 unread 0|call:named:handle /retval->name == "good"/
500 unread 0|call:named:handle /retval->text != "fine" && arg0->n == 0/
500 202000 unread 0|uretprobe:named:handle /retval->status == 404/ sum(retval->status)
3000 unread 0|uprobe:named:named.c:$line
3000 unread 0|uprobe:named:inner
1000 unread 0|uprobe:named:workloads/named.c:$whole
500 unread 0|tracepoint:syscalls:sys_enter_openat /filename == "/etc/passwd"/
END

# Texts in the records of tracepoints: in an array, and where the record says.
record run.data --no-off-cpu --probe 't:sched:sched_process_exec /filename == "/bin/true"/' -- sh -c '/bin/true; /bin/true; /bin/false'
equal "a text that the record says where" 2 "$("$SBERF" report -i run.data --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["probes"][0]["hits"])')"
record run.data --no-off-cpu --probe 't:sched:sched_switch /prev_comm == "sleep"/' -- sleep 0.1
at_least "a text in an array" 1 "$("$SBERF" report -i run.data --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["probes"][0]["hits"])')"

# What the kernel's own types know: arguments of raw tracepoints, and what arguments of system calls point to.
record run.data --no-off-cpu --probe 'rt:sched_process_exec /bprm->filename == "/bin/true" && p->pid > 0/' \
	--probe 'rt:sched_process_exec sum(bprm->argc)' --probe 'rt:sched_process_exec /arg1 < 0/' \
	-- sh -c '/bin/true; /bin/true x y; /bin/false'
equal "arguments of raw tracepoints" "2 8 0" "$("$SBERF" report -i run.data --format json | python3 -c 'import json, sys
p = {x["name"]: x for x in json.load(sys.stdin)["probes"]}
print(*(p.get("rawtracepoint:sched_process_exec " + k, {}).get(v, 0)
	for k, v in (("/bprm->filename == \"/bin/true\" && p->pid > 0/", "hits"), ("sum(bprm->argc)", "sum"), ("/arg1 < 0/", "hits"))))')"
record run.data --no-off-cpu --probe 'sys:connect /uservaddr->sa_family == 2/' -- python3 -c 'import socket
for family, to in (socket.AF_UNIX, "/nowhere"), (socket.AF_INET, ("127.0.0.1", 1)), (socket.AF_INET, ("127.0.0.1", 1)):
    try: socket.socket(family).connect(to)
    except OSError: pass'
equal "what an argument of a system call points to" 2 "$("$SBERF" report -i run.data --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["probes"][0]["hits"])')"
"$SBERF" list rt:sched_process_exec >list
matches "lists know them, too" 'sched_process_exec\(struct task_struct \* p, pid_t old_pid, struct linux_binprm \* bprm\)' "$(cat list)"

# Which places are inlined calls is said.
record_placed run.data --budget none --no-off-cpu --probe uprobe:named:inner -p $pid
end_record
matches "in the report" "placed at 3 sites in 1 process, 3 of them where it is inlined" "$("$SBERF" report -i run.data --format probes)"
"$SBERF" list "u:$WORKLOADS/named:inner" >list
equal "in the list: each place" "1 2" "$(grep -c 'inner inlined in turn' list) $(grep -c 'inner inlined in twice' list)"
"$SBERF" list "u:$WORKLOADS/named:named.c:$line" >list
equal "in the list: a line" "3" "$(grep -c "named.c:$line in [a-z]*, inlined" list)"

# What cannot be is said.
said() {
	"$SBERF" record -o bad.data --duration 1s -p $pid --probe "$2" 2>err
	check "$2: status" test $? -ne 0
	matches "$2: says why" "$1" "$(tr '\n' ' ' <err)"
}
said "no field 'flaggs': did you mean 'flags'" 'sys:openat /flaggs == 0/'
said "'fd' of this system call is a 'unsigned int', no text" 'sys:read /fd == "x"/'
said "has no member 'sa_famly': did you mean 'sa_family'" 'sys:connect /uservaddr->sa_famly == 1/'
said "'fd' leads to nothing that is known" 'sys:connect /fd->x == 1/'
said "has no parameter 'bprn': did you mean 'bprm'" 'rawtracepoint:sched_process_exec /bprn > 0/'
said "'bprm' is a pointer: use 'bprm->filename'" 'rawtracepoint:sched_process_exec /bprm.filename > 0/'
said "none of these system calls has an argument 'nothing'" 'sys:%file /nothing == 1/'
said "is no text" 'uprobe:named:handle /i == "x"/'
said "compare strings with 4 texts" 'uprobe:named:plain /s == "a" || s == "b" || s == "c" || s == "d" || s == "e"/'
said "no member of 'reply'" 'call:named:handle /retval->nothing == 1/'
said "no code of line 1 of 'named.c': the next line that has some is" 'uprobe:named:named.c:1'
said "knows no source file 'other.c'" 'uprobe:named:other.c:1'
said "'inner' is inlined everywhere, at 3 places, where it does not return" 'call:named:inner'
said "parameters are known where a function begins" 'uprobe:named:inner /i > 1/'
finish
