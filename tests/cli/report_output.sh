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

# A recording is never replaced, neither the one that is read nor another.
cp "$data" mine.data
cp "$data" other.data
ln -s mine.data alias
ln mine.data twin
for out in mine.data ./mine.data alias twin; do
	got=$("$sberf" report --format folded -i mine.data -o "$out" 2>&1)
	equal "onto its input as $out: exit status" 1 $?
	matches "onto its input as $out: the sentence" "'$out' is the recording that is read; choose another file with -o" "$got"
done
got=$(report other.data 2>&1)
equal "onto another recording: exit status" 1 $?
matches "onto another recording: the sentence" "'other.data' is a recording and stays as it is; choose another" "$got"
check "the input stays" cmp mine.data "$data"
check "the other recording stays" cmp other.data "$data"
got=$(report no/such/out 2>&1)
matches "an error names the file that was given" "cannot create 'no/such/out': No such file" "$got"

# Standard input and output, and pipes.
check "- reads standard input" cmp want <("$sberf" report --format folded - <"$data")
check "a pipe as well" cmp want <("$sberf" report --format folded - < <(cat "$data"))
check "-o - writes to standard output" cmp want <(report -)
check "and makes no file" test ! -e ./-
cat "$data" >pipe &
writer=$!
also_kill $writer
check "a named pipe is read" cmp want <("$sberf" report --format folded pipe 2>err)
wait $writer
matches "with a word on what it waits for" "waiting for what is written into the pipe pipe" "$(cat err)"
mkdir directory
matches "a directory is refused" "directory': Is a directory" "$(report directory 2>&1)"
finish
