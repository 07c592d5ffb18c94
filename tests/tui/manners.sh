#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# manners.sh - whatever ends or interrupts the view, the terminal is as it was before, to the last setting; and what cannot draw says so
# in a sentence. On a made profile: no privileges needed.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99

FAKE=$top_builddir/tests/tui/fake-session
SBERF=${SBERF:?is set by make check}
pid_of_view() {
	local shell
	shell=$(flag pane_pid)
	cut -d ' ' -f 1 "/proc/$shell/task/$shell/children" 2>/dev/null
}

# The line settings, as a program in the terminal reads them from it.
settings() {
	stty -a <"$(flag pane_tty)" | grep -v rows
}

same_settings() {
	[ "$(settings)" = "$before" ]
}

# What tmux knows of a terminal that programs can have changed.
modes() {
	flag 'alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag} #{keypad_flag} #{keypad_cursor_flag} #{insert_flag} #{wrap_flag} #{origin_flag'
}

same_modes() {
	[ "$(modes)" = "$modes_before" ]
}

not() {
	! "$@"
}

# A shell that leaves the terminal to the programs it runs, and mends nothing behind them.
begin() {
	terminal
	type_line "cd $SCRATCH; ulimit -c 0; exec $(command -v dash || echo bash --noediting) -i"
	type_line 'clear; echo a new shell'
	see "a shell" '^a new shell'
	before=$(settings)
	modes_before=$(modes)
}

show() {
	type_line "clear; $FAKE ${1-server}"
	wait_until 20 shows "q quit" || note "the view does not come: $(screen)"
	view=$(pid_of_view)
}

# as_before TITLE
as_before() {
	check "$1: the view ends" wait_until 20 gone "$view"
	see "$1: the shell is back" "^$PROMPT *\$"
	check "$1: the line settings are as before" wait_until 20 same_settings
	check "$1: so are screen, cursor, mouse and keys" wait_until 20 same_modes
	[ "$(settings)" = "$before" ] || note "$(diff <(echo "$before") <(settings))"
	[ "$(modes)" = "$modes_before" ] || note "wanted $modes_before, got $(modes)"
}

# Every way to end, with the modes really changed before.
begin
show
check "the view changes the line settings" wait_until 20 not same_settings
matches "and takes screen, cursor and mouse" '^1 0 1 ' "$(modes)"
keys q
as_before "q"
show
keys C-c
as_before "Ctrl-C"
show
keys 'C-\'
as_before "Ctrl-\\"
for signal in TERM INT HUP QUIT SEGV BUS FPE ILL ABRT SYS TRAP; do
	show
	kill "-$signal" "$view"
	as_before "SIG$signal"
done

# In the middle of a question, of help, of a search
for key in S / '?' o; do
	show
	keys "$key"
	kill -TERM "$view"
	as_before "SIGTERM after $key"
done

# Stopped, the terminal is the shell's; continued, it is all there again, at the size of then.
show off
for way in key signal; do
	if [ "$way" = key ]; then keys C-z; else kill -TSTP "$view"; fi
	see "stopped by $way: the shell is back" "^$PROMPT *\$"
	check "stopped by $way: the line settings are as before" wait_until 20 same_settings
	check "stopped by $way: so are screen, cursor, mouse and keys" wait_until 20 same_modes
	resize 60 20
	type_line "echo here; fg"
	see "continued after $way: drawn at the new size" '^ redis-server 1234 .*'
	see "continued after $way: to the last line" 'q quit'
	matches "continued after $way: it has screen, cursor and mouse" '^1 0 1 ' "$(modes)"
	check "continued after $way: and the line settings" wait_until 20 not same_settings
	keys End
	see "continued after $way: keys work" ' ([0-9]+) of \1 rows$'
	keys Home
	resize 100 30
	see "continued after $way: and so does a new size" 'all time · by process .*running runnable  blocked'
done
# A storm of sizes ends in the last one.
for size in '20 5' '1 1' '2 40' '200 2' '1 1' '200 60' '40 10' '20 5'; do
	# shellcheck disable=SC2086
	resize $size
done
see "20x5 shows the tree" '▌'
resize 100 30
see "and back" '^ redis-server 1234 .*running .*cpu-clock'
see "to the last line" 'q quit'
keys q
as_before "after all that"

# A stopped view that is killed leaves nothing behind.
show
keys C-z
see "stopped once more" 'Stopped'
kill -TERM "$view"
type_line 'fg'
as_before "SIGTERM while it was stopped"

# A terminal that goes away while it draws: it ends, and does not spin.
show
keys E
tm kill-pane
check "the terminal is gone: so is the view" wait_until 20 gone "$view"
begin
show
kill -STOP "$view"
tm kill-server
kill -CONT "$view"
check "the terminal went while it was stopped: so does the view" wait_until 20 gone "$view"

# Terminals of all kinds: what they have is used, and no more.
colours() {
	screen -e | grep -Eo $'\e\\[[0-9;]*m' | tr -c '0-9\n' '\n' | sort -u | tr '\n' ' '
}

# on TERM [NAME=VALUE...]: shows it on such a terminal
on() {
	begin
	type_line "clear; env ${*:2} TERM=$1 $FAKE off"
	see "TERM=$1 ${*:2}: it draws" '^ redis-server 1234 .*running'
	see "TERM=$1 ${*:2}: a tree" '▾ redis-server 1234|- redis-server 1234'
	view=$(pid_of_view)
	got=" $(colours)"
	note "TERM=$1 ${*:2}: $got"
	keys Down Down
	see "TERM=$1 ${*:2}: keys work" '3 of [0-9]+ rows'
	keys q
	as_before "TERM=$1 ${*:2}"
}

on xterm-256color
matches "256 colours" ' 38 .*' "$got"
on screen-256color
on tmux-256color
# Not every machine knows one of 16.
tic -o "$SCRATCH/terminfo" - <<'EOF'
of16|xterm with 16 colours, colors#16, pairs#256, setaf=\E[%?%p1%{8}%<%t3%p1%d%e9%p1%{8}%-%d%;m,
	setab=\E[%?%p1%{8}%<%t4%p1%d%e10%p1%{8}%-%d%;m, use=xterm,
EOF
result $? "a terminal of 16 colours is made"
on of16 TERMINFO="$SCRATCH/terminfo" SBERF_THEME=dark
matches "16 colours on a dark background have green for running" ' 32 ' "$got"
on of16 TERMINFO="$SCRATCH/terminfo"
matches "16 colours have red for blocked" ' 31 ' "$got"
equal "and on an unknown background nothing that white or black hides" "" "$(grep -Eo ' (32|33|34|36|37|38) ' <<<"$got")"
on xterm COLORFGBG="'15;0'"
matches "8 colours on a background that is told to be dark" ' 32 ' "$got"
on xterm COLORFGBG="'0;15'"
equal "8 colours on a light one: no green, yellow or cyan" "" "$(grep -Eo ' (32|33|34|36|37|38) ' <<<"$got")"
on linux
matches "the console is dark" ' 32 ' "$got"
on screen
on vt100
equal "vt100 has no colours" "" "$(grep -Eo ' (3[0-8]|9[0-7]) ' <<<"$got")"
on xterm-256color NO_COLOR=1
equal "nor has NO_COLOR" "" "$(grep -Eo ' (3[0-8]|9[0-7]) ' <<<"$got")"

# Nowhere to draw: a sentence, a status, and what to do instead.
begin
refused() {
	type_line "clear; $2; echo status=\$?"
	see "$1: a sentence" "$3"
	see "$1: status 1" '^status=1'
	see "$1: what to do instead" 'fake -b needs'
	check "$1: the line settings are as before" wait_until 20 same_settings
}
refused "TERM=dumb" "TERM=dumb $FAKE" '^fake-session: fake-session cannot draw on TERM=dumb'
refused "no TERM" "env -u TERM $FAKE" 'TERM is not set'
refused "an empty TERM" "TERM= $FAKE" 'TERM is not set'
refused "an unknown TERM" "TERM=nonsense $FAKE" 'TERM=nonsense is unknown here'
refused "output that is no terminal" "$FAKE 2>err.txt >out.txt; s=\$?; cat err.txt; (exit \$s)" 'standard output is none'
refused "input that is no terminal" "$FAKE </dev/null" 'standard input is none'
finish
