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
check "the extension chooses the format" "$sberf" report -o by-name.folded "$data"
check "in the same words" cmp want by-name.folded

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

# Nobody has written into the pipe yet when it gives up what it does not need to read.
mkfifo slow
"$sberf" report --format folded -i slow >got &
reader=$!
also_kill $reader
exec {slow}>slow
confined() {
	grep -q '^NoNewPrivs:[[:space:]]*1$' "/proc/$reader/status" && grep -q '^Seccomp:[[:space:]]*2$' "/proc/$reader/status"
}
if grep -qF __asan_init "$sberf"; then
	skip "AddressSanitizer starts a process in the end" "before it reads, it gives up all but what is open"
else
	check "before it reads, it gives up all but what is open" wait_until 60 confined
fi
cat "$data" >&"$slow"
exec {slow}>&-
wait $reader
check "and reads the same" cmp want got

# A recording is never replaced, neither the one that is read nor another.
cp "$data" mine.data
cp "$data" other.data
ln -s mine.data alias
ln mine.data twin
for out in mine.data ./mine.data alias twin; do
	got=$("$sberf" report --format folded -i mine.data -o "$out" 2>&1)
	equal "onto its input as $out: exit status" 1 $?
	matches "onto its input as $out: the sentence" "'$out' is what is being read; choose another file with -o" "$got"
done
got=$(report other.data 2>&1)
equal "onto another recording: exit status" 1 $?
matches "onto another recording: the sentence" "'other.data' is a recording and stays as it is; choose another" "$got"
check "the input stays" cmp mine.data "$data"
check "the other recording stays" cmp other.data "$data"
got=$(report no/such/out 2>&1)
matches "an error names the file that was given" "cannot create 'no/such/out': No such file" "$got"

# What cannot be written says where, and what a format has no place for is not passed over.
if [ -w /dev/full ]; then
	matches "a full disk: the sentence names it" '^sberf report: cannot write to /dev/full: No space left on device$' "$(report /dev/full 2>&1)"
	ln -s /dev/full full.svg
	matches "and whatever it is called" '^sberf report: cannot write to full.svg: No space left' "$("$sberf" report -o full.svg "$data" 2>&1)"
	matches "standard output too" '^sberf report: cannot write to standard output: No space left' "$("$sberf" report --format folded "$data" 2>&1 >/dev/full)"
else
	skip "there is no /dev/full" "what cannot be written names the file"
fi
refused() {
	local regex=$1 got
	shift
	got=$("$sberf" report "$@" "$data" 2>&1)
	equal "$*: exit status" 2 $?
	matches "$*: the sentence" "$regex" "$got"
}
refused "no format is called '.xyz': say with --format what 'x.xyz' is to be" -o x.xyz
check "nothing was written" test ! -e x.xyz
check "with a format any name will do" "$sberf" report --format folded -o x.xyz "$data"
mkdir dir.d
check "and a name without an ending is a tree" "$sberf" report -o dir.d/tree "$data"
for option in "--title x" "--min-width 3" "--orientation flame" --no-script; do
	# shellcheck disable=SC2086  # an option and its value
	refused "${option%% *} is for flame graphs: --format svg and html" $option --format folded
done
check "a flame graph by its name has them" "$sberf" report --title x --min-width 3 --orientation flame --no-script -o f.svg "$data"

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

# Ctrl-C is for the recorder at the other end of the pipe: the first one only asks for its end. (What a shell starts in the background
# ignores it, and so does all that a shell starts that ignores it itself.)
catches_int() {
	[ $((0x$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status") & 2)) -ne 0 ]
}
env --default-signal=INT "$sberf" report --format folded -i - <pipe >got 2>err &
reader=$!
also_kill $reader
exec 9>pipe
head -c 100 "$data" >&9
check "a reader of a pipe waits for Ctrl-C" wait_until 20 catches_int $reader
kill -INT $reader
check "which does not end it" wait_until 20 grep -q "reading goes on until the writer has ended; Ctrl-C again gives up" err
tail -c +101 "$data" >&9
exec 9>&-
wait $reader
equal "it reads to the end" 0 $?
check "all of it" cmp want got
env --default-signal=INT "$sberf" report --format folded -i - <pipe >got 2>err &
reader=$!
also_kill $reader
exec 9>pipe
wait_until 20 catches_int $reader
kill -INT $reader
wait_until 20 grep -q "goes on" err
kill -INT $reader
wait $reader
equal "the second one ends it" 130 $?
exec 9>&-
mkdir directory
matches "a directory is refused" "directory': Is a directory" "$(report directory 2>&1)"
finish
