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
TUI_SOCKET=$SCRATCH/tmux
PROMPT='READY>'

tm() {
	tmux -S "$TUI_SOCKET" -f /dev/null "$@"
}

tui_cleanup() {
	tm kill-server 2>/dev/null
	tap_cleanup
}
trap tui_cleanup EXIT

# terminal [NAME=VALUE...]: a new terminal, with these in the shell's environment.
terminal() {
	local env=()
	for v; do
		env+=(-e "$v")
	done
	tm kill-server 2>/dev/null
	wait_until 10 no_server
	tm -u new-session -d -x 100 -y 30 ${env[@]+"${env[@]}"} "PS1='$PROMPT ' exec bash --norc --noprofile -i" \; \
		set -g default-terminal screen-256color \; set -g status off
	tm set -g remain-on-exit off
	wait_until 10 shows "^$PROMPT"
}

no_server() {
	! tm has-session
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

keys() {
	tm send-keys "$@"
}

# see TITLE REGEX: the screen comes to show a line that matches.
see() {
	if wait_until 20 shows "$2"; then
		result 0 "$1"
	else
		note "wanted on screen: $2"
		note "$(screen)"
		result 1 "$1"
	fi
}

# see_not TITLE REGEX: the screen comes to show no such line.
see_not() {
	if wait_until 20 shows_not "$2"; then
		result 0 "$1"
	else
		note "not wanted on screen: $2"
		note "$(screen)"
		result 1 "$1"
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

resize() {
	tm resize-window -x "$1" -y "$2"
}
