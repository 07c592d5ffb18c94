#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# merge.sh - `sberf merge`: of one recording nothing changes, of several the totals add up, and bad input is refused or told.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data
cd "$SCRATCH" || exit 99

# summary FILE NAME: one figure.
summary() {
	"$sberf" report --format summary "$1" | sed -n "s/^$2: //p"
}

# Of one recording of any version each report stays the same, but for the size of the file.
for version in v1 v1_1 v1_2 example; do
	check "$version alone" "$sberf" merge "$data/$version.sberf" -o $version.merged
	check "$version: sound" "$sberf" check $version.merged
	for format in tree folded waits numa; do
		"$sberf" report --format $format "$data/$version.sberf" >want
		"$sberf" report --format $format $version.merged >got
		check "$version: --format $format" cmp want got
	done
	"$sberf" report --format folded --metric wall --group-by thread "$data/$version.sberf" >want
	"$sberf" report --format folded --metric wall --group-by thread $version.merged >got
	check "$version: wall time by thread" cmp want got
	"$sberf" report --format summary "$data/$version.sberf" | grep -v '^file_bytes' >want
	"$sberf" report --format summary $version.merged | grep -v '^file_bytes' >got
	check "$version: --format summary" cmp want got
done
equal "a recording is private" 600 "$(stat -c %a v1.merged)"
check "merged again, it is the same" "$sberf" merge v1_2.merged -o again
for format in tree folded waits numa summary; do
	check "merged again: $format" cmp <("$sberf" report --format $format v1_2.merged | grep -v '^file_bytes') \
		<("$sberf" report --format $format again | grep -v '^file_bytes')
done

# restamp FILE ID [AT BYTES]: another id, so that a copy is another recording, and what the header says from byte AT on. Blocks carry the
# first four bytes of the id; the others are free, and the checksum of the header is put right. It needs a program that knows CRC-32: gzip
# writes one at the end.
restamp() {
	local crc
	printf '%s' "$2" | dd of="$1" bs=1 seek=28 conv=notrunc status=none
	[ $# -lt 4 ] || printf "$4" | dd of="$1" bs=1 seek="$3" conv=notrunc status=none
	crc=$(head -c 60 "$1" | gzip -c | tail -c 8 | head -c 4 | od -An -tx1 | sed 's/ /\\x/g')
	printf "$crc" | dd of="$1" bs=1 seek=60 conv=notrunc status=none
}

# The sum of two: every figure that counts is twice that of one. Both say that they were made at the same time on one machine.
cp "$data/v1_2.sberf" a.data
cp "$data/v1_2.sberf" b.data
restamp b.data other
check "a copy with an id of its own is sound" "$sberf" check b.data
"$sberf" merge a.data b.data -o sum.data 2>err
equal "two: exit status" 0 $?
matches "two: what both saw counts twice, and that is said" "a.data and b.data were made at the same time on the same machine" "$(cat err)"
matches "two: what was done is said" "2 recordings, 240 events, .* in sum.data" "$(cat err)"
check "two: sound" "$sberf" check sum.data
for name in oncpu_samples oncpu_weight_us lost_ring_full offcpu_waits offcpu_weight_us numa_samples; do
	one=$(summary a.data $name)
	equal "two: $name" "$((2 * one))" "$(summary sum.data $name)"
done
equal "two: the time in which something was recorded is not" "$(summary a.data duration_seconds)" "$(summary sum.data duration_seconds)"
equal "two: the command is the one that made both" "$(summary a.data command)" "$(summary sum.data command)"
"$sberf" report --format folded --metric wall a.data | awk '{ $NF = 2 * $NF; print }' | sort >want
"$sberf" report --format folded --metric wall sum.data | sort >got
# Weights are rounded to microseconds after they were added.
check "two: each stack has twice the weight" awk '
	{ w = $NF; $NF = "" } NR == FNR { a[$0] = w; next }
	!($0 in a) || a[$0] - w > 2 || w - a[$0] > 2 { bad = 1 } { n++ } END { exit bad || n != length(a) }' want got

# Of two machines, of which one was booted at another time: what happened when, by the clock on the wall.
if command -v python3 >/dev/null; then
	cat >boot.py <<-'PY'
		# FILE HOST SECONDS: as if HOST had made it, so much later by the clock on the wall, at the same moment of a clock since its boot.
		import struct, sys, zlib
		data, later = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[3]) * 10**9
		real = struct.unpack_from("<Q", data, 40)[0]
		struct.pack_into("<Q", data, 40, real + later)
		data[28:40] = b"another host"
		struct.pack_into("<I", data, 60, zlib.crc32(data[:60]))
		at = struct.unpack_from("<I", data, 12)[0]
		out = bytes(data[:at])
		while at < len(data):
		    head = data[at:at + 32]
		    stored = struct.unpack_from("<I", head, 20)[0]
		    body = bytes(data[at + 32:at + 32 + stored])
		    at += 32 + stored
		    text = zlib.decompress(body) if head[6] else body
		    new = text.replace(b"%d" % real, b"%d" % (real + later)).replace(b"host.example", sys.argv[2].encode())
		    if new != text:
		        head[6], body = 0, new
		        struct.pack_into("<II", head, 16, len(new), len(new))
		    struct.pack_into("<I", head, 28, zlib.crc32(bytes(head[:28]) + body))
		    out += bytes(head) + body
		sys.stdout.buffer.write(out)
	PY
	cp "$data/v1_2.sberf" a.data
	python3 boot.py a.data db2.example. 100 >later.data
	check "two machines: the other one's is sound" "$sberf" check later.data
	"$sberf" merge a.data later.data -o hosts.data 2>err
	matches "two machines: how well their times fit is said" "of 2 machines or boots, whose times fit together as well as their clocks did" "$(cat err)"
	# hosts FROM,TO: whose time is there.
	hosts() {
		"$sberf" report -i hosts.data --format folded --metric wall --group-by host --time "$1" 2>/dev/null | cut -d ';' -f 1 | sort -u |
			paste -sd ' '
	}
	equal "two machines: what one did at first" host.example "$(hosts 0s,50s)"
	equal "two machines: what the other did 100 s later" db2.example. "$(hosts 100s,110s)"
	equal "two machines: both in all" "db2.example. host.example" "$(hosts 0s,110s)"
	equal "two machines: nobody's time is stretched" "$((2 * $(summary a.data oncpu_weight_us)))" "$(summary hosts.data oncpu_weight_us)"
else
	skip "python3 is not installed" "two machines: their times"
fi

# Different ones, old and new: events and losses are those of all.
"$sberf" merge "$data"/v1.sberf "$data"/v1_1.sberf "$data"/v1_2.sberf -o all.data 2>err
equal "three of different versions: exit status" 1 $?
matches "they have one id" "are the same recording; give it once" "$(cat err)"
cp "$data/v1.sberf" v1.data
cp "$data/v1_1.sberf" v1_1.data
restamp v1.data first
restamp v1_1.data second
"$sberf" merge v1.data v1_1.data "$data/v1_2.sberf" -o all.data 2>err
equal "three of different versions with ids of their own: exit status" 0 $?
matches "their events" "3 recordings, 300 events" "$(cat err)"
for name in oncpu_samples lost_ring_full; do
	equal "three: $name" $(($(summary v1.data $name) + $(summary v1_1.data $name) + $(summary a.data $name))) "$(summary all.data $name)"
done
# 1.0 knew no waits.
equal "three: waits" $(($(summary v1_1.data offcpu_waits) + $(summary a.data offcpu_waits))) "$(summary all.data offcpu_waits)"

# What is damaged or cut off is told, and merged as far as it goes.
head -c 3000 b.data >cut.data
"$sberf" merge a.data cut.data -o partial.data 2>err
equal "one is cut off: exit status" 0 $?
matches "and is named" "cut.data: the recording was cut off" "$(cat err)"
check "what comes out is sound" "$sberf" check partial.data

# Refused, and nothing is left behind.
status=1
refused() {
	local title=$1 regex=$2
	shift 2
	"$sberf" merge "$@" 2>err
	equal "$title: exit status" "$status" $?
	matches "$title: the sentence" "$regex" "$(cat err)"
	check "$title: no file" test ! -e new.data
}
echo text >text
refused "not a recording" "text is not a recording of sberf" a.data text -o new.data
refused "not there" "cannot open none: No such file" a.data none -o new.data
status=2 refused "no input" "say which recordings" -o new.data
status=2 refused "no output" "say where the merged recording goes: -o FILE" a.data
refused "twice" "a.data and (./)?a.data are the same recording; give it once" a.data ./a.data -o new.data
refused "not a recording, through a pipe" "standard input is not a recording of sberf" a.data - -o new.data < <(yes)
refused "the same, through a pipe" "are the same recording; give it once" a.data <(cat a.data) -o new.data
refused "standard input twice" "standard input is empty; it is not a recording" - - -o new.data < <(cat a.data)
TMPDIR=/nowhere refused "no room for a copy" "cannot make a file in /nowhere for a copy of standard input: .*TMPDIR" - -o new.data < <(cat a.data)
cp a.data major.data
restamp major.data major 8 '\x02'
refused "a newer major version" "major.data was written by a newer sberf \(format 2.2, this one reads 1.x\); read it with" a.data major.data -o new.data
cp a.data kept.data
"$sberf" merge b.data -o kept.data 2>err
equal "onto a recording: exit status" 1 $?
matches "onto a recording: the sentence" "'kept.data' is a recording and stays as it is" "$(cat err)"
check "onto a recording: it stays" cmp kept.data a.data
equal "nothing is left beside anything" "" "$(ls -- *.part 2>/dev/null)"
if [ -w /dev/full ]; then
	"$sberf" merge a.data -o - >/dev/full 2>err
	equal "a full disk: exit status" 1 $?
	matches "a full disk: the sentence" "cannot write to standard output: No space left" "$(cat err)"
else
	skip "there is no /dev/full" "a full disk"
fi
# Inputs that can be read only once.
"$sberf" merge a.data b.data -o files.data 2>/dev/null
"$sberf" report --format folded files.data >want
mkdir copies
# merged TITLE INPUT...: the same comes out.
merged() {
	local title=$1
	shift
	rm -f piped.data
	TMPDIR=copies "$sberf" merge "$@" -o piped.data 2>err
	equal "$title: exit status" 0 $?
	matches "$title: all of it" "2 recordings, 240 events, .* in piped.data" "$(cat err)"
	check "$title: sound" "$sberf" check piped.data
	check "$title: the same" cmp want <("$sberf" report --format folded piped.data)
}
merged "a pipe" a.data - < <(cat b.data)
merged "a pipe by name" a.data /dev/stdin < <(cat b.data)
merged "a file as standard input" a.data - <b.data
merged "what processes write" <(cat a.data) <(cat b.data)
mkfifo pipe
cat b.data >pipe &
also_kill $!
merged "a named pipe" a.data pipe
matches "a named pipe: what is waited for is said" "waiting for what is written into the pipe pipe" "$(cat err)"
equal "no copy is left" "" "$(ls copies)"

# A later minor version: what is known is merged, and what is not is told.
"$sberf" merge a.data "$data/newer.sberf" -o with-newer.data 2>err
equal "a newer minor version: exit status" 0 $?
matches "a newer minor version: what is left out is said" "newer.sberf: a newer sberf wrote it: 4 items of kinds unknown here were left out" "$(cat err)"
matches "a newer minor version: what is known is there" "2 recordings, 160 events" "$(cat err)"
check "a newer minor version: sound, and of this version" grep -qE "format +1\.4\$" <("$sberf" check with-newer.data)

# A full disk: nothing is left of the new recording, and those on the disk stay.
mkdir full
if mount -t tmpfs -o size=16k none full 2>/dev/null; then
	cp a.data full/a.data
	head -c 100000 /dev/zero >full/rest 2>/dev/null
	"$sberf" merge full/a.data b.data -o full/sum.data 2>err
	equal "no room at all: exit status" 1 $?
	matches "no room at all: the sentence" "cannot write (to )?'?full/sum.data'?: No space left on device" "$(cat err)"
	equal "no room at all: nothing is left" "full/a.data full/rest" "$(echo full/*)"
	truncate -s -4096 full/rest
	"$sberf" merge full/a.data b.data -o full/sum.data 2>err
	equal "too little room: exit status" 1 $?
	matches "too little room: the sentence" "cannot write (to )?'?full/sum.data'?: No space left on device" "$(cat err)"
	equal "too little room: nothing is left" "full/a.data full/rest" "$(echo full/*)"
	check "its input is sound" "$sberf" check full/a.data
	TMPDIR=full "$sberf" merge a.data - -o sum2.data 2>err < <(cat b.data b.data b.data)
	equal "no room for a copy: exit status" 1 $?
	matches "no room for a copy: the sentence" "cannot copy standard input to read it twice: full: No space left on device" "$(cat err)"
	check "no room for a copy: no file" test ! -e sum2.data
	umount full
else
	skip "needs root" "a full disk"
fi
check "through a pipe" cmp <("$sberf" merge a.data -o - 2>/dev/null | "$sberf" report --format folded -i -) \
	<("$sberf" report --format folded a.data)
finish
