#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# installed.sh - another project's view of libsberf: it is installed, found by pkg-config, linked in both ways, and run.
. "${top_srcdir:?is set by make check}/tests/tap.sh"

# shellcheck source=tests/lib/installing.sh
. "$top_srcdir/tests/lib/installing.sh"

# The interface: nothing else is seen of it, and it needs nothing else than it says.
nm -D --defined-only "$lib/libsberf.so" | awk '$2 != "A" && $3 !~ /^sberf_/' >"$work/other"
[ ! -s "$work/other" ]
told $? "libsberf.so shows its interface alone" "$work/other"
nm -g --defined-only "$lib/libsberf.a" | awk 'NF == 3 && $3 !~ /^sberf_/' >"$work/other"
[ ! -s "$work/other" ]
told $? "libsberf.a shows its interface alone" "$work/other"
readelf -d "$lib/libsberf.so" | awk -F'[][]' '/NEEDED/ { print $2 }' |
	grep -vxE 'lib(dw|elf|lzma|z|c)\.so\.[0-9]+|ld-linux.*' >"$work/other"
[ ! -s "$work/other" ]
told $? "libsberf.so needs libdw, libelf, liblzma, libz and libc alone" "$work/other"
[ "$(readelf -d "$lib/libsberf.so" | awk -F'[][]' '/SONAME/ { print $2 }')" = libsberf.so.0 ]
result $? "its name is libsberf.so.0"
grep -o 'sberf_[a-z_]*;' "$top_srcdir/src/lib/libsberf.map" | tr -d ';' | sort >"$work/listed"
nm -D --defined-only "$lib/libsberf.so" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/shown"
grep -ho '^SBERF_API [^(]*' "$dest"/usr/local/include/sberf/*.h 2>/dev/null | grep -o 'sberf_[a-z_]*$' | sort >"$work/declared"
diff "$work/listed" "$work/shown" >"$work/other" && diff "$work/listed" "$work/declared" >>"$work/other"
told $? "what is declared, listed and there is the same" "$work/other"

# What a program compiled against an earlier one relies on. SBERF_GOLDEN=write: it is meant to be another one.
if command -v abidiff >/dev/null; then
	abi=(--headers-dir "$top_srcdir/src/include/sberf")
	[ "${SBERF_GOLDEN-}" != write ] || abidw "${abi[@]}" --drop-private-types --exported-interfaces-only --no-corpus-path --no-comp-dir-path \
		--no-show-locs "$top_builddir/libsberf.so.0.1.0" >"$here/libsberf.abi"
	abidiff --headers-dir2 "${abi[1]}" "$here/libsberf.abi" "$top_builddir/libsberf.so.0.1.0" >"$work/log" 2>&1
	told $? "the binary interface is the one of tests/lib/libsberf.abi" "$work/log"
else
	skip "abidiff is not installed" "the binary interface is the one of tests/lib/libsberf.abi"
fi

# Compiled as other projects compile.
read -ra flags < <(pkg-config --cflags sberf)
read -ra libs < <(pkg-config --libs sberf)
for header in unwind symbolize; do
	printf '#include <sberf/%s.h>\n' "$header" >"$work/alone.c"
	cp "$work/alone.c" "$work/alone.cc"
	${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Werror "${flags[@]}" -c -o "$work/alone.o" "$work/alone.c" 2>"$work/log" &&
		c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "${flags[@]}" -c -o "$work/alone.o" "$work/alone.cc" 2>>"$work/log"
	told $? "sberf/$header.h alone, in C99 and in C++11" "$work/log"
done
${CC:-cc} -O2 -g -fomit-frame-pointer -pthread "${flags[@]}" -o "$work/stack" "$here/stack.c" "${libs[@]}" 2>"$work/log"
told $? "a program with libsberf.so" "$work/log"
read -ra libs < <(pkg-config --static --libs sberf)
${CC:-cc} -O2 -g -fomit-frame-pointer -pthread "${flags[@]}" -o "$work/stack-static" "$here/stack.c" \
	"${libs[@]/-lsberf/-l:libsberf.a}" 2>"$work/log"
told $? "a program with libsberf.a" "$work/log"
export LD_LIBRARY_PATH=$lib

line() {
	grep -n "$1" "$here/stack.c" | head -1 | cut -d: -f1
}
line_of_pause=$(line 'pause();')
for kind in stack stack-static; do
	"$work/$kind" fallback >"$work/out" 2>&1 && sed 's/ [^ ]*\// /' "$work/out" >"$work/told"
	awk -v p="$line_of_pause" '$1 == "innermost" && $2 == "stack.c:" p { a = NR } $1 == "middle" && NR == a + 1 { b = NR }
		$1 == "outermost" && NR == b + 1 { c = NR } $1 == "main" && NR > c && c { m = NR }
		END { exit !(m && $1 == "complete") }' "$work/told"
	told $? "$kind: the whole stack, with lines" "$work/out"
	"$work/$kind" wrong >"$work/out" 2>&1 && ! grep -q WRONG "$work/out" && [ "$(grep -c '^ok' "$work/out")" -ge 35 ]
	told $? "$kind: what is asked wrongly gets an error" "$work/out"
done
"$work/stack" fallback background >"$work/out" 2>&1
[ $? -ne 0 ] && grep -q 'being read' "$work/out" || grep -q '^main ' "$work/out"
told $? "in the background a stack is there, or is being read" "$work/out"
"$work/stack" force >"$work/out" 2>&1 && grep -q '^outermost ' "$work/out" && grep -q '^complete$' "$work/out"
told $? "by unwind tables alone" "$work/out"
"$work/stack" fp >"$work/out" 2>&1 && ! grep -q '^complete$' "$work/out" && ! grep -q '^outermost ' "$work/out"
told $? "by frame pointers alone, of which there are none, it is cut" "$work/out"
"$work/stack" off >"$work/out" 2>&1 && [ "$(wc -l <"$work/out")" -le 2 ]
told $? "without unwinding, the innermost frame" "$work/out"

make -C "$top_builddir" --no-print-directory uninstall DESTDIR="$dest" >"$work/install.log" 2>&1 && [ -z "$(find "$dest" -type f -o -type l)" ]
result $? "make uninstall leaves nothing"
finish
