#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# names.sh - `sberf symbolize`, which asks libsberf, beside addr2line and nm: inlined calls, files and lines; and what it says of wrong
# arguments.
. "${top_srcdir:?is set by make check}/tests/tap.sh"

file=$SBERF
if ! type -P addr2line >/dev/null; then
	skip_all "addr2line is not installed"
fi

# Places all over a large program of C, its inlined calls included.
check "20,000 places of sberf itself are named as addr2line names them" \
	python3 "$top_srcdir/tests/lib/names.py" "$SBERF" "$file" 20000

main=$(nm "$file" | awk '$3 == "main" { print $1 }')
matches "main has its file" "^0x0*${main#"${main%%[!0]*}"}: main at .*/src/main\.c:[0-9]+$" "$("$SBERF" symbolize -e "$file" "$main")"
matches "0x may stand before an address" ": main at " "$("$SBERF" symbolize -e "$file" "0x$main")"
matches "without inlined calls there are no lines" ": main\+0x0 in " "$("$SBERF" symbolize --no-inline -e "$file" "$main")"
matches "JSON has the build-id and the function" '"build_id":"[0-9a-f]{40}".*"name":"main","inlined":false' \
	"$("$SBERF" symbolize --format json -e "$file" "$main")"
equal "addresses are read from standard input, a line or a blank apart" 3 \
	"$(printf '%s %s\n%s\n' "$main" "$main" "$main" | "$SBERF" symbolize -e "$file" | grep -c ': main at')"

# A process: its file, its library, its vDSO, the kernel.
sleep 60 &
also_kill $!
pid=$!
wait_until 5 test "$(readlink "/proc/$pid/exe")" != "$(readlink /proc/$$/exe)"
read -r start pgoff < <(awk '$2 ~ /x/ && /libc\.so/ { split($1, a, "-"); print a[1], $3; exit }' "/proc/$pid/maps")
libc=$(awk '/libc\.so/ { print $6; exit }' "/proc/$pid/maps")
value=$(nm -D "$libc" | awk '$3 ~ /^nanosleep@/ { print $1 }')
at=$(printf '%x' $((0x$start - 0x$pgoff + 0x$value)))
matches "a function of a process's library" ": nanosleep(\+0x0 in .*libc\.so| at .*nanosleep)" "$("$SBERF" symbolize -p "$pid" "$at")"
vdso=$(awk '/\[vdso\]/ { split($1, a, "-"); print a[1] }' "/proc/$pid/maps")
matches "its vDSO is JSON's module" '"address":"0x' "$("$SBERF" symbolize -p "$pid" --format json "$vdso")"
kernel=$(awk '$3 == "schedule" { print $1 }' /proc/kallsyms)
if [ "${kernel//0/}" ]; then
	matches "a function of the kernel" ": schedule\+0x0$" "$("$SBERF" symbolize "$kernel")"
	matches "with a process, too" ": schedule\+0x0$" "$("$SBERF" symbolize -p "$pid" "$kernel")"
fi
matches "nothing is mapped at 10" '\?\? \(nothing is mapped there\)' "$("$SBERF" symbolize -p "$pid" 10)"

# By a build-id, below a folder of debug files.
id=$(readelf -n "$file" | awk '/Build ID/ { print $3 }')
mkdir -p "$SCRATCH/.build-id/${id:0:2}"
cp "$file" "$SCRATCH/.build-id/${id:0:2}/${id:2}.debug"
matches "a file by its build-id" ": main at " "$("$SBERF" symbolize --symfs "$SCRATCH" "$id" "$main")"
objcopy --only-keep-debug "$file" "$SCRATCH/.build-id/${id:0:2}/${id:2}.debug"
matches "and by a debug file that has it, without code" ": main at .*/src/main\.c:[0-9]+$" "$("$SBERF" symbolize --symfs "$SCRATCH" "$id" "$main")"

fails() {
	local title=$1 want=$2 out
	shift 2
	out=$("$SBERF" symbolize "$@" 2>&1 </dev/null) && note "it succeeded"
	matches "$title" "^sberf symbolize: .*$want" "$out"
}
fails "an address that is none" "'xyz' is no address" -e "$file" xyz
fails "one that is too long" "is no address" -e "$file" 11112222333344445
fails "a file that is not there" "/nonexistent: No such file" -e /nonexistent 1
fails "a file that is none of code" "/etc/passwd|ELF" -e /etc/passwd 1
fails "a process that is not there" "there is no process" -p 4194304 1
fails "a process and a file" "give one" -p "$pid" -e "$file" 1
fails "a build-id of nobody" "no file with the build-id" 00112233445566778899aabbccddeeff00112233 1
out=$(printf 'nonsense\n%s\n' "$main" | "$SBERF" symbolize -e "$file" 2>"$SCRATCH/err")
status=$?
matches "of wrong addresses in the input the others go on" ": main at " "$out"
equal "and the status says so" 1 "$status"
finish
