#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# hostile.sh - a program whose file, threads and functions have names made to break screens: escape sequences, newlines, marks that turn
# the direction, invalid UTF-8, wide characters, combining marks, emoji joined by ZWJ. In every pane of the live view and of its recording
# nothing of that takes effect, and all columns stand where they stand without it, as the terminal itself counts columns.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
command -v objcopy >/dev/null || skip_all "no objcopy"

functions=(
	$'esc\e[2J\e[31mred\e]0;owned\a'
	$'two\nlines\rback\ttab'
	$'turned\u202emorf-ot\u202c\u2066isolated\u2069'
	$'broken\xff\xc3(\xe2\x82'
	$'fire\U1F525math\U1D54F'
	$'\u6f22\u5b57\u95a2\u6570\uff34'
	$'marks e\u0301a\u0300\u0301\u0302\u0303o\u20dd'
	$'family\U1F468\u200d\U1F469\u200d\U1F467\U1F1E9\U1F1EA\u2764\ufe0f'
	$'bidi \u05d0\u05d1\u05d2 \u0627\u0644\u0639'
	$'c1\xc2\x9b31m nul-ish\u200b\ufeff'
)
threads=($'\e[2J\e]0;own' $'\u6f22\u5b57\u6f22\u5b57' $'a\nb\rc' $'\u202eflip' $'e\u0301\U1F525\xff')

{
	echo '#define _GNU_SOURCE'
	echo '#include <pthread.h>'
	echo '#include <stdio.h>'
	echo '#include <sys/prctl.h>'
	echo '#include <unistd.h>'
	echo 'static volatile unsigned long n;'
	# Busy enough to be seen, and no more: it runs beside all that is looked at here.
	for i in "${!functions[@]}"; do
		echo "__attribute__((noinline)) void hostile_$i(void) { for (unsigned int i = 0; i < 400000; i++) n += i; usleep(2000); n++; }"
	done
	echo 'extern const char *const names[];'
	echo 'static void *run(void *name) { prctl(PR_SET_NAME, name); for (;;) {'
	for i in "${!functions[@]}"; do echo "hostile_$i();"; done
	echo '} return NULL; }'
	echo 'const char *const names[] = {'
	for name in "${threads[@]}"; do printf '"%s",\n' "$(printf %s "$name" | od -An -tx1 | tr -d '\n' | sed 's/ /\\x/g')"; done
	echo '};'
	echo 'int main(void) { pthread_t t; for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)'
	echo 'pthread_create(&t, NULL, run, (void *)names[i]); puts("ready"); fflush(stdout); pause(); return 0; }'
} >"$SCRATCH/hostile.c"
rename=()
for i in "${!functions[@]}"; do rename+=(--redefine-sym "hostile_$i=${functions[i]}"); done
program=$SCRATCH/$'evil\e[31m\u6f22\nname'
${CC:-cc} -O1 -fno-inline -pthread -o "$SCRATCH/plain" "$SCRATCH/hostile.c" && objcopy "${rename[@]}" "$SCRATCH/plain" "$program"
result $? "such a program can be made"

"$program" >"$SCRATCH/ready" &
target=$!
also_kill "$target"
wait_until 30 grep -q ready "$SCRATCH/ready"

# The column before the first % of each line, as the terminal counts.
columns_of() {
	local line
	while IFS= read -r line; do
		tm set -g @line "${line%%%*}"
		tm display-message -p '#{w:@line}'
	done
}

# aligned TITLE: the first figures of all lines of the pane end in columns for figures, which are nine wide.
aligned() {
	local found
	found=$(screen | sed -n 5,28p | grep -E '[0-9] %( |$)' | columns_of | awk '{ print $1 % 9 }' | sort -n | uniq -c)
	note "$1: $(tr '\n' ';' <<<"$found")"
	equal "$1: figures end in their columns" 1 "$(grep -c . <<<"$found")"
}

ends_in_footer() {
	screen | sed -n 30p | grep -q 'q quit'
}

# intact TITLE: nothing has cleared the screen, scrolled it, or set the title; the last line is still the last.
intact() {
	see "$1: the footer is where it was" 'q quit'
	check "$1: it is the last line" wait_until 20 ends_in_footer
	matches "$1: the header is the first" 'running|recorded|ended|exited|killed' "$(screen | sed -n 1p)"
	equal "$1: no control characters" 0 "$(screen | LC_ALL=C grep -c $'[\x01-\x09\x0b-\x1f\x7f]')"
	equal "$1: no marks that turn the direction" 0 "$(screen | LC_ALL=C grep -c $'\xe2\x80[\xaa-\xae]\\|\xe2\x81[\xa6-\xa9]')"
	[ "$(flag pane_title)" != owned ]
	result $? "$1: the title is not theirs"
}

panes() {
	see "$1, tree: it is there" '▾ clone3'
	keys C l l l l l l l l
	see "$1, tree: wide characters are shown" $'\u6f22\u5b57\u95a2\u6570'
	see "$1, tree: what clears screens is text" 'esc.*\[2J'
	keys C-l
	intact "$1, tree"
	keys 5 m
	see "$1, functions: names are shown" 'two.*lines'
	keys C-l
	intact "$1, functions"
	aligned "$1, functions"
	keys 5 4 m
	see "$1, threads: names are shown" $'\u6f22\u5b57\u6f22\u5b57 [0-9]+'
	keys C-l
	intact "$1, threads"
	keys 4 6 m E
	see "$1, waits: names are shown" ' waits .*total'
	keys C-l
	intact "$1, waits"
	keys 6 7 m
	see "$1, flame: names are shown" ' flame'
	keys C-l
	intact "$1, flame"
	keys 7 8 m
	intact "$1, quality"
	keys 8 3 m
	intact "$1, numa"
	keys 3 / f i r e Enter
	see "$1: they are found" '/fire  1 of'
	intact "$1, search"
	keys Escape
	for size in '40 10' '20 5' '100 30'; do
		# shellcheck disable=SC2086
		resize $size
	done
	intact "$1, after other sizes"
	keys q
	restored "$1"
}

terminal
type_line "$SBERF top -e cpu-clock -F 499 -p $target"
see "the target is named" '^ .*evil.*running'
panes live
record "$SCRATCH/hostile.data" -F 499 -p "$target" --duration 2s
result $? "recorded"
type_line "clear; $SBERF report $SCRATCH/hostile.data"
see "a recording names it too" '^ .*evil'
panes recorded
finish
