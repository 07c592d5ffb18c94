#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# alloc_preload.sh - memory as programs sample it by themselves, with the library of ours and without: exact where each block is told, within
# the error that is said where they are sampled; and what cannot be done is said in a sentence.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
python=$(PATH=/usr/bin:$PATH type -P python3) || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# judged NAME INTERVAL: all sites are as they should be.
judged() {
	equal "$1: nothing was lost" "" "$(grep -o 'lost [1-9].*' err)"
	"$python" "$top_srcdir/tests/live/alloc_judge.py" "$SBERF" "$2" >judged
	note "$(grep '^#' judged)"
	equal "$1: all sites are right" "$(wc -l <said) of $(wc -l <said)" "$(tail -n 1 judged)"
}

# preloaded NAME INTERVAL PROGRAM...
preloaded() {
	local name=$1 interval=$2
	shift 2
	"$SBERF" record --no-off-cpu --memory preload --sample-bytes "$interval" --budget none --ring-size 256M -o run.data -- "$@" >said 2>err
	equal "$name, status" 0 $?
	judged "$name" "$interval"
}

# refused NAME WORDS PROGRAM: in one sentence with these words.
refused() {
	"$SBERF" record --no-off-cpu --memory preload -o none.data -- "$3" 1 0 >said 2>err
	equal "$1 is refused" "1 yes" "$(wc -l <err) $(grep -qF -e "$2" err && echo yes)"
	note "$(cat err)"
}

preloaded glibc 1 "$WORKLOADS/blocks" 500 300
preloaded "a script" 1 sh -c "exec $WORKLOADS/blocks 100 300"
# It has such probes, too, as a library may that stands behind ours.
preloaded "what tells of its blocks by itself is not counted twice" 1 sh -c "exec $WORKLOADS/tells 1000 300"
jemalloc=$(ldconfig -p | awk '$1 == "libjemalloc.so.2" { print $NF; exit }')
if [ -n "$jemalloc" ]; then
	# Ours stands before what is there already.
	export LD_PRELOAD=$jemalloc
	preloaded "jemalloc, preloaded by the user" 1 "$WORKLOADS/blocks_plain" 500 300
	unset LD_PRELOAD
else
	skip "libjemalloc.so.2 is not installed"
fi
# Operators of C++: those that call malloc(), those of an allocator, and those of a library that only who loaded it sees.
if command -v "${CXX:-g++}" >/dev/null; then
	"${CXX:-g++}" -std=c++17 -fsized-deallocation -g -O1 -o operators "$top_srcdir/tests/live/operators.cc"
	preloaded "C++ on glibc" 1 ./operators 500 300
	for library in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
		path=$(ldconfig -p | awk -v lib="$library" '$1 == lib { print $NF; exit }')
		[ -n "$path" ] || continue
		"${CXX:-g++}" -std=c++17 -fsized-deallocation -g -O1 -o "operators_$library" "$top_srcdir/tests/live/operators.cc" \
			-Wl,--no-as-needed "$path"
		preloaded "C++ linked with $library" 1 "./operators_$library" 500 300
	done
	"${CXX:-g++}" -std=c++17 -fsized-deallocation -g -O1 -shared -fPIC -Dmain=run -o operators.so "$top_srcdir/tests/live/operators.cc"
	printf '%s\n' '#include <dlfcn.h>' '#include <string.h>' 'int main(int argc, char **argv)' '{' \
		'	void *library = dlopen("./operators.so", RTLD_NOW | RTLD_LOCAL), *at = library ? dlsym(library, "_Z3runiPPc") : 0;' \
		'	int (*run)(int, char **);' '	memcpy(&run, &at, sizeof(run));' '	return at ? run(argc, argv) : 1;' '}' >loads.c
	cc -o loads loads.c
	preloaded "C++ that is loaded for its loader alone" 1 ./loads 500 300
else
	skip "no C++ compiler" "operators of C++"
fi
# A program that asks whether there is an operator, where no library has one.
printf '%s\n' 'extern void *_Znwm(unsigned long) __attribute__((weak)), *_ZnwmSt11align_val_t(unsigned long, unsigned long) __attribute__((weak));' \
	'extern void _ZdlPv(void *) __attribute__((weak));' 'int main(void)' '{' \
	'	void *p = _Znwm ? _Znwm(100) : 0, *q = _ZnwmSt11align_val_t ? _ZnwmSt11align_val_t(100, 256) : 0;' \
	'	int wrong = !p || !q || (unsigned long)q % 256;' '	if (_ZdlPv)' '		_ZdlPv(p), _ZdlPv(q);' '	return wrong;' '}' >asks.c
cc -fPIC -Wl,-z,dynamic-undefined-weak -o asks asks.c
check "operators that no library has: those of malloc()" "$SBERF" record --no-off-cpu --memory preload -o none.data -- sh -c "./asks && touch asked"
check "which the program has" test -e asked
preloaded sampled 4096 "$WORKLOADS/blocks_plain" 20000 300

refused "a static program" "linked statically: no library can be put into it" "$WORKLOADS/blocks_static"
[ -x "$WORKLOADS/blocks_musl" ] && refused "a program of musl" "its C library is musl" "$WORKLOADS/blocks_musl"
cp "$WORKLOADS/blocks_plain" setuid && chown 65534 setuid && chmod u+s setuid
refused "a setuid program" "which is setuid: no library is put into such a program" ./setuid

# What the command executes cannot be refused, and is said.
preloaded "what cannot be followed beside what can" 1 sh -c \
	"'$WORKLOADS/blocks_static' 5 0 >static; ./setuid 5 0 >setuids; ./setuid 5 0 >setuids; exec '$WORKLOADS/blocks' 100 300"
matches "processes that are not seen are counted" 'what 3 processes allocate is not seen: .*linked statically' "$(cat err)"
matches "also in a report" 'what 3 processes allocated is not seen' "$("$SBERF" report -i run.data --format memory)"
equal "and in figures" 3 "$(value run.data memory_unseen_processes)"

# A program with such probes of its own needs no library, from its start or later.
"$SBERF" record --no-off-cpu --memory preload --sample-bytes 1 --budget none --ring-size 256M -o run.data -- \
	"$WORKLOADS/tells" 1000 300 >said 2>err
equal "with probes of its own, status" 0 $?
judged "with probes of its own" 1
mkfifo go
"$WORKLOADS/tells" 1000 0 go >said &
pid=$!
also_kill $pid
"$SBERF" record --no-off-cpu --memory preload --sample-bytes 1 --budget none --ring-size 256M -o run.data -p $pid 2>err &
recorder=$!
also_kill $recorder
wait_until 60 probes_placed record
echo >go
wait $pid
wait $recorder
equal "attached, status" 0 $?
note "$(cat err)"
judged "attached to probes of its own" 1

sleep 60 &
also_kill $!
"$SBERF" record --no-off-cpu --memory preload -o none.data -p $! 2>err
equal "attached to a program without is refused" "1 yes" "$(wc -l <err) $(grep -qF "nothing in the target samples its memory" err && echo yes)"
finish
