#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# unread.sh - what of a file could not be read is said with the recording, file by file; and what a program brings along in a root of its own
# is found there.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
cd "$SCRATCH" || exit 1
cc=${CC:-cc}
cat >burn.c <<'C'
#include <stdint.h>
#include <time.h>
volatile uint64_t sink;
static inline __attribute__((always_inline)) void inlined(void) { for (int i = 0; i < 100000; i++) sink = sink * 5 + 1; }
__attribute__((noinline)) void burns(void) { inlined(); }
int main(void) { for (time_t end = time(0) + 2; time(0) < end;) burns(); return 0; }
C

# section FILE NAME: where it begins in FILE.
section() {
	echo $((16#$(readelf -SW "$1" | sed -n "s/^ *\[ *[0-9]*\] $2  *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p")))
}

# zstd FILE NAME: says that this section is compressed by zstd, whatever it is.
zstd() {
	printf '\2' | dd of="$1" bs=1 seek="$(section "$1" "$2")" conv=notrunc status=none
}

# told FILE: what could not be read, as the summary says it.
told() {
	summary "$1" | sed -n 's/^unreadable_[0-9]*: //p'
}

$cc -O2 -g -o whole burn.c && $cc -O2 -g -gz=zlib -o packed burn.c && zstd packed '\.debug_info' &&
	mkdir split && (cd split && $cc -O2 -g -gsplit-dwarf -c -o burn.o "$SCRATCH/burn.c" && $cc -o ../halved burn.o) || exit 99
cp "$WORKLOADS/chain_debug_frame" noframe && zstd noframe '\.debug_frame'

check "a program that can be read: recorded" record whole.data -F 199 --no-off-cpu --duration 500ms -- ./whole
equal "and nothing is told" 0 "$(value whole.data unreadable)"
mkdir away && mv split/burn.dwo away
cat >all <<'S'
./packed & ./halved & ./noframe 2 & wait
S
check "three that cannot: recorded" record some.data -F 199 --no-off-cpu --duration 1s -- sh all
told some.data >some
note "$(cat some)"
equal "they are counted, two of one file" 4 "$(value some.data unreadable)"
matches "debug information that cannot be unpacked" '(^|'$'\n'')packed: its debug information is compressed with zstd' "$(cat some)"
matches "the missing half of a unit" '(^|'$'\n'')halved: inlined calls are not known: they are in .*burn\.dwo, which is neither' "$(cat some)"
matches "call-frame information that cannot be unpacked" '(^|'$'\n'')noframe: its call-frame information in \.debug_frame is compressed with zstd' "$(cat some)"
"$SBERF" report -i some.data --format json >some.json
check "JSON has the same" grep -q '"unreadable_1": *"' some.json
"$SBERF" merge -o both.data some.data whole.data 2>merge.err
equal "and a merge of it with another" "4 $(sort some | cksum)" "$(value both.data unreadable) $(told both.data | sort | cksum)"

# A root of its own: what is mounted there nobody else sees.
if unshare --mount true 2>unshare.err; then
	mkdir there
	cat >own <<S
mount -t tmpfs none "$SCRATCH/there" && mkdir "$SCRATCH/there/split" && cp "$SCRATCH/away/burn.dwo" "$SCRATCH/there/split" && cp "$SCRATCH/moved" "$SCRATCH/there" &&
	exec "$SCRATCH/there/moved"
S
	mkdir there/split && (cd there/split && $cc -O2 -g -gsplit-dwarf -c -o burn.o "$SCRATCH/burn.c" && $cc -o ../../moved burn.o) && mv there/split/burn.dwo away ||
		exit 99
	check "in a mount namespace of its own: recorded" record own.data -F 199 --no-off-cpu --duration 1s -- unshare --mount sh own
	equal "nothing is missing" "" "$(told own.data | grep ^moved)"
	"$SBERF" report -i own.data --format folded >folded
	check "inlined calls are those of the other half, which is only there" grep -q ';burns;inlined_\[i\]' folded
else
	for title in recorded missing inlined; do
		skip "no mount namespaces" "in a mount namespace of its own: $title"
	done
fi
finish
