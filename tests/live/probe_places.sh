#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_places.sh - functions and static probes of programs: each hit is counted with its whole stack, in processes that run, that are forked
# and that are started.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1
asked=$WORKLOADS/asked

# of FILE METRIC: how many hits.
of() {
	"$SBERF" report -i "$1" --metric "$2" --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get("count", 0))'
}

# A process that runs: it begins to call when it is being watched.
mkfifo in
"$asked" <in >out &
pid=$!
also_kill $pid
exec {to}>in
wait_until 20 grep -q ready out
record_placed run.data --budget none --probe uprobe:asked:counted --probe 'u:asked:outer' --ring-size 64M -p $pid
echo 20000 >&$to
wait_until 60 answered out 1 done
end_record
equal "a process that runs: status" 0 $?
note "$(cat err)"
equal "lost" 0 "$(value run.data lost_ring_full)"
equal "each call is counted" 20000 "$(of run.data uprobe:asked:counted)"
equal "that of its caller, too" 20000 "$(of run.data uprobe:asked:outer)"
"$SBERF" report -i run.data --metric uprobe:asked:counted --format folded >folded
at_least "percent with their whole stack" 100 "$(share folded '^asked;_start;([^;]*;){1,2}main;(call;)?(call_\[i\];)?outer;counted')"
note "$(head -n 3 folded)"

# Equal stacks are added up in the kernel: once they are known, a hundred thousand hits of one thread, as fast as it can, need no room in a
# ring of the usual size.
mkfifo in0
"$asked" <in0 >out0 &
pid=$!
also_kill $pid
exec {many}>in0
wait_until 20 grep -q ready out0
record_placed many.data --budget none --ring-size 64M --probe uprobe:asked:counted -p $pid
echo 500 >&$many
wait_until 20 answered out0 1 done
# The engine learns what these stacks need.
sleep 1.5
echo 100000 >&$many
wait_until 60 answered out0 2 done
end_record
note "$(cat err)"
equal "many hits: each is counted" 100500 "$(of many.data uprobe:asked:counted)"
equal "and none has lost its stack" "0 0" "$(value many.data lost_hit_stack) $(value many.data lost_ring_full)"
exec {many}>&-

# A program that runs by the name of a link to it.
ln -s "$asked" linked
mkfifo in1
./linked <in1 >out1 &
linked=$!
also_kill $linked
exec {too}>in1
wait_until 20 grep -q ready out1
record_placed linked.data --budget none --probe uprobe:linked:counted --ring-size 64M -p $linked
echo 300 >&$too
wait_until 60 answered out1 1 done
end_record
note "$(cat err)"
equal "the name of a link: each call is counted" 300 "$(of linked.data uprobe:linked:counted)"
exec {too}>&-

# A child, whose calls begin 0.3 s after it was born.
exec {to}>&-
mkfifo in2
"$asked" fork <in2 >out2 &
pid=$!
also_kill $pid
exec {to}>in2
wait_until 20 grep -q ready out2
record_placed fork.data --budget none --probe uprobe:asked:counted --ring-size 64M -p $pid
echo 5000 >&$to
echo 5000 >&$to
wait_until 60 answered out2 2 done
end_record
note "$(cat err)"
equal "children: each call is counted" 10000 "$(of fork.data uprobe:asked:counted)"
exec {to}>&-

# A command: its program is not there yet when the capture begins.
echo probed 3000 | "$SBERF" record -o command.data --budget none --ring-size 64M --probe uprobe:asked:counted -- "$asked" 2>err >/dev/null
equal "a command: status" 0 $?
note "$(cat err)"
equal "a command: each call is counted" 3000 "$(of command.data uprobe:asked:counted)"

# Static probes: python's collections of garbage.
if "$SBERF" list usdt:/usr/bin/python3:python:gc__start 2>/dev/null | grep -q gc__start; then
	mkfifo in6
	/usr/bin/python3 -c 'import gc
print("ready", flush=True)
input()
for _ in range(7): gc.collect()
gc.disable()
print("done", flush=True)
input()' <in6 >out6 &
	pid=$!
	also_kill $pid
	exec {to}>in6
	wait_until 20 grep -q ready out6
	record_placed gc.data --probe usdt:/usr/bin/python3:python:gc__start -p $pid
	echo >&$to
	wait_until 20 answered out6 1 done
	end_record
	note "$(cat err)"
	exec {to}>&-
	at_least "static probes: collections" 7 "$(of gc.data usdt:/usr/bin/python3:python:gc__start)"
else
	note "the python3 of this distribution has no static probes"
fi

# What has no place is said before anything is captured.
sleep 60 &
also_kill $!
for bad in uprobe:asked:counted uprobe:libc:mallox usdt:libc:nobody:nothing; do
	"$SBERF" record -o bad.data --probe "$bad" -p $! --duration 1s 2>err
	check "$bad: it does not record" test $? -ne 0
	equal "$bad: one line" 1 "$(wc -l <err)"
	note "$(cat err)"
done
"$SBERF" record -o bad.data --probe uprobe:libc:mallox -p $! --duration 1s 2>err
matches "the nearest name is said" "malloc" "$(cat err)"
"$SBERF" record -o bad.data --probe uprobe:libc:malloc -a --duration 1s 2>err
check "the whole machine is refused" test $? -ne 0
matches "unless it is wanted, as others pay for it" "every process .*--yes" "$(cat err)"

# In every process: in those that are there, and in those that begin later; of a name all that is counted is theirs.
# A program of its own: other tests may run the other one.
cp "$asked" everyone
for target in "-a" "-n everyone"; do
	mkfifo "in$target"
	./everyone <"in$target" >"out$target" &
	pid=$!
	also_kill $pid
	exec {to}>"in$target"
	wait_until 20 grep -q ready "out$target"
	# shellcheck disable=SC2086  # options
	record_placed all.data --budget none --yes $target --probe uprobe:everyone:counted --ring-size 64M
	echo 500 >&$to
	echo 700 | ./everyone >/dev/null
	wait_until 60 answered "out$target" 1 done
	end_record
	note "$(cat err)"
	equal "$target: each call of both is counted" 1200 \
		"$("$SBERF" report -i all.data --metric uprobe:everyone:counted --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get("count", 0))')"
	matches "$target: it says so" "in every process" "$(cat err)"
	exec {to}>&-
done

# What no process has yet is placed when one comes; a name that is in no file is refused as ever.
cp "$asked" latecomer
: >err
"$SBERF" record -o late.data --budget none --yes -a --probe uprobe:latecomer:counted --ring-size 64M 2>err &
recorder=$!
also_kill $recorder
wait_until 60 grep -q 'no process has it yet' err
echo probed 400 | ./latecomer >/dev/null
end_record
equal "nobody has it yet: status" 0 $?
note "$(cat err)"
matches "it is said" "no process has it yet" "$(cat err)"
equal "each call is counted of a process that came later" 400 "$(of late.data uprobe:latecomer:counted)"
"$SBERF" record -o bad.data --yes -a --probe uprobe:libc:mallox --duration 1s 2>err
check "a name that is in no file is refused" test $? -ne 0
matches "with the nearest" "malloc" "$(cat err)"

# A program that is started later under the name of a link to it.
cp "$asked" linked
mkdir other links
cp "$asked" other/byname
ln -s ../linked links/byname
mkfifo in3
other/byname <in3 >out3 &
also_kill $!
exec {to}>in3
wait_until 20 grep -q ready out3
record_placed link.data --budget none --yes -a --probe uprobe:byname:counted --ring-size 64M
echo 300 | ./linked >/dev/null
echo probed 600 | links/byname >/dev/null
end_record
note "$(cat err)"
at_least "by the name of a link: each call, at least" 600 "$(of link.data uprobe:byname:counted)"
exec {to}>&-

# What was placed in a process goes with it.
links() {
	find "/proc/$recorder/fd" -lname '*bpf_link*' 2>/dev/null | wc -l
}
few_links() {
	[ "$(links)" -lt 8 ]
}
mkfifo in7
"$SBERF" record -o gone.data --budget none --no-off-cpu --probe uprobe:asked:counted --ring-size 64M -- \
	sh -c 'for i in 1 2 3 4 5 6 7 8; do echo probed 10 | "$0"; done; echo all; read -r _' "$asked" <in7 2>err >gone.out &
recorder=$!
also_kill $recorder
exec {to}>in7
wait_until 60 answered gone.out 1 all
wait_until 20 few_links
note "$(links) links are open"
check "of eight processes that ended no links are left" few_links
exec {to}>&-
wait $recorder
finish
