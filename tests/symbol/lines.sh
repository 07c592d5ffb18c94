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

finish
