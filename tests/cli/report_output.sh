#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# report_output.sh - where `report -o` writes: a file appears whole or not at all, and what is no file stays what it is.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/example.sberf
cd "$SCRATCH" || exit 99

report() {
	"$sberf" report --format folded -o "$1" "${2:-$data}"
}

"$sberf" report --format folded "$data" >want
check "there is something to write" test -s want
check "a new file" report out
check "it has what goes to standard output" cmp want out
echo old >out
check "an old file is replaced" report out
check "by the same" cmp want out
echo keep >out
report out want 2>/dev/null
equal "no recording: exit status" 1 $?
equal "no recording: the old file stays" keep "$(cat out)"
equal "nothing is left beside it" "" "$(ls -- *.part 2>/dev/null)"

mkfifo pipe
cat pipe >got &
reader=$!
also_kill $reader
check "a pipe is written to" report pipe
wait $reader
check "with the same" cmp want got
check "and is still a pipe" test -p pipe
ln -s /dev/null link
check "a link to a device is written to" report link
check "and is still that link" test -L link -a -c /dev/null
mkdir directory
matches "a directory is refused" "directory': Is a directory" "$(report directory 2>&1)"
finish
