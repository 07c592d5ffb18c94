#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# examples.sh - the programs of docs/examples, built against an installed libsberf and nothing else of ours, on a real program without frame
# pointers; and sberf/bpf.h with every clang that is here.
. "${top_srcdir:?is set by make check}/tests/live/tracefs.sh"
. "${top_srcdir:?is set by make check}/tests/tap.sh"
for tool in "${CLANG:-clang}" bpftool patch; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done
# shellcheck source=tests/lib/installing.sh
. "$top_srcdir/tests/lib/installing.sh"

cp -r "$top_srcdir/docs/examples" "$work/examples"
chmod -R u+w "$work/examples"
cd "$work/examples" || exit 99
make >"$work/log" 2>&1
told $? "the examples build against what is installed" "$work/log"
! grep -q '[0-9]: warning:' "$work/log"
told $? "and without warnings" "$work/log"
[ "$(wc -l <profile.c)" -le 100 ]
result $? "a profiler has at most 100 lines"
[ "$(grep -c '^+[^+]' leak.patch)" -le 25 ]
result $? "from frame pointers to whole stacks in at most 25 lines"
[ "$(wc -l <plugin.c)" -le 60 ]
result $? "a plug-in has at most 60 lines"

# The header alone, under the kernel's own types and under the installed ones.
bpftool btf dump file /sys/kernel/btf/vmlinux format c >"$work/vmlinux.h" 2>/dev/null
printf '#include "vmlinux.h"\n#include <bpf/bpf_helpers.h>\n#include <sberf/bpf.h>\nSEC("uprobe") int f(void *c) { return sberf_capture(0) > 0; }\n' \
	>"$work/full.bpf.c"
sed 's/"vmlinux.h"/<linux\/bpf.h>/' "$work/full.bpf.c" >"$work/small.bpf.c"
read -ra flags < <(pkg-config --cflags sberf)
read -ra cc <<<"${CC:-cc}"
system=()
[ -z "$("${cc[@]}" -print-multiarch 2>/dev/null)" ] || system=(-idirafter "/usr/include/$("${cc[@]}" -print-multiarch)")
for clang in "${CLANG:-clang}" clang-13 clang-14 clang-15 clang-16; do
	command -v "$clang" >/dev/null || continue
	for kind in full:v2:x86 small:v2:x86 small:v3:x86 small:v3:arm64; do
		IFS=: read -r types cpu arch <<<"$kind"
		"$clang" -O2 -g -target bpf "-mcpu=$cpu" "-D__TARGET_ARCH_$arch" -Wall -Wextra -Werror -Wno-unused-parameter \
			"${flags[@]}" "${system[@]}" -c -o "$work/$types.bpf.o" "$work/$types.bpf.c" || echo "$clang $kind"
	done
done >"$work/log" 2>&1
[ ! -s "$work/log" ]
told $? "sberf/bpf.h compiles without warnings under vmlinux.h and <linux/bpf.h>" "$work/log"

if [ "$(id -u)" -ne 0 ]; then
	skip "needs root" "the examples run"
	finish
fi
"${cc[@]}" -O2 -g -fomit-frame-pointer -o "$work/busy" "$here/busy.c" || exit 99
"$work/busy" 2>/dev/null &
also_kill $!
pid=$!

./stacks "$pid" "$work/busy" topmost >"$work/stacks" 2>&1 &
also_kill $!
wait_until 15 grep -q '^function' "$work/stacks"
wait_until 5 grep -q '^write' "$work/stacks"
kill $! 2>/dev/null
awk '/^function$/ { a = 1; next } a == 1 && $1 == "topmost" { a = 2; next } a == 2 && $1 == "main" { a = 3 }
	a == 3 && $1 == "[complete]" { found = 1 } END { exit !found }' "$work/stacks"
told $? "stacks: a function and its callers, complete" "$work/stacks"
awk '/^write$/ { a = 1; next } a == 1 && $1 == "main" { a = 2 } a == 2 && $1 == "[complete]" { found = 1 } END { exit !found }' "$work/stacks"
told $? "stacks: a system call and its callers, complete" "$work/stacks"

./profile 2 "$pid" >"$work/folded" 2>"$work/log"
awk '{ n += $NF } /main;topmost;middle;innermost / { whole += $NF } END { exit !(n > 20 && whole / n > 0.9) }' "$work/folded"
told $? "profile: at least nine of ten samples are in the function that works, with all its callers" "$work/folded"
awk '{ exit !($1 > 20 * $6) }' "$work/log"
told $? "profile: nearly all stacks are walked in the kernel" "$work/log"

libc=$(awk '/libc\.so/ { print $6; exit }' "/proc/$pid/maps")
cp leak.c leak.c.before
./leak "$pid" 1 "$libc" >"$work/before" 2>&1
patch -s -p1 <leak.patch && make leak >"$work/log" 2>&1
told $? "the patch applies, and the result builds" "$work/log"
./leak "$pid" 1 "$libc" >"$work/after" 2>&1
note "before: $(head -3 "$work/before")"
awk '/bytes in/ { site++; where = "" } { where = where " " $1 } site == 1 && / main / && /topmost_leak/ { found = 1 }
	{ w[site] = w[site] " " $1 } END { exit !(w[1] ~ / take leaking main .*_start/) }' "$work/after"
told $? "leak: the site that leaks, with all its callers" "$work/after"
[ "$(awk '/bytes in/ { n++ } n == 1 && /^\t/ { f++ } END { print f + 0 }' "$work/before")" -le 2 ]
told $? "which frame pointers did not find" "$work/before"
for mode in force off; do
	./leak "$pid" 1 "$libc" $mode >"$work/$mode" 2>&1
	# What was allocated while the program prints has no stack yet.
	awk -v most="$([ $mode = off ] && echo 1 || echo 99)" -v least="$([ $mode = off ] && echo 1 || echo 5)" '
		function judge() { if (site) { all++; right += frames >= least && frames <= most }; frames = 0 }
		/bytes in/ { judge(); site++ } /^\t/ { frames++ } END { judge(); exit !(all && right >= 0.9 * all) }' "$work/$mode"
	told $? "leak: --call-graph $mode" "$work/$mode"
done

# A plug-in names what no file holds: given by name, and from the folder, if that is only root's.
sberf=$(find "$dest" -path '*/bin/sberf')
folder=$lib/sberf/plugins
./toy >"$work/toy.out" &
also_kill $!
pid=$!
wait_until 5 grep -q ready "$work/toy.out"
# named OPTION...: whether the compiled functions have their names in all formats.
named() {
	local format
	"$sberf" record --duration 1 -o "$work/toy.sberf" "$@" -p "$pid" 2>"$work/log"
	for format in folded tree flat; do
		"$sberf" report --format $format -i "$work/toy.sberf" >"$work/toy.$format" 2>>"$work/log"
		cat "$work/toy.$format" >>"$work/log"
		grep -q toy_even "$work/toy.$format" && grep -q toy_odd "$work/toy.$format" || return 1
	done
}
named --plugin ./toy.so
told $? "a plug-in names compiled functions" "$work/log"
named --plugin ./toy.so --plugin-in-process
told $? "the same inside of sberf" "$work/log"
! named
told $? "without it they have none" "$work/log"
# The same with libsberf: what it is called at the begin of the compiled code, by a program of its own.
code=$(awk '$2 == "r-xp" && NF == 5 { split($1, a, "-"); print a[1]; exit }' "/proc/$pid/maps")
read -ra cflags < <(pkg-config --cflags --libs sberf)
${CC:-cc} -Wall -Wextra -Werror -o "$work/plugged" "$here/plugged.c" "${cflags[@]}" 2>"$work/log"
told $? "a program that adds a plug-in to libsberf" "$work/log"
matches "without it the code has no name" "compiler" "$("$work/plugged" "$pid" "$code" 0)"
equal "inside of the program it has one" "toy_even " "$("$work/plugged" "$pid" "$code" 1 ./toy.so)"
matches "without sberf-worker there is no process for it" "^-2: plug-in ./toy.so cannot be used: sberf-worker, " \
	"$("$work/plugged" "$pid" "$code" 0 ./toy.so)"
cp "$(find "$dest" -name sberf-worker)" "$work/"
equal "in a process of its own it has one" "toy_even " "$("$work/plugged" "$pid" "$code" 0 ./toy.so)"
matches "a file that is no plug-in" "^-8: plug-in .* cannot be used: " "$("$work/plugged" "$pid" "$code" 1 "$lib/libsberf.so")"
matches "a file that is not there" "^-2: plug-in /none cannot be used: " "$("$work/plugged" "$pid" "$code" 0 /none)"
matches "flags that are not known" "^-22: " "$("$work/plugged" "$pid" "$code" 2 ./toy.so)"
matches "after names were asked for" "^toy_even -16: .* comes too late" "$("$work/plugged" "$pid" "$code" 1 ./toy.so late)"
mkdir -p "$folder" && cp toy.so "$folder/" && chmod 755 "$folder" && chmod 644 "$folder/toy.so"
named
told $? "a plug-in of the folder is used without an option" "$work/log"
"$sberf" doctor >"$work/doctor" 2>&1
grep -q "^ok  *plug-in toy .*lib/sberf/plugins/toy.so" "$work/doctor"
told $? "doctor lists it" "$work/doctor"
! named --no-plugins
told $? "--no-plugins leaves it out" "$work/log"
chmod 777 "$folder"
! named
told $? "a folder to which others can write is not used" "$work/log"
"$sberf" doctor >"$work/doctor" 2>&1
grep -q "no plug-ins of .*others can write" "$work/doctor"
told $? "and doctor says why" "$work/doctor"
finish
