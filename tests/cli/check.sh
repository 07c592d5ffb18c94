#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# check.sh - `sberf check` says what is in a recording, finds every kind of damage, and tells them apart by its exit status.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
cd "$SCRATCH" || exit 99

# told STATUS TITLE FILE...: runs check; its words are in $out, those on standard error in $err.
told() {
	local want=$1 title=$2 rc=0
	shift 2
	out=$("$sberf" check "$@" 2>err) || rc=$?
	err=$(cat err)
	equal "$title: exit status" "$want" "$rc"
}

# has TITLE REGEX: a whole line of what check said matches.
has() {
	if grep -qE "^ *$2\$" <<<"$out"; then
		result 0 "$1"
	else
		note "wanted a line: $2"
		note "$out"
		result 1 "$1"
	fi
}

for file in "$top_srcdir"/tests/data/*.sberf; do
	told 0 "${file##*/}" "$file"
	equal "${file##*/}: no complaint" "" "$err"
	matches "${file##*/}: its first line" "${file##*/}: complete, nothing is damaged" "${out%%$'\n'*}"
done

cp "$top_srcdir/tests/data/v1_2.sberf" whole
told 0 "what is in it" whole
has "format" "format +1\.2"
has "id" "id +616e2065-7861-6d70-6c65-2c2031366200"
has "maker" "made by +sberf 0\.1 on host\.example, 6\.18\.0, x86_64"
has "command" "command +sberf record -p 1234"
has "target" "target +redis-server 1234"
has "sampling" "sampled +cpu-clock, 997 Hz asked for, 2 CPUs; with waits and who ended them"
has "beginning" "began +2023-11-14 22:13:20\.000 UTC"
has "end" "lasted +10\.0 s, until the target was ended by signal 9"
has "events" "events +120, from 325 ns to 119 ms after the beginning"
has "events by kind" "69  running"
has "losses" "lost +3  the ring buffer was full"
has "size" "size +$(stat -c %s whole | sed 's/\([0-9]\)\([0-9]\{3\}\)$/\1,\2/') bytes in 20 blocks, 2 epochs"
has "blocks" "EVENTS +2 +1,535 +[0-9.]+ % +120"
sum=$(awk '$1 ~ /^[A-Z]+$/ && $3 ~ /^[0-9,]+$/ { gsub(",", "", $3); n += $3 } END { print n }' <<<"$out")
equal "the blocks and the header are the whole file" "$(stat -c %s whole)" "$((sum + 64))"

# block NR: where the NR-th block begins (from 1), and how long it is.
block() {
	local at=64 size=0 nr
	for ((nr = 0; nr < $1; nr++)); do
		at=$((at + size))
		size=$((32 + $(od -An -tu4 -j $((at + 20)) -N4 whole)))
	done
	echo "$at $size"
}

# flip FILE AT: turns all bits of one byte.
flip() {
	printf "\\x$(printf %02x $((255 - $(od -An -tu1 -j "$2" -N1 "$1"))))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

read -r at size < <(block 7)
cp whole flipped
flip flipped $((at + 40))
told 3 "a flipped byte" flipped
matches "a flipped byte: the first line" "^flipped: damaged" "$out"
has "a flipped byte: where" "bytes $at to $((at + size - 1)): a block of type [A-Z]+ whose checksum is wrong"
has "a flipped byte: what is lost" "lost by it .*events.*"
cp whole magic
flip magic "$at"
told 3 "no block at all" magic
has "no block at all: where" "bytes $at to $((at + size - 1)): no block of this recording"
has "no block at all: missing" "before byte $((at + size)): 1 block is missing"
{ head -c "$at" whole; tail -c +$((at + size + 1)) whole; } >gap
told 3 "a block that is not there" gap
has "a block that is not there: where" "before byte $at: 1 block is missing"
{ head -c $((at + size)) whole; tail -c +$((at + 1)) whole; } >twice
told 3 "a block that is there twice" twice
has "a block that is there twice: where" "bytes $((at + size)) to $((at + 2 * size - 1)): a block of type [A-Z]+ that comes again, left out"
cp whole header
flip header 24
told 3 "a damaged header" header
has "a damaged header: said" "bytes 0 to 63: the header; .*"
head -c $((at + 20)) whole >cut
told 3 "cut off" cut
matches "cut off: the first line" "cut: cut off, nothing is damaged" "$out"
has "cut off: where" "bytes $at to $((at + 19)): the beginning of a block; the file ends in it"
has "cut off: said" "the end +is missing: .*"
head -c "$at" whole >short
told 3 "cut off between blocks" short

# A later minor version: what is known is read, what is not is counted, and it is nothing that is damaged.
told 0 "a newer minor version" "$top_srcdir/tests/data/newer.sberf"
has "a newer minor version: it is said" "format +1\.77, newer than this sberf"
has "a newer minor version: the events that are known" "events +40, from .*"
has "a newer minor version: those that are not" "3  of kinds that only a newer sberf knows, left out"
has "a newer minor version: a block that is not" "left out +1 block of types that only a newer sberf knows"
has "a newer minor version: nothing is lost" "lost +3  the ring buffer was full"

# stamp FILE AT BYTES: what a header says from byte AT on, with a checksum that fits. It needs a program that knows CRC-32: gzip writes
# one at the end.
stamp() {
	local crc
	printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
	crc=$(head -c 60 "$1" | gzip -c | tail -c 8 | head -c 4 | od -An -tx1 | sed 's/ /\\x/g')
	printf "$crc" | dd of="$1" bs=1 seek=60 conv=notrunc status=none
}

cp whole minor
stamp minor 10 '\x63'
told 0 "a newer minor version without anything new" minor
has "a newer minor version without anything new: it is said" "format +1\.99, newer than this sberf"
check "a newer minor version without anything new: nothing is left out" test -z "$(grep 'left out' <<<"$out")"
cp whole major
stamp major 8 '\x02'
told 1 "a newer major version" major
matches "a newer major version: the sentence" \
	"^sberf check: major was written by a newer sberf \(format 2\.2, this one reads 1\.x\); read it with a newer one" "$err"

# What cannot be read, and several at once: the worst counts, and the others are told all the same.
told 1 "no such file" none
matches "no such file: the sentence" "^sberf check: cannot open none: No such file" "$err"
echo text >text
told 1 "not a recording" text
check "not a recording: what reads text is said" test "${err% --import}" != "$err"
matches "not a recording: the sentence" "^sberf check: text is not a recording of sberf" "$err"
told 1 "one of three cannot be read" cut text whole
matches "the first is told" "cut: cut off" "$out"
matches "the last is told" "whole: complete" "$out"
told 3 "one of two is cut off" whole cut
told 0 "two sound ones" whole -i whole
told 0 "standard input" - <whole
matches "standard input: so it is called" "^standard input: complete" "$out"
told 0 "a pipe" - < <(cat whole)
told 0 "a pipe by name" /dev/stdin < <(cat whole)
told 0 "what a process writes, and a file" <(cat whole) whole
mkfifo pipe
cat whole >pipe &
also_kill $!
told 0 "a named pipe" pipe
matches "a named pipe: what is waited for is said" "^sberf check: waiting for what is written into the pipe pipe" "$err"
told 3 "a pipe that breaks off" - < <(head -c 3000 whole)
told 1 "an empty pipe" - < <(:)
matches "an empty pipe: the sentence" "standard input is empty; it is not a recording" "$err"
cp whole sberf.data
told 0 "sberf.data without a name"
matches "sberf.data without a name: it is that" "^sberf.data: complete" "$out"
finish
