#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# view.sh - the terminal view in a real terminal, on a made profile: no privileges needed.
. "$top_srcdir/tests/tui/tmux.sh"

FAKE=$top_builddir/tests/tui/fake-session
SBERF=${SBERF:?is set by make check}
CONTROL=$SCRATCH/control
mkfifo "$CONTROL"

# control COMMAND...: to the program that shows the view; gives up when nobody reads.
control() {
	timeout 20 bash -c 'echo "${*:2}" >"$1"' - "$CONTROL" "$@" || note "nobody reads commands: $*"
}

start() {
	terminal
	type_line "$FAKE ${1:-server} $CONTROL"
	wait_until 20 shows "q quit"
}

pid_of_view() {
	local shell
	shell=$(flag pane_pid)
	cat "/proc/$shell/task/$shell/children" 2>/dev/null
}

samples() {
	screen | grep -Eo '[0-9.]+k? samples'
}

row() {
	screen | grep -Eo '[0-9,]+ of [0-9,]+ rows'
}

moved() {
	[ "$(row)" != "$1" ]
}

no_colours() {
	! grep -Eq $'\e\\[(3[0-7]|38;|9[0-7])' <<<"$1"
}

changed() {
	[ "$(samples)" != "$1" ]
}

# The first screen
start
see "the target is named" '^ redis-server 1234 .*running'
see "rate, samples and time" '99 of 99 Hz .* samples .* 00:01'
see "losses are told to be none" '^ lost 0'
see "the hottest path is open" '▾ processCommand'
see "the status line says where the cursor is" '^ redis-server 1234 .*1 of [0-9]+ rows'

# Moving, folding
keys j j
see "down moves" '^ aeMain .*3 of [0-9]+ rows'
keys Enter
see "Enter closes" '▸ aeMain'
keys Enter
see "Enter opens" '▾ aeMain'
keys C
see "C closes everything" '^ redis-server 1234 .*1 of 2 rows'
keys Right Right Down
see "right opens" '▾ redis-server 1234'
keys C-x F7 '~' M-x IC
see "unknown keys do nothing" 'q quit'
keys E
see "E opens everything" 'vfs_fsync'
keys C H
see "H follows the hottest path to where it splits" '▾ call'
keys C L L
see "L goes to the heaviest child" '^ aeMain '
keys x
see "x goes to the parent" '^ main '
keys ']'
see "] goes to the next sibling" '^ start_thread '
keys '['
see "[ goes to the one before" '^ main '
keys E
keys G
see "G goes to the last line" ' ([0-9]+) of \1 rows'
keys g
see "g goes to the first" '1 of [0-9]+ rows'

keys -l $'\e[1;7C\e[?1;2c\e[<0;9;9M\eOQ\eC'
see "F2 is no key of ours, which is said" '^ that key does nothing here: \? lists those that do'
keys C-l
see "sequences that it does not know do nothing" '1 of [0-9]{2} rows'
keys -l $'\e[M )*'
see "a click moves the cursor" '([2-9]|[1-9][0-9]) of [0-9]{2} rows'
keys g

# Searching
keys / c o m m
see "the search counts while typing" '^ /comm.* 1 of 4'
keys Enter n
see "n goes on" '/comm  2 of 4'
keys N N
see "N goes back, round the end" '/comm  4 of 4'
keys Escape
see_not "Esc leaves the search" '/comm'

# Questions
keys t
see "t groups by executable" 'on-CPU · by executable'
keys t t t t t t
see "t comes round" 'on-CPU · by process'
keys i
see "i inverts" '· inverted'
keys i
see_not "i again is as before" '· inverted'
keys j z
see "z zooms" 'on-CPU · by process · in '
keys Escape
see_not "Esc leaves the zoom" ' · in '

# Help
keys '?'
see "? shows the keys" 'Space .*one page down'
keys q
see "q in help goes back" '[0-9]+ of [0-9]+ rows'

# Pause
keys p
see "p pauses the view" 'view paused'
before=$(samples)
check "the capture goes on" wait_until 20 changed "$before"
keys p
see_not "p again follows" 'view paused'

# Losses
control lose 12345
see "a loss is told with its remedy" '^ lost 12,345 ring_full: raise --ring-size or lower -F'

# Sizes
resize 20 5
see "20x5 shows the target, the loss and the tree" '^re?.*lost 12.3k|^ re.* lost 12.3k'
see "20x5 keeps the tree" '▌'
resize 40 10
see "40x10 has a footer" '\? help'
resize 1 1
resize 100 30
see "back at 100x30 everything is there" '^ redis-server 1234 .*running .*cpu-clock'
see "footer too" 'q quit  Enter open'

# Ctrl-Z and fg
keys C-z
see "Ctrl-Z gives the terminal to the shell" 'Stopped'
equal "on the normal screen" "0" "$(flag alternate_on)"
type_line fg
see "fg brings the view back" '^ redis-server 1234 .*running'
before=$(row)
keys j
check "and its keys" wait_until 20 moved "$before"

# Stopped and continued from outside
view=$(pid_of_view)
kill -STOP "$view"
see "SIGSTOP leaves to the shell" 'Stopped'
type_line fg
see "SIGCONT draws anew" '^ redis-server 1234 .*running .*cpu-clock'

before=$(row)
keys j
check "keys too" wait_until 20 moved "$before"

# The end of the target
control exit 3
see "the header says how it ended" '^ redis-server 1234 · exited with status 3'
see "and the status line" 'redis-server 1234 exited with status 3; what was seen stays'
before=$(row)
keys k
check "the view stays and moves" wait_until 20 moved "$before"
keys q
restored "after q"

# Endings
start
kill -TERM "$(pid_of_view)"
restored "after SIGTERM"
start
keys C-c
restored "after Ctrl-C"
start
control stop
restored "after being told to end"
type_line "ulimit -c 0; $FAKE server $CONTROL"
wait_until 20 shows "q quit"
kill -SEGV "$(pid_of_view)"
restored "after SIGSEGV"
type_line "$FAKE server $CONTROL"
wait_until 20 shows "q quit"
kill -ABRT "$(pid_of_view)"
restored "after SIGABRT"
type_line "$FAKE server $CONTROL"
wait_until 20 shows "q quit"
view=$(pid_of_view)
keys 'C-\'
check "Ctrl-\\ ends it" wait_until 20 gone "$view"
restored "after Ctrl-\\"

start
view=$(pid_of_view)
tm kill-server
check "a terminal that is gone ends it" wait_until 20 gone "$view"
terminal
type_line "trap '' HUP; $FAKE server $CONTROL"
wait_until 20 shows "q quit"
view=$(pid_of_view)
tm kill-server
check "also when SIGHUP is ignored" wait_until 20 gone "$view"

# Waiting
start waiting
see "it says what it waits for" 'waiting for redis-server 1234 to run on a CPU'
control run
see "and shows the tree when there is one" '▾ processCommand'
control kill 9
see "killed" 'killed by SIGKILL'

# Before there is anything to show
terminal
type_line "$FAKE begin $CONTROL"
see "it says at once what it attaches to" '^ attaching to redis-server 1234 \.\.\.'
control begin 0
see "then the tree is there" '▾ processCommand'
see "and what the user should know" '^ there is something to be known'
keys Down
see_not "until the next key" 'there is something to be known'
terminal
type_line "$FAKE begin $CONTROL"
see "it attaches again" '^ attaching to redis-server'
control begin 1
see "what goes wrong is a sentence" '^fake-session: cannot begin'
restored "after a beginning that went wrong"

# Names from hell
start hostile
see "names are shown" '▾ app 7'
see "escape sequences are text" '\[2J.*\[31mred'
see "wide characters align" '漢字関数 .* 12.6 %'
keys E G
see "all of it" ' ([0-9]+) of \1 rows'
equal "no title was set, no screen cleared" "0" "$(screen | head -n 3 | grep -c '^ *$')"

# Time off the CPU
start off
see "a level for each kind" '^ running .* cores · blocked .* · runnable'
see "a column for each kind" 'all time · by process .*running runnable  blocked'
see "idle waits have a line" 'idle waits of 5 threads'
keys w
see "w shows them" 'with idle'
see "under their functions" 'epoll_wait'
keys w
see_not "and hides them" 'with idle'
keys 1
see "1 hides running time" ' off-CPU · by process'
keys u
see "u hides time in the run queue" ' blocked · by process'
keys 1 u
see "both come back" 'all time · by process'
keys W
see "W says what it costs" 'wakers on: each new wait names the thread that ended it; costs more'
keys 5
see "5 lists functions beside the tree" '━━ [0-9]+ functions · all time .*↓self .* total'
keys / d i c t H a s h Enter Enter
see "Enter on one leads to it in the tree" '━━ all time · by process'
see "under its callers" '▌ +dictHashKey'
keys Escape
see_not "Esc leaves that search" '/dictHash'
keys 5
see_not "5 hides them again" 'functions · all time'
keys 8
see "8 tells how good figures are" 'stacks of waits: 100\.0 % of [0-9,]+ complete'
see "and that nothing was lost" 'lost events: none'
keys 8
see_not "8 hides it again" 'lost events: none'
keys 4
see "4 lists threads, and what they do" '━━ [0-9]+ threads · all time .* now .*↓running'
keys / b i o _ Enter Enter
see "Enter leaves only that one" 'filter: thread:1236'
keys Escape
see_not "Esc leaves that search" '/bio_'
keys Escape
see_not "and then the filter" 'filter: '
keys 4
keys 6 m
see "6 lists the waits" ' waits .*total .*count .*avg .*longest'
see "by class and call" '▾ I/O '
keys / f s y n c Enter
see "with a search" '/fsync  1 of'
keys Escape
see_not "Esc leaves the search" '/fsync'
keys Escape
see "and again the list" 'all time · by process'
start deadlock
see "a standstill is said in the header" '2 threads waiting for locks for 12.0 s'
see "and on its lines" 'still waiting 12.0 s'
keys 6 m
see "each thread with its stack" 'left 8 · waiting for a lock for 12.0 s · .*take_right'
start sleeper
see "idle waits are better than nothing" 'take_a_nap'

# Which panes were open
mkdir "$SCRATCH/config"
terminal "XDG_CONFIG_HOME=$SCRATCH/config"
type_line "$FAKE off"
see "one pane at first" '^── all time · by process'
keys 6
see "two now" '━━ waits'
keys q
see "the view ended" "^$PROMPT *\$"
equal "they are kept" "panes tree waits" "$(grep ^panes "$SCRATCH/config/sberf/view")"
equal "nothing else is left there" view "$(ls -A "$SCRATCH/config/sberf")"
type_line "$FAKE off"
see "two panes at once, the next time" '━━ waits'
keys q
see "that view ended" "^$PROMPT *\$"
echo "panes tree nonsense" >"$SCRATCH/config/sberf/view"
type_line "$FAKE off"
see "a damaged file is ignored, and named" 'sberf/view is damaged at line 1: it is ignored'
see "one pane then" '^── all time · by process'

# Nodes
start numa
keys 3 m
see "key 3 tells nodes, distances and what is far" '^(──|━━) numa · 4 nodes, distances 10/21/31 · far accesses ~40\.0 % of 300 addressed samples'
see "a node without CPUs is told" 'node 2 +no CPU'
see "accesses from node to node stand beside" 'node 3 +5\.8 % .*~40 +· +· +~40$'
matches "what is far is magenta" $'\e\\[38;5;133m40' "$(screen -e)"
keys j j j j Enter
see "Enter on a node leaves only that" 'filter: node:3'
resize 60 20
see "on a narrow screen accesses have a part of their own" '▾ accesses from .* mem 0 +1 +2 +3'
keys Escape
see_not "Escape shows all nodes again" 'filter: '
keys Escape
see "and leads back to the tree" '^── .*by process'

# Colours
terminal
type_line "$FAKE"
wait_until 20 shows "q quit"
matches "there are colours" $'\e\\[38;5;28m' "$(screen -e)"
terminal NO_COLOR=1
type_line "$FAKE"
wait_until 20 shows "q quit"
check "NO_COLOR has none" no_colours "$(screen -e)"
terminal NO_COLOR=
type_line "$FAKE"
wait_until 20 shows "q quit"
matches "an empty NO_COLOR counts as none" $'\e\\[38;5;28m' "$(screen -e)"
terminal LC_ALL=C
type_line "LC_ALL=C $FAKE"
see "without UTF-8 it is ASCII" '^> - redis-server 1234 .*####'
equal "only ASCII" "0" "$(screen | LC_ALL=C grep -c '[^ -~]')"

# Where it cannot draw
terminal
type_line "TERM=dumb $FAKE; echo status \$?"
see "TERM=dumb gets a sentence" '^fake-session: fake-session cannot draw on TERM=dumb'
see "and status 1" '^status 1'
terminal
type_line "env -u TERM $FAKE; echo status \$?"
see "no TERM gets one" 'TERM is not set'
terminal
type_line "TERM=nonsense $FAKE; echo status \$?"
see "an unknown TERM gets one" 'TERM=nonsense is unknown here'
terminal
type_line "$FAKE | cat; echo status \${PIPESTATUS[0]}"
see "a pipe gets one" 'standard output is none'
see "with status 1" '^status 1'

# What is shown, as a file of a kind that is asked for, under a name that nothing has.
mkdir "$SCRATCH/saved"
echo mine >"$SCRATCH/saved/sberf-1.svg"
terminal
type_line "cd $SCRATCH/saved && $FAKE server"
wait_until 20 shows "q quit"
keys S
see "S asks what to save as" '^ save what is shown as:'
see "with the letters" '^ s SVG  h HTML  p pprof  f folded  r recording  Esc back'
keys S
see "S again saves a flame graph and says where" '^ saved as sberf-2\.svg \([0-9]+ KB\)'
equal "what was there stays" mine "$(cat "$SCRATCH/saved/sberf-1.svg")"
matches "the graph has what is shown" 'processCommand' "$(cat "$SCRATCH/saved/sberf-2.svg")"
matches "and is whole" '</svg>$' "$(cat "$SCRATCH/saved/sberf-2.svg")"
keys S x
see "a letter that is none changes nothing" '^ save what is shown as:'
keys Escape
see_not "Esc saves nothing" '^ save what is shown as:'
keys / w r i t e T o C l i e n t Enter z
see "zoomed in" 'in writeToClient'
keys S f
see "f saves folded stacks" '^ saved as sberf-1\.folded'
equal "only what is zoomed into" "" "$(grep -v '^redis-server 1234;main;aeMain;writeToClient' "$SCRATCH/saved/sberf-1.folded")"
check "and all of it" grep -q 'writeToClient;memcpy ' "$SCRATCH/saved/sberf-1.folded"
keys S h
see "h saves a page" '^ saved as sberf-1\.html'
matches "that says what it shows" 'redis-server 1234: on-CPU · by process · in writeToClient' \
	"$(cat "$SCRATCH/saved/sberf-1.html")"
keys Escape
see_not "Esc leaves the search" '/writeToClient'
keys Escape
see_not "and the zoom" ' in writeToClient'
keys i
see "inverted" '· inverted'
keys S f
see "that is saved, too" '^ saved as sberf-2\.folded'
check "functions come first that were innermost" grep -q '^redis-server 1234;memcpy;writeToClient;aeMain;main ' \
	"$SCRATCH/saved/sberf-2.folded"
keys S p
see "p saves for pprof" '^ saved as sberf-1\.pb\.gz'
check "in gzip" gzip -t "$SCRATCH/saved/sberf-1.pb.gz"
keys S r
see "r saves a recording" '^ saved as sberf-1\.sberf'
check "which is sound" "$SBERF" check "$SCRATCH/saved/sberf-1.sberf"
matches "and has what is shown" 'main;aeMain;writeToClient;memcpy ' \
	"$("$SBERF" report --format folded "$SCRATCH/saved/sberf-1.sberf")"
resize 80 9
keys S
see "where there is no footer the letters are in the question" '^ save as: s SVG h HTML p pprof f folded r recording Esc back'
keys Escape
see_not "Esc saves nothing there" '^ save as:'
resize 100 30
keys q
restored "after saving"
terminal
type_line "cd $SCRATCH/saved && rmdir ../gone 2>/dev/null; mkdir ../gone && cd ../gone && rmdir ../gone && $FAKE server"
wait_until 20 shows "q quit"
keys S s
see "where nothing can be written, it says so, and what helps" \
	"^ cannot save sberf-1.svg: No such file or directory; start sberf in another directory"
keys q
restored "after not saving"

# Many stacks: keys stay quick. E opens what is there, so all of them are waited for before.
start
control big 2000
see "2,000 stacks are there" ' 3\.[0-9]k samples '
keys E
see "all of them are opened" ' of [0-9]+,[0-9]+ rows'
keys G
see "to the end" ' ([0-9]+,[0-9]+) of \1 rows'
control big 50000
see "50,000 are there" ' 5[0-9]\.[0-9]k samples '
keys E
see "of these, what weighs most" '^ too many lines for all: opened what has [0-9.]+ % or more'
keys G
see "to their end" ' ([0-9,]+) of \1 rows'
keys q
restored "after many stacks"

finish
