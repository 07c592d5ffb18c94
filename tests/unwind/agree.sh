#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# agree.sh - complete and true chains on every workload, the same as libdwfl's where it can walk. See agree.c and
# workloads/README.md.
. "${top_srcdir:?is set by make check}/tests/tap.sh"

agree=${top_builddir:?}/tests/unwind/agree
bin=$top_builddir/tests/workloads/bin
levels=main,level_1,level_2,level_3,level_4,level_5
handler=main,caller_of_work,interrupted_work,handler,handler_work

# same TITLE OPTIONS PROGRAM ARGS...: skipped when the program could not be built here.
same() {
	local title=$1 arg
	shift
	for arg in "$@"; do
		if [ "${arg#"$bin"/}" != "$arg" ] && [ -f "$arg" ] && [ ! -s "$arg" ]; then
			skip "no compiler for ${arg##*/} on this machine" "$title"
			return
		fi
	done
	check "$title" "$agree" "$@"
}

same "plain" -e "$levels" "$bin/chain"
for how in static static_pie nopie lld debug_frame fp; do
	same "linked another way: $how" -n 20 -e "$levels" "$bin/chain_$how"
done
same "stripped" -n 20 "$bin/chain_stripped"
same "without section headers" -n 20 "$bin/chain_noheaders"
cp "$bin/chain" "$SCRATCH/deleted"
# The program deletes itself from the disk before it is walked.
same "deleted" -n 20 -r "$SCRATCH/deleted"
same "musl" -n 20 -x -e "$levels" "$bin/chain_musl"
same "musl, static" -n 20 -x -e "$levels" "$bin/chain_musl_static"
same "recursion, 1000 deep" -n 20 -e 'main,recurse*1000' "$bin/recurse"
same "recursion, cut where the bytes end" -n 5 -c 8192 -k stack_size "$bin/recurse"
same "in a signal handler" -n 20 -e "$handler" "$bin/signals"
same "in a signal handler on an alternate stack" -n 20 -e "$handler" "$bin/signals" 0 alt
same "in a signal handler, musl" -n 20 -x -e "$handler" "$bin/signals_musl"
same "in a signal handler on an alternate stack, musl" -n 20 -x -e "$handler" "$bin/signals_musl" 0 alt
same "alloca" -e main,with_alloca "$bin/allocas"
same "realigned stacks" -e main,realigned "$bin/realign"
same "noreturn calls" -n 20 -e main,outer_noreturn,calls_noreturn,never_returns "$bin/noreturns"
same "vDSO" -e main,ask_time "$bin/vdso"
same "PLT" -e main,call_library "$bin/plt"
same "dlopen and dlclose" -e main,work_in "$bin/dlopen_cycle"
same "coroutines" -e co_entry,co_middle,co_inner "$bin/coroutines"
same "fibers of glibc" -n 20 -x -e ucontext_entry,fiber_middle,fiber_work "$bin/fibers" 0 ucontext
same "fibers whose stacks end with 0" -n 20 -x -e made_entry,fiber_middle,fiber_work "$bin/fibers" 0 made
# Above the first function of these is what was there before: no end, and not said to be one.
same "fibers whose stacks have no end" -n 20 -x -k no_mapping "$bin/fibers" 0 open
if ldconfig -p | grep -q 'libboost_context[.]so '; then
	same "fibers of Boost.Context" -n 20 -x -e boost_entry,fiber_middle,fiber_work "$bin/fibers" 0 boost
else
	skip "libboost_context.so is not here" "fibers of Boost.Context"
fi
same "JIT code with frame pointers" -e main,call_jit "$bin/jit"
block=main,call_block
for i in $(seq 1 20); do block=$block,block_$i; done
same "a block of code with frame pointers and no CFI" -x -e "$block,block_callback" "$bin/fpblock"
# Code without tables that keeps frame pointers, wherever in its file it lies.
links=main,call_code,fp_1,fp_2,fp_3,fp_4,fp_5,fp_leaf
for where in first last between library; do
	same "functions with frame pointers and no CFI: $where" -x -e "$links" "$bin/fpcode_$where"
done
same "a program without any table that keeps frame pointers" -x -e _start,bare_main,bare_outer,bare_inner,bare_leaf "$bin/bare_fp"
# What lies near the entry point is not the root for that.
same "a program without any table or frame pointers" -x -n 20 -k no_cfi "$bin/bare"
same "the same at any address" -x -n 20 -k no_cfi "$bin/bare_pie"
if node=$(command -v node); then
	same "the built-in functions of node" -x -p 95 "$node" -e 'function f(n) { return n ? f(n - 1) + 1 : JSON.parse("[1]")[0]; }
		require("fs").writeSync(1, "ready\n"); for (;;) { f(20); "abcabc".replace(/b(.)/g, "x$1"); }'
else
	skip "no node on this machine" "the built-in functions of node"
fi
same "system calls" -n 20 -e main,read_zeros "$bin/syscalls"
same "vfork" -n 20 -e main "$bin/vforker"
same "a thread that creates threads" -e main "$bin/threads_start"
same "threads at their first instructions" -t -x -n 100 "$bin/threads_start"
# The function of musl that calls the thread's has no CFI: its own instructions are cut.
same "threads at their first instructions, musl" -t -x -p 25 -n 100 "$bin/threads_musl"
# Go moves goroutines between threads, and its first thread does other work too. What a copy finds on the thread's own stack is cut where
# the goroutine's begins, as it has one stack only: a capture or two in fifty.
same "Go" -x -m 50 -p 90 -e main.goOuter,main.goInner "$bin/gochain"
same "Go, stripped" -x -p 90 "$bin/gochain_stripped"
finish
