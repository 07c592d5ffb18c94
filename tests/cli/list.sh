#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# list.sh - what can be probed: kinds, names, arguments and prices, of the kernel and of files; and what is not there.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
line='^ +([0-9]+\.[0-9]{2} us|unknown)  [a-z]+:'

# refused TITLE REGEX ARGS...: status 1, nothing on stdout, a sentence.
refused() {
	local title=$1 regex=$2 out rc=0
	shift 2
	out=$("$sberf" list "$@" 2>"$SCRATCH/err") || rc=$?
	equal "$title: exit status" 1 "$rc"
	equal "$title: nothing on standard output" "" "$out"
	matches "$title: the sentence" "$regex" "$(cat "$SCRATCH/err")"
}

"$sberf" list 'sys:%file' >"$SCRATCH/file"
check "system calls of a group" test "$(wc -l <"$SCRATCH/file")" -gt 40
equal "every line has a price and a probe" "" "$(grep -vE "$line" "$SCRATCH/file")"
check "openat is one" grep -qE 'sys:openat(\(|$)' "$SCRATCH/file"
equal "a wildcard is for the text" "$("$sberf" list sys:openat)" "$("$sberf" list 'sys*:openat*' | grep -v openat2)"

# This shell's own files: the C library among them.
libc=$(awk '$6 ~ /\/libc\.so\.6$/ { print $6; exit }' /proc/$$/maps)
if [ -n "$libc" ]; then
	matches "a function of the target" "^ +[0-9.]+ us  uprobe:$libc:qsort([(]| |$)" "$("$sberf" list -p $$ u:libc.so.6:qsort)"
	equal "the same by its path" "$("$sberf" list -p $$ u:libc.so.6:qsort)" "$("$sberf" list "u:$libc:qsort")"
	entry=$("$sberf" list "u:$libc:qsort" | awk '{ print $1 }')
	both=$("$sberf" list "call:$libc:qsort" | awk '{ print $1 }')
	check "its time costs more ($entry, $both us)" awk "BEGIN { exit !($both > $entry) }"
	refused "a function that is not there" "^sberf list: 'u:$libc:qsorrt': there is no function 'qsorrt' in it: did you mean 'qsort'" "u:$libc:qsorrt"
	check "everything in a target" test "$("$sberf" list -p $$ | wc -l)" -gt 500
	"$sberf" list -p $$ | head -1 >"$SCRATCH/one"
	equal "a reader that has seen enough" 0 "${PIPESTATUS[0]}"
else
	skip "this shell has no libc.so.6" "functions of a target"
fi

refused "a system call that is not there" "there is no system call 'opne' on this machine: did you mean 'open'" sys:opne
refused "functions of nobody" "'u:malloc': functions and USDT need a target \(-p PID, -n NAME\) or a path" u:malloc
refused "no probe" "character 4: a system call is missing|character 5: a system call is missing" sys:
refused "a span" "is a span: list its probes one by one" 'span:signal~~signal'
refused "nothing like it" "nothing that can be probed is 'nothing\*at\*all'" 'nothing*at*all'
refused "nobody of this name" "no process is called 'no-such-name'" -n no-such-name
printf 'no ELF file' >"$SCRATCH/text"
refused "a path alone" "'/bin/sh' is a file: u:/bin/sh:\* lists its functions, usdt:/bin/sh:\* its static probes" /bin/sh
refused "a file that is none" "is no ELF file|nothing that can be probed" "u:$SCRATCH/text:main"
finish
