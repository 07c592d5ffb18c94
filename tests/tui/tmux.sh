# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# tmux.sh - sourced by tests of the terminal view: a terminal of 100x30 with a shell in it, on a tmux server of its own.
# Nothing here sleeps for a time that was guessed: everything waits for what the screen shows.
#
#	. "$top_srcdir/tests/tui/tmux.sh"
#	terminal                        # a fresh one; the former is gone
#	type_line 'prog args'           # into the shell
#	keys j Enter                    # as tmux names them
#	see "a sentence" 'regex'        # a subtest: the screen shows it, sooner or later
. "$top_srcdir/tests/tap.sh"

command -v tmux >/dev/null || skip_all "needs tmux"
export LC_ALL=C.UTF-8
unset NO_COLOR TMUX COLUMNS LINES
TUI_NR=0
TUI_MISSED=0
TUI_SOCKET=$SCRATCH/tmux0
PROMPT='READY>'

tm() {
	tmux -S "$TUI_SOCKET" -f /dev/null "$@"
}

tui_cleanup() {
	tm kill-server 2>/dev/null
	tap_cleanup
}
trap tui_cleanup EXIT

# terminal [NAME=VALUE...]: a new terminal, with these in the shell's environment. Each has a server of its own, because one that
# was told to end may still be there when the next one starts.
terminal() {
	local env=(-e XDG_CONFIG_HOME=/dev/null) attempt         # nothing is remembered there
	for v; do
		env+=(-e "$v")
	done
	for attempt in 1 2 3; do
		tm kill-server 2>/dev/null
		TUI_NR=$((TUI_NR + 1))
		TUI_SOCKET=$SCRATCH/tmux$TUI_NR
		tm -u new-session -d -x 100 -y 30 ${env[@]+"${env[@]}"} "PS1='$PROMPT ' exec bash --norc --noprofile -i" \; \
			set -g default-terminal screen-256color \; set -g status off && wait_until 20 shows "^$PROMPT" && return
		note "no terminal at attempt $attempt"
	done
	echo "Bail out! tmux gives no terminal"
	exit 1
}

screen() {
	tm capture-pane -p "$@"
}

shows() {
	screen | grep -Eq -- "$1"
}

shows_not() {
	! shows "$1"
}

type_line() {
	tm send-keys -l "$1"
	tm send-keys Enter
}

typed() {
	tm send-keys -l "$1"
	[ $# -lt 2 ] || tm send-keys "${@:2}"
}

keys() {
	tm send-keys "$@"
}

# Each missed sight takes its whole time: after a few there is no point in going on.
missed() {
	note "$1"
	note "$(screen 2>&1)"
	result 1 "$2"
	TUI_MISSED=$((TUI_MISSED + 1))
	[ "$TUI_MISSED" -lt 5 ] && return
	echo "Bail out! too much is not on screen"
	exit 1
}

# see TITLE REGEX: the screen comes to show a line that matches.
see() {
	if wait_until 20 shows "$2"; then
		result 0 "$1"
	else
		missed "wanted on screen: $2" "$1"
	fi
}

# see_not TITLE REGEX: the screen comes to show no such line.
see_not() {
	if wait_until 20 shows_not "$2"; then
		result 0 "$1"
	else
		missed "not wanted on screen: $2" "$1"
	fi
}

flag() {
	tm display-message -p "#{$1}"
}

# restored TITLE: the shell is back on the normal screen, with cursor, echo and no mouse.
restored() {
	see "$1: the shell is back" "^$PROMPT *\$"
	equal "$1: screen, cursor and mouse as before" "0 1 0" "$(flag alternate_on) $(flag cursor_flag) $(flag mouse_any_flag)"
	type_line 'echo "$((40 + 2))"; stty -a | grep -q " echo " && stty -a | grep -q " icanon " && echo sa''ne'
	see "$1: the line settings as before" '^sane'
}

# started COMMAND: the newest process of this terminal with that command line. Other tests may run the same beside it.
started() {
	pgrep -n -x -f -s "$(flag pane_pid)" "$1"
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

resize() {
	tm resize-window -x "$1" -y "$2"
}
