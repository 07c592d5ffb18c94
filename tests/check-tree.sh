#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# check-tree.sh - rules about the source tree that no compiler checks.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
cd "$top_srcdir" || exit 99

# none TITLE FOUND: passed when nothing was found.
none() {
	[ -z "$2" ] || note "$2"
	result "$([ -z "$2" ]; echo $?)" "$1"
}

sources() {
	find bpf docs m4 src tests ui Makefile.am autogen.sh configure.ac quickstart -type f \
		\( -name '*.[chS]' -o -name '*.cc' -o -name '*.cpp' -o -name '*.go' -o -name '*.rs' -o -name '*.sh' -o -name '*.py' \
		-o -name '*.mk' -o -name '*.m4' -o -name Makefile.am -o -name configure.ac -o -name quickstart \) | sort
}

# includes PATTERN DIR...: the files that include something that matches.
includes() {
	local pattern=$1
	shift
	grep -rlE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]$pattern" --include='*.[ch]' "$@"
}

first_include_is_not_config() {
	find src ui tests/unit -name '*.c' | while read -r file; do
		grep -m1 '^#[[:space:]]*include' "$file" | grep -q '"config.h"' || echo "$file"
	done
}

without_licence() {
	sources | while read -r file; do
		head -2 "$file" | grep -q 'SPDX-License-Identifier: BSD-2-Clause' || echo "$file"
	done
}

check "there is something to look at" test "$(sources | wc -l)" -gt 50
none "only ui/term.c includes curses" \
	"$(includes '(ncursesw?/)?(curses|ncurses|term|panel|menu|form)\.h' src ui bpf tests | grep -v '^ui/term\.c$')"
none "nothing in src outside src/cmd includes ui/" "$(includes '(\.\./)*ui/' src | grep -v '^src/cmd/')"
none "nothing but commands and main() includes cmd/" \
	"$(includes 'cmd/' src ui | grep -v -e '^src/cmd/' -e '^src/main\.c$')"
none "base includes nothing but base" \
	"$(grep -rnE '^#include "' --include='*.[ch]' src/base | grep -vE '"(base/[a-z0-9_]+\.h|config\.h)"')"
none "every .c file includes config.h first" "$(first_include_is_not_config)"
none "every source file names its licence" "$(without_licence)"
# The brackets keep these patterns from finding themselves.
none "no paths of one machine, no work left over" \
	"$(sources | xargs grep -nE '/[w]ork/|/[h]ome/[a-z]|\.\./[s]hared|\b(T[O]DO|F[I]XME|X[X]X)\b')"
finish
