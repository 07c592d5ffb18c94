#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# bounded.sh - memory of `sberf check` and `sberf merge` is bounded, however much a recording holds or claims to.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/passed.sh"
skip_unless_changed tests/cli/bounded.sh 'src/record/*.[ch]' 'src/profile/*.[ch]' 'src/model/*.[ch]' src/base/{arena,hash,pages,strtab,vec}.[ch] \
	src/cmd/{check,merge}.c tests/unit/make_recordings.c
sberf=${SBERF:?is set by make check}
cd "$SCRATCH" || exit 99
check "recordings that are large to be read" "${top_builddir:?}/tests/unit/make_recordings" --large .

# within MIB COMMAND...: all the address space there is. A sanitizer takes terabytes of it, so it goes without.
within() {
	local kib=$(($1 * 1024))
	shift
	(grep -qF __asan_init "$sberf" || ulimit -v $kib; exec "$@")
}

# More text than anybody has.
within 1500 "$sberf" check strings.sberf >out 2>err
equal "check, 1.1 GB of text: exit status" 1 $?
matches "check, 1.1 GB of text: the sentence" "strings.sberf: the stacks and names of the recording need more than 1024 MiB of memory" "$(cat err)"
within 1500 "$sberf" merge strings.sberf -o new.data 2>err
equal "merge, 1.1 GB of text: exit status" 1 $?
matches "merge, 1.1 GB of text: the sentence" "strings.sberf: the stacks and names of the recording need more than" "$(cat err)"
equal "merge, 1.1 GB of text: nothing is left" "" "$(ls -- new.data* 2>/dev/null)"

# 3,600,000 stacks: a file that was cut off, as far as can be told.
within 500 "$sberf" check stacks.sberf >out 2>err
equal "check, millions of stacks: exit status" 3 $?
matches "check, millions of stacks: all events are counted" "events +3,600,000," "$(cat out)"
within 1500 "$sberf" merge stacks.sberf -o stacks.data 2>err
equal "merge, millions of stacks: exit status" 0 $?
within 500 "$sberf" check stacks.data >out 2>err
equal "merge, millions of stacks: sound" 0 $?
matches "merge, millions of stacks: all events are there" "events +3,600,000," "$(cat out)"

# Many events of stacks that come again take no memory each.
for n in 1 2 3 4; do
	cp events.sberf events.$n
	printf '%s' "id-$n-------" | dd of=events.$n bs=1 seek=28 conv=notrunc status=none
	crc=$(head -c 60 events.$n | gzip -c | tail -c 8 | head -c 4 | od -An -tx1 | sed 's/ /\\x/g')
	printf "$crc" | dd of=events.$n bs=1 seek=60 conv=notrunc status=none
done
within 500 "$sberf" merge events.? -o whole.data 2>err
equal "merge, 2,400,000 events: exit status" 0 $?
matches "merge, 2,400,000 events: all of them" "4 recordings, 2,400,000 events" "$(cat err)"
within 300 "$sberf" check whole.data >out 2>err
equal "check, 2,400,000 events: sound" 0 $?
finish_passed
