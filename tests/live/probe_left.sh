#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# probe_left.sh - functions of C++ and Rust from their entry to where they are left: exceptions, panics, tail calls, virtual ones,
# jump tables, unlikely parts and longjmp() give exact numbers, and the program lives on; so it is with functions that return twice.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
command -v python3 >/dev/null || skip_all "python3 is not installed"
command -v "${CXX:=g++}" >/dev/null || skip_all "there is no C++ compiler"
cd "$SCRATCH" || exit 1
"$CXX" -O2 -fomit-frame-pointer -o left "$top_srcdir/tests/live/left.cc" || exit 99

# of METRIC FIELD: of the whole tree of run.data.
of() {
	"$SBERF" report -i run.data --metric "$1" --format json | python3 -c 'import json, sys
print(json.load(sys.stdin)["tree"][0].get(sys.argv[1], 0))' "$2"
}

# begin PROGRAM: runs it as $pid, with its input at $to.
begin() {
	rm -f in out
	mkfifo in
	"./$1" <in >out &
	pid=$!
	also_kill $pid
	exec {to}>in
	wait_until 20 grep -q ready out
}

# recorded WHAT PROBE...: records to run.data while $pid does WHAT, lines of it, each of which it answers by one.
recorded() {
	local what=$1 probe options=() had
	shift
	for probe in "$@"; do
		options+=(--probe "$probe")
	done
	record_placed run.data --budget none --ring-size 64M -p "$pid" "${options[@]}"
	had=$(wc -l <out)
	printf '%s\n' "$what" >&"$to"
	wait_until 60 answered out $((had + $(wc -l <<<"$what")))
	end_record
}

begin left
recorded "slow 1000
throw 3000
catch 3000
recurse 100
tail 5000
virtual 5000
choose 8000
rare 5000
leave 300" call:left:Pool::slow call:left:Pool::throws call:left:Pool::passed call:left:Pool::catches call:left:Pool::recurse \
	call:left:Pool::tail call:left:Pool::quick call:left:Pool::indirect 'call:left:Pool::choose sum(retval)' call:left:Pool::rare \
	call:left:Pool::left
equal "recorded: status" 0 $?
note "$(cat err out)"
equal "it has done all of it" 9 "$(grep -c '^[a-z]* [0-9]* [0-9]*$' out)"
check "it lives" kill -0 "$pid"
equal "lost" 0 "$(value run.data lost_ring_full)"
# The kernel runs copies of most of the probed instructions: where these are there are no tables.
equal "samples in a copy of a probed instruction have their whole stack" 0 "$(value run.data cut_no_cfi)"

equal "calls" 1000 "$(of call:left:Pool::slow count)"
equal "of what throws each third time, in two functions" $((2000 + 2000)) "$(of call:left:Pool::throws count)"
equal "of what an exception passes each third time" 2000 "$(of call:left:Pool::passed count)"
equal "of what catches it" 3000 "$(of call:left:Pool::catches count)"
equal "of what calls itself, and an exception passes each second time" 1000 "$(of call:left:Pool::recurse count)"
equal "of what ends by a jump" 5000 "$(of call:left:Pool::tail count)"
equal "of what it jumps to" 5000 "$(of call:left:Pool::quick count)"
equal "of what jumps to a virtual function" 5000 "$(of call:left:Pool::indirect count)"
equal "of what has a jump table" 8000 "$(of 'call:left:Pool::choose sum(retval)' count)"
equal "and the sum of its results" 28000 "$(of 'call:left:Pool::choose sum(retval)' total)"
equal "of what has an unlikely part elsewhere" 5000 "$(of call:left:Pool::rare count)"
equal "of what is left by longjmp()" 0 "$(of call:left:Pool::left count)"
matches "those without a return are said" "calls did not return" "$(cat err)"
# Those that an exception passed: 1,000 of each of two, 1,000 of what is caught, 20 of each second of 100; and 300 by longjmp(). The last of
# them may be open still.
without=$(sed -n 's/.*: \([0-9,]*\) calls did not return.*/\1/p' err | tr -d ,)
between "as many as there were" $((3000 + 1000 + 300 - 22)) $((3000 + 1000 + 300)) "${without:-0}"

own=$(awk '$1 == "slow" { print $3 }' out)
took=$(of call:left:Pool::slow total_ns)
note "slow: its own clock $own ns, measured $took"
between "time, percent of what its own clock says" 95 105 $((100 * took / own))
note "a call of nothing takes $(($(of call:left:Pool::quick total_ns) / 5000)) ns with its probes"

for what in slow passed tail rare; do
	"$SBERF" report -i run.data --metric "call:left:Pool::$what" --format folded --no-inline >folded
	at_least "percent of $what() with its whole stack" 100 "$(share folded "^left;_start;([^;]*;){1,2}main;(act[^;]*;)?Pool::$what[^;]* ")"
	note "$(head -n 1 folded)"
done

# Where it cannot be.
"$SBERF" record -o bad.data -p "$pid" --probe 'call:left:Pool::tail /retval > 3/' --duration 500ms 2>err
check "the result of what ends by a jump: refused" test $? -ne 0
matches "and why" "result is not known" "$(cat err)"
matches "list says how functions are left" "left at [0-9]* places?, single-stepped: exceptions of C\+\+" \
	"$("$SBERF" list 'call:./left:Pool::rare' 2>&1)"
recorded "slow 100" ur:left:Pool::slow
equal "uretprobe: returns weigh one each" "100 100" "$(of uretprobe:left:Pool::slow count) $(of uretprobe:left:Pool::slow total)"
# Above the budget probes are in place for slices of time: an end that is seen belongs to no begin of a slice before.
record_placed run.data --budget 1 -p "$pid" --probe call:left:Pool::slow --probe call:left:Pool::recurse --duration 4s
for ((i = 0; i < 30; i++)); do
	printf 'slow 500\nrecurse 200\n'
done >&"$to"
wait $recorder
note "$(cat err)"
at_least "in slices: calls" 100 "$(of call:left:Pool::slow count)"
longest=$("$SBERF" report -i run.data --format probes | sed -n '/^call:left:Pool::slow/,/longest/s/^ *longest \(.*\), left.*/\1/p')
note "longest: $longest"
check "in slices: no call of 200 us takes as long as the time between them" test "${longest% s}" = "$longest"
exec {to}>&-
wait "$pid"
equal "it ends as usual" 0 $?

# Exceptions pass functions of C, too: qsort(), and what else calls back. A return probe there ended the program.
cat >calls_back.c <<-'END'
	int calls_back(int (*f)(int), int i) { return f(i) + 1; }
	int calls_none(int i) { return i + 1; }
END
cat >sorts.cc <<-'END'
	#include <cstdio>
	#include <cstdlib>
	extern "C" int calls_back(int (*f)(int), int i);
	extern "C" int calls_none(int i);
	static int turn;
	static int compare(const void *a, const void *b)
	{
		if (turn % 4 == 3)
			throw turn;
		return *(const int *)a - *(const int *)b;
	}
	static int called(int i)
	{
		if (i % 4 == 3)
			throw i;
		return i;
	}
	int main()
	{
		int n, caught = 0;
		puts("ready");
		fflush(stdout);
		if (scanf("%d", &n) != 1)
			return 2;
		for (turn = 0; turn < n; turn++) {
			int v[4] = { 3, 1, 2, turn };
			try {
				qsort(v, 4, sizeof(*v), compare);
			} catch (int) {
				caught++;
			}
			try {
				caught -= calls_back(called, turn) < 0;
			} catch (int) {
				caught++;
			}
			caught -= calls_none(turn) < 0;
		}
		printf("caught %d\n", caught);
		return 0;
	}
END
gcc -O2 -shared -fPIC -o libback.so calls_back.c && "$CXX" -O2 -o sorts sorts.cc ./libback.so || exit 99
begin sorts
recorded 1000 call:libc.so.6:qsort call:libback.so:calls_back call:libback.so:calls_none
equal "functions of C that exceptions pass: recorded" 0 $?
note "$(cat err)"
wait "$pid"
equal "the program lives on" 0 $?
matches "and catches all of them" "caught 500" "$(cat out)"
at_least "calls of qsort()" 750 "$(of call:libc.so.6:qsort count)"
equal "calls of what calls back, and returned" 750 "$(of call:libback.so:calls_back count)"
equal "calls of what calls nothing" 1000 "$(of call:libback.so:calls_none count)"
exec {to}>&-

# Panics of Rust are the same.
if command -v rustc >/dev/null; then
	cat >panics.rs <<-'END'
		use std::io::BufRead;
		use std::panic::{catch_unwind, set_hook};
		#[inline(never)]
		#[no_mangle]
		pub fn panics(i: u64) -> u64 { if i % 4 == 0 { panic!("each fourth") } std::hint::black_box(i) }
		struct Drops(u64);
		impl Drop for Drops { fn drop(&mut self) { std::hint::black_box(self.0); } }
		#[inline(never)]
		#[no_mangle]
		pub fn passed(i: u64) -> u64 { let d = Drops(i); let got = panics(i); std::hint::black_box(d.0) + got }
		fn main() {
			set_hook(Box::new(|_| {}));
			println!("ready");
			for line in std::io::stdin().lock().lines() {
				let n: u64 = line.unwrap().parse().unwrap();
				for i in 0..n { let _ = catch_unwind(|| std::hint::black_box(passed(i))); }
				println!("done");
			}
		}
	END
	rustc -O -o panics panics.rs 2>err || { note "$(cat err)"; exit 99; }
	begin panics
	recorded 4000 call:panics:passed call:panics:panics
	note "$(cat err)"
	equal "Rust: of what panics each fourth time" 3000 "$(of call:panics:panics count)"
	equal "Rust: of what a panic passes" 3000 "$(of call:panics:passed count)"
	exec {to}>&-
	wait "$pid"
	equal "Rust: it ends as usual" 0 $?
else
	skip "rustc is not installed" "panics of Rust"
fi

# Calls of Go cannot be told apart.
if [ -x "$WORKLOADS/gochain" ]; then
	matches "Go: why not" "goroutines" "$("$SBERF" list "call:$WORKLOADS/gochain:main.*" 2>&1)"
else
	skip "there is no program of Go" "functions of Go"
fi

# What returns twice.
cat >twice.c <<-'END'
	#include <setjmp.h>
	#include <stdio.h>
	#include <ucontext.h>
	int main(void)
	{
		char line[64];
		puts("ready");
		fflush(stdout);
		while (fgets(line, sizeof(line), stdin)) {
			for (volatile int i = 0; i < 100; i++) {
				volatile int again = 0;
				jmp_buf b;
				ucontext_t u;
				if (!_setjmp(b) || again++ < 2)
					longjmp(b, 1);
				again = 0;
				getcontext(&u);
				if (again++ < 2)
					setcontext(&u);
			}
			puts("done");
			fflush(stdout);
		}
		return 0;
	}
END
${CC:-cc} -O2 -o twice twice.c || exit 99
begin twice
recorded "once" call:libc:_setjmp call:libc:getcontext
note "$(cat err)"
equal "setjmp() returns once for each call" 100 "$(of call:libc:_setjmp count)"
equal "getcontext() too" 100 "$(of call:libc:getcontext count)"
"$SBERF" record -o bad.data -p "$pid" --probe call:libc:swapcontext --duration 500ms 2>err
check "what returns on another stack: refused" test $? -ne 0
matches "and why" "on another stack" "$(cat err)"
exec {to}>&-
wait "$pid"
equal "and it ends as usual" 0 $?
# A library of C++ that a program of C loads while its functions have return probes.
gcc -O2 -fexceptions -o late "$top_srcdir/tests/live/late.c" -ldl || exit 99
"$CXX" -O2 -shared -fPIC -o late_throws.so "$top_srcdir/tests/live/late_throws.cc" || exit 99
begin late
record_placed run.data --budget none -p $pid --probe call:late:middle
echo "call 300" >&$to
wait_until 20 grep -q '^call' out
echo "load ./late_throws.so" >&$to
wait_until 20 grep -q '^load' out
sleep 1.5
echo "throw 200" >&$to
wait_until 20 grep -q '^throw' out
echo "call 300" >&$to
wait_until 20 answered out 2 call
end_record
note "$(cat err)"
equal "a library that throws, loaded later: all exceptions are caught" "throw 200" "$(grep '^throw' out)"
matches "it is one process as before" 'probes placed at 1 place in 1 process' "$(cat err)"
equal "calls before and behind it are counted" 600 "$(of call:late:middle count)"
exec {to}>&-
wait $pid
equal "and the program lives on" 0 $?
finish
