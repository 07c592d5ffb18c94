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

# reached FILE...: the headers of ours that these include, directly or through others.
reached() {
	local all="$*" next="$*"
	while [ -n "$next" ]; do
		next=$(sed -nE 's,^[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]+)".*,\1,p' $next | sort -u |
			while read -r file; do [ -f "$file" ] && echo "$file" || { [ -f "src/$file" ] && echo "src/$file"; }; done |
			grep -vxFf <(tr ' ' '\n' <<<"$all"))
		all="$all $next"
		all=$(echo $all)
		next=$(echo $next)
	done
	tr ' ' '\n' <<<"$all"
}

# The folder of a file or of an include: a folder of src/, or ui, or bpf.
arrows() {
	grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*/' --include='*.[ch]' src ui | grep -v '^src/main\.c:' |
		sed -nE 's,^(src/)?([a-z]+)/[^:]*:[0-9]+:[^"]*"(src/)?([a-z]+)/.*,\2 \4,p' | sort -u
}

# Every include from one folder to another that tests/layers.txt does not allow.
arrows_against_the_list() {
	arrows | awk '
		NR == FNR { if ($0 !~ /^#/) { for (i = 3; i <= NF; i++) allowed[$1, $i] = 1 } next }
		$1 != $2 && !(($1, $2) in allowed) { print $1 " includes " $2 }' tests/layers.txt -
}

# A line may name only folders whose own lines come before it: so there is no circle. Arrows that nothing uses are faults, too.
faults_of_the_list() {
	{ arrows; ls -d src/*/ ui bpf | sed -E 's,^(src/)?([a-z]+)/?$,\2 .,'; } | awk '
		NR == FNR { if ($2 == ".") there[$1] = 1; else used[$1, $2] = 1; next }
		/^#/ { next }
		{
			if (!($1 in there))
				print $1 ": no such folder"
			for (i = 3; i <= NF; i++) {
				if (!($i in seen))
					print $1 " names " $i ", which does not stand above it"
				if (!(($1, $i) in used))
					print $1 " does not include " $i
			}
			seen[$1] = 1
		}
		END { for (f in there) if (!(f in seen)) print f ": not in the list" }' - tests/layers.txt
}

first_include_is_not_config() {
	find src ui tests/unit -name '*.c' -print0 | xargs -0 grep -H -m 1 '^#[[:space:]]*include' | grep -v '"config\.h"'
	find src ui tests/unit -name '*.c' -print0 | xargs -0 grep -L '^#[[:space:]]*include'
}

without_licence() {
	sources | xargs awk 'FNR == 1 { if (NR > 1 && !found) print file; file = FILENAME; found = 0 }
		FNR <= 2 && /SPDX-License-Identifier: BSD-2-Clause/ { found = 1 } END { if (!found) print file }'
}

# Scripts that capture and would run beside others.
captures_among_others() {
	find docs tests -name '*.sh' ! -path 'tests/live/*' ! -path 'tests/qemu/*' ! -path 'tests/bench/*' ! -name tmux.sh |
		xargs grep -lE '^\. .*/live/(live|dump)\.sh' | while read -r file; do
		grep -rqxE "(watching|measuring)_tests \+= $file" --include=local.mk docs tests || echo "$file"
	done
}

# Functions of one name, private ones too: neither a backtrace nor a search would tell them apart.
functions_of_one_name() {
	find src ui -name '*.c' -print0 | xargs -0 awk '
		/^[a-z]/ && /\(/ && !/;$/ { head = $0; sub(/\(.*/, "", head); sub(/.*[ *]/, "", head); next }
		/^\{/ && head && head != "main" { print head, FILENAME }
		!/^[ \t]/ { head = "" }' | sort -u | cut -d" " -f1 | uniq -d
}

# Files of one base name in two folders of the product.
files_of_one_name() {
	find src ui -name '*.c' -printf '%f\n' | sort | uniq -d
}

# What stands in two lists, or twice in one: a file of two libraries, a test of two groups; and variables that are set twice.
listed_twice() {
	find . -path ./build -prune -o -name local.mk -print0 | xargs -0 sed -nE \
		-e 's/^(libsberf\w*_SOURCES|suites_\w+|unit_tests|shell_tests|fuzz_targets) \+= (\S+)$/\2/p' | sort | uniq -d
	find . -path ./build -prune -o -name local.mk -print0 | xargs -0 grep -HE '^\w+ = ' | grep -v '_main =' | sed 's/ = .*//' | sort | uniq -d
}

# Unit tests that stand in no list.
without_list() {
	find tests/unit -name 'test_*.c' | sed 's/\.c$//' |
		grep -vxFf <(sed -nE 's/^(suites_[a-z]+|unit_tests) \+= (\S+)$/\2/p' tests/unit/local.mk)
}

pages() {
	find README.md docs tests -name '*.md' | sort
}

# Links between the pages, and to pictures, that lead nowhere.
broken_links() {
	pages | while read -r page; do
		grep -oE '\]\([^)#]+' "$page" | cut -c3- | grep -v '^[a-z]*:' | sort -u | while read -r target; do
			[ -e "$(dirname "$page")/$target" ] || echo "$page: $target"
		done
	done
}

# Pages of docs/ that README.md does not name, or that a release archive would lack.
pages_out_of_reach() {
	find docs -name '*.md' | while read -r page; do
		grep -qF "]($page)" README.md || echo "$page is not in README.md"
		grep -qE "^EXTRA_DIST \+=.* $page( |\$)" docs/local.mk Makefile.am || echo "$page is not in EXTRA_DIST"
	done
}

# Files of the source that the pages name and that are not there.
files_named_in_vain() {
	pages | while read -r page; do
		grep -oE '`(src|ui|bpf|tests|docs)/[A-Za-z_0-9/.-]+\.[A-Za-z]+`' "$page" | tr -d '`' | sort -u | while read -r file; do
			[ -e "$file" ] || echo "$page: $file"
		done
	done
}

# Lines of the pages that are wider than 100 columns, but for tables and what is indented or fenced as code.
wide_prose() {
	pages | while read -r page; do
		sed -E '/^```/,/^```$/d; /^(\||    |\t)/d' "$page" | LC_ALL=C.UTF-8 grep -E '^.{101}' | sed "s,^,$page: ,"
	done
}

# Lines of C that are wider than 120 columns, with tabs of 8 (.clang-format says so, too). Bytes that only go on with a character of
# UTF-8 take no column.
wide_code() {
	sources | grep '\.[ch]$' | LC_ALL=C xargs awk '{
		gsub(/[\200-\277]/, "")
		if (length($0) < 16 || !(parts = split($0, part, "\t")))
			next
		columns = 0
		for (i = 1; i < parts; i++)
			columns += length(part[i]) + 8 - (columns + length(part[i])) % 8
		columns += length(part[parts])
		if (columns > 120)
			print FILENAME ":" FNR ": " columns " columns"
	}'
}

# Where a format is meant by its name, but in its own file: what is said of formats stands in their structures (export/exporter.h). The
# tree is what is written when nothing is said.
formats_known_elsewhere() {
	local names
	names=$(sed -nE '/^#define EXPORTERS/,/[^\\]$/p' src/export/exporter.h | grep -oE 'X\([a-z_]+\)' | tr -d 'X()' | grep -vx tree | paste -sd'|')
	grep -rnwE --include='*.[ch]' "exporter_($names)" src ui docs | grep -v '^src/export/'
}

check "there is something to look at" test "$(sources | wc -l)" -gt 50
none "only ui/term.c includes curses" \
	"$(includes '(ncursesw?/)?(curses|ncurses|term|panel|menu|form)\.h' src ui bpf tests | grep -v '^ui/term\.c$')"
none "top -b and report know nothing of terminals, keys and views" \
	"$(reached src/cmd/batch.c src/cmd/report.c | grep -E '^ui/(term|term_signals|keymap|view|view_.*|panes/.*)\.h$')"
none "a folder includes only folders below it (tests/layers.txt)" "$(arrows_against_the_list)"
none "the list of layers has no circle and no folder that is gone" "$(faults_of_the_list)"
none "docs/architecture.md draws the same list" \
	"$(diff <(sed -n '/^```layers$/,/^```$/p' docs/architecture.md | grep -v '^```') <(grep -v '^#' tests/layers.txt))"
none "links of the pages lead somewhere" "$(broken_links)"
none "README.md leads to every page of docs/, and archives have them" "$(pages_out_of_reach)"
none "files that the pages name are there" "$(files_named_in_vain)"
none "prose of the pages is at most 100 columns wide" "$(wide_prose)"
none "code is at most 120 columns wide" "$(wide_code)"
check "README.md is a door: 150 lines at most" test "$(wc -l <README.md)" -le 150
none "no include climbs out of its folder" "$(includes '\.\.' src ui tests)"
none "every .c file includes config.h first" "$(first_include_is_not_config)"
none "every source file names its licence" "$(without_licence)"
none "no two functions have one name" "$(functions_of_one_name)"
none "no two files have one name" "$(files_of_one_name)"
none "nothing is listed twice" "$(listed_twice)"
none "formats are listed in src/export alone" "$(formats_known_elsewhere)"
none "every unit test is in a list" "$(without_list)"
none "what captures is among those that run after the others" "$(captures_among_others)"
# The brackets keep these patterns from finding themselves.
none "no paths of one machine, no work left over" \
	"$(sources | xargs grep -nE '/[w]ork/|/[h]ome/[a-z]|\.\./[s]hared|\b(T[O]DO|F[I]XME|X[X]X)\b')"
finish
