# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# lines.sh - inlined calls, files and lines: exact ones in a program that is known, and compared with addr2line everywhere.
. "$top_srcdir/tests/tap.sh"

symname=$top_builddir/tests/symbol/symname
CXX=${CXX:-g++}
cd "$SCRATCH" || exit 99
command -v "$CXX" >/dev/null || skip_all "no C++ compiler ($CXX)"
command -v addr2line >/dev/null || skip_all "addr2line is not installed"

# Every instruction of .text.
instructions() {
	objdump -d --no-show-raw-insn -j .text "$1" | sed -n 's/^ *\([0-9a-f]*\):\t.*/\1/p'
}

# compared TITLE FILE [REFERENCE]: names of FILE against addr2line's of REFERENCE (FILE): at least 99 % must agree.
compared() {
	local total agree inlined out
	instructions "${3:-$2}" >pcs
	addr2line -a -f -i -C -e "${3:-$2}" <pcs >ref
	"$symname" "$2" <pcs >got
	out=$(awk -f "$top_srcdir/tests/symbol/compare.awk" ref got)
	note "$out"
	read -r total agree inlined <<<"$(tail -n 1 <<<"$out")"
	note "$1: $agree of $total places agree, $inlined of them in inlined calls"
	[ "$total" -gt 1000 ] && [ "$inlined" -gt 300 ] && [ $((agree * 100)) -ge $((total * 99)) ]
	result $? "$1: at least 99 % of places as addr2line has them"
}

src=$top_srcdir/tests/symbol/shapes.cc
for flags in "-gdwarf-5" "-gdwarf-4" "-gdwarf-5 -gz=zlib" "-gdwarf-5 -static"; do
	# shellcheck disable=SC2086  # several flags
	"$CXX" -O2 $flags -Wl,--build-id=sha1 -o shapes "$src" || exit 99
	if [ "$flags" = "-gdwarf-5 -static" ]; then
		# libstdc++ and libc have no lines here: compare our own functions
		check "$flags: has lines" grep -q 'shapes.cc:' <("$symname" shapes <<<"$(nm shapes | awk '/ main$/ { print $1 }')")
	else
		compared "$CXX $flags" shapes
	fi
done

# A separate debug file gives the same.
"$CXX" -O2 -g -Wl,--build-id=sha1 -o shapes "$src" || exit 99
objcopy --only-keep-debug shapes shapes.debug
objcopy --strip-all --add-gnu-debuglink=shapes.debug shapes linked
compared "debuglink" linked shapes

# dwz moves what files share into another file.
if command -v dwz >/dev/null; then
	cp shapes one && cp shapes two
	check "dwz moves it into a shared file" dwz -m common.debug one two
	compared "dwz" one shapes
	rm common.debug
	check "without the shared file: names only" grep -q '^0x[0-9a-f]*: main ?$' \
		<("$symname" one <<<"$(nm shapes | awk '/ main$/ { print $1 }')")
else
	skip "dwz is not installed" "files that share debug information"
fi

# Known lines: a call that is inlined twice over.
cat >known.c <<'END'
volatile int sink;
static inline int deepest(int x)
{
	return x * sink;
}
static inline int middle(int x)
{
	return deepest(x + 1) + 3;
}
int outermost(int x);
__attribute__((noinline)) int outermost(int x)
{
	return middle(x);
}
int main(int argc, char **argv)
{
	return outermost(argc) + (argv == 0);
}
END
${CC:-cc} -O2 -g -fno-toplevel-reorder -o known known.c || exit 99
start=$(nm known | awk '/ outermost$/ { print $1 }')
instructions known | awk -v s="$start" 's ~ $1 "$" { on = 1 } on' | head -n 4 | "$symname" known >got
matches "a call inlined twice, with its lines" \
	'deepest [^ ]*/known.c:4 \| middle [^ ]*/known.c:8 \| outermost [^ ]*/known.c:13' "$(cat got)"

# Split DWARF: functions and inlined calls are in files of their own beside the program.
cc=${CC:-cc}
# lacks FILE: what its debug information lacks.
lacks() {
	"$symname" -l "$1" <pcs
}
for version in 5 4; do
	rm -rf split && mkdir split
	$cc -O2 -gdwarf-$version -o whole "$PWD/known.c" || exit 99
	(cd split && $cc -O2 -gdwarf-$version -gsplit-dwarf -c -o known.o "$SCRATCH/known.c" && $cc -o ../parted known.o) || exit 99
	instructions parted >pcs
	"$symname" whole <pcs >want
	"$symname" parted <pcs >got
	check "DWARF $version, split: inlined calls" grep -q '|.*|' got
	equal "DWARF $version, split: the same as in one file" "" "$(diff want got | head -5)"
	equal "DWARF $version, split: nothing is missing" "" "$(lacks parted)"
	if [ "$(id -u)" -eq 0 ]; then
		# Where the program runs, its paths may lead to other files than here.
		mkdir -p "root/$SCRATCH/split" && mv split/known.dwo "root/$SCRATCH/split"
		"$symname" -r root parted <pcs >got
		equal "DWARF $version, split, in another root: the same as in one file" "" "$(diff want got | head -5)"
		equal "DWARF $version, split, in another root: nothing is missing" "" "$("$symname" -r root -l parted <pcs)"
		mv "root/$SCRATCH/split/known.dwo" split && rm -r root
	else
		skip "needs root" "DWARF $version, split, in another root"
	fi
	mv split/known.dwo good.dwo
	matches "DWARF $version, without the other half: it is said which file is missing" \
		'^inlined calls are not known: they are in .*known\.dwo, which is neither beside' "$(lacks parted)"
	check "DWARF $version, without the other half: lines" grep -q 'known.c:' <("$symname" parted <pcs)
	mkfifo split/known.dwo
	matches "DWARF $version, a FIFO in its place: is not opened" '^inlined calls are not known: .*known\.dwo: ' "$(lacks parted)"
	rm split/known.dwo
	(cd split && $cc -O1 -gdwarf-$version -gsplit-dwarf -c -o known.o "$SCRATCH/known.c") || exit 99
	matches "DWARF $version, of another build: is told" 'known\.dwo: it is of another build' "$(lacks parted)"
	# Not a real package, which newer versions of libdw would read: what is said when it cannot be used.
	rm split/known.dwo
	mv good.dwo parted.dwp
	matches "DWARF $version, packed: it is said that this libdw cannot" 'parted\.dwp: this libdw cannot use it' "$(lacks parted)"
	rm parted.dwp
done

# The separate debug file of a program in another root is there, by its build-id or its name.
$cc -O2 -g -Wl,--build-id=sha1 -o debugged known.c || exit 99
instructions debugged >pcs
"$symname" debugged <pcs >want
objcopy --only-keep-debug debugged debugged.debug && objcopy --strip-all --add-gnu-debuglink=debugged.debug debugged stripped || exit 99
id=$(readelf -n debugged | sed -n 's/.*Build ID: //p')
for at in "usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" debugged.debug; do
	mkdir -p "root/${at%/*}" "root/$SCRATCH"
	[ "$at" = debugged.debug ] && at=$SCRATCH/debugged.debug
	mv debugged.debug "root/$at"
	"$symname" "$PWD/stripped" <pcs >got
	check "without ${at##*/}: no inlined calls" sh -c '! grep -q "|.*|" got'
	"$symname" -r root "$PWD/stripped" <pcs >got
	equal "${at##*/} in another root: the same as in one file" "" "$(diff want got | head -5)"
	mv "root/$at" debugged.debug && rm -r root
done

# Compressed in a way that this libelf may not know: the type of .debug_info's compression is made zstd's, its bytes are not touched.
$cc -O2 -g -gz=zlib -o packed known.c || exit 99
at=$(readelf -SW packed | sed -n 's/^ *\[ *[0-9]*\] \.debug_info *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
instructions packed >pcs
equal "zlib: nothing is missing" "" "$(lacks packed)"
printf '\2' | dd of=packed bs=1 seek=$((16#$at)) conv=notrunc status=none
matches "zstd: it is said, and what helps" '^its debug information is compressed with zstd, which this libelf cannot unpack: .*decompress-debug-sections' \
	"$(lacks packed)"
check "zstd: functions have their names" grep -q ': main ?$' <("$symname" packed <<<"$(nm packed | awk '$3 == "main" { print $1 }')")

finish
