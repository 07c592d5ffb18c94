#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Recording while one watches, in a real terminal (tmux): begun and ended by a key, kept by a flight recorder, on a disk that is full,
# and what becomes of it when the target or the view ends.
. "$top_srcdir/tests/tui/tmux.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture

HERE=$SCRATCH/here
mkdir "$HERE"

sound() {
	"$SBERF" check "$HERE/$1" >/dev/null 2>&1
}

# has_burnt FILE: it has functions of the target, by name
has_burnt() {
	"$SBERF" report --format folded "$HERE/$1" 2>/dev/null | grep -q 'burn_50'
}

start_workload shares
result $? "workload is ready"
terminal
type_line "cd $HERE"
type_line "$SBERF top -e cpu-clock -F 499 -p $workload"
see "a tree with data" '▾ main'
keys R
see "R records" '^ recording into sberf-1\.sberf from now on; R ends it'
see "the header says so, with the size" "^ shares $workload .* recording [1-9][0-9.]* (KB|MB)"
keys R
see "R again ends it" ' are recorded in sberf-1\.sberf \([0-9.]+ KB\)'
see_not "and so does the header" "^ shares $workload .* recording"
check "the recording is sound" sound sberf-1.sberf
check "with names" has_burnt sberf-1.sberf
at_least "with samples" 1 "$(value "$HERE/sberf-1.sberf" oncpu_samples)"
equal "with its end" yes "$(value "$HERE/sberf-1.sberf" complete)"
# The tree was there before: so the capture is older than the recording.
elapsed=$(screen | sed -n 's/.* 00:\([0-9:]*\) *$/\1/p' | head -n 1 | awk -F: '{ print $1 * 60 + $2 + 1 }')
check "about itself alone" awk -v a="$(value "$HERE/sberf-1.sberf" duration_seconds)" -v b="$elapsed" 'BEGIN { exit !(a > 0 && a < b) }'

# Two recordings of one capture are parts of it, and go together.
keys R
see "another one" '^ recording into sberf-2\.sberf'
see "goes on" "recording [1-9][0-9.]* (KB|MB)"
keys q
see "leaving the view ends it, and says where it is" '^sberf top: .* are recorded in sberf-2\.sberf \('
restored "after recording"
check "it is sound" sound sberf-2.sberf
check "both make one" "$SBERF" merge "$HERE/sberf-1.sberf" "$HERE/sberf-2.sberf" -o "$HERE/both.data"

# A page of what is shown, for a browser: U tells its address, the same each time. It ends with the view.
type_line "clear; $SBERF top -e cpu-clock -F 499 -p $workload"
see "a tree again" '▾ main'
keys U
see "U tells an address" '^ http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/ *$'
url=$(screen | sed -n 's,^ \(http://127[^ ]*/\).*,\1,p')
keys j
see_not "until the next key" '^ http:'
if command -v python3 >/dev/null; then
	check "somebody answers there" python3 -c "
import json, urllib.request
whole = json.load(urllib.request.urlopen('${url}snapshot?pane=functions'))
assert any(row[1] == 'burn_50' for row in whole['list']['rows']), whole['list']"
fi
keys U
see "U tells the same address again" "^ ${url//./\\.} *$"
keys q
restored "after a page"
if command -v python3 >/dev/null; then
	check "nobody answers any more" python3 -c "
import urllib.error, urllib.request
try:
	urllib.request.urlopen('$url')
except urllib.error.URLError:
	pass
else:
	raise SystemExit('somebody does')"
fi

# A flight recorder.
type_line "clear; $SBERF top -e cpu-clock -F 499 --keep 1h -p $workload"
see "the header says that a flight recorder runs" "^ shares $workload .* keeps 1h00: [1-9][0-9.]* (KB|MB)"
check "nothing is written" test ! -e "$HERE/sberf-3.sberf"
# What a page says of a range, after what was in it has settled.
if command -v python3 >/dev/null; then
	keys U
	see "U tells an address here, too" '^ http://127'
	url=$(screen | sed -n 's,^ \(http://127[^ ]*/\).*,\1,p')
	read -r page_from page_to total < <(python3 -c "
import json, time, urllib.request
def ask(path):
	return json.load(urllib.request.urlopen('$url' + path))
while (seen := ask('snapshot?from=0s&to=1900ms'))['head']['duration'] < seen['range'][1] + 5 * 10 ** 9:
	time.sleep(0.1)
whole = ask('export.json?from=%dns&to=%dns' % tuple(seen['range']))['tree'][0]
print(*seen['range'], ' '.join(str(whole[k]) for k in ('total_ns', 'running_ns', 'count')))")
	matches "a page has the totals of a range" "^[1-9][0-9]* [1-9][0-9]* [1-9][0-9]*\$" "$total"
fi
keys R
see "R writes what is kept" '^ the last [0-9.]+ .* are in sberf-3\.sberf \('
check "which is sound" sound sberf-3.sberf
view=$(pgrep -o -x -f "$SBERF top -e cpu-clock -F 499 --keep 1h -p $workload")
keys j
see_not "the message goes with the next key" 'sberf-3\.sberf'
kill -USR2 "$view"
see "SIGUSR2 does the same" '^ the last [0-9.]+ .* are in sberf-4\.sberf \('
check "its file is sound" sound sberf-4.sberf
check "with names" has_burnt sberf-4.sberf
see "the recorder goes on" 'keeps 1h00: '
keys q
see "at the end it writes once more" '^sberf top: the last .* are in sberf-5\.sberf \('
restored "after the flight recorder"
check "the last file is sound" sound sberf-5.sberf
if command -v python3 >/dev/null; then
	equal "a range has the totals that a page had of it" "$total" "$("$SBERF" report --format json --time "${page_from}ns,${page_to}ns" "$HERE/sberf-5.sberf" 2>/dev/null |
		python3 -c 'import json, sys; whole = json.load(sys.stdin)["tree"][0]; print(whole["total_ns"], whole["running_ns"], whole["count"])')"
fi
check "and has no less" test "$(value "$HERE/sberf-5.sberf" oncpu_samples)" -ge "$(value "$HERE/sberf-4.sberf" oncpu_samples)"

# A disk that is full: the view goes on, and so may another recording.
mkdir "$SCRATCH/full"
type_line "clear; cd $SCRATCH/full; (ulimit -f 8; $SBERF top -e cpu-clock -F 999 -p $workload)"
see "on a disk that is full" '▾ main'
keys R
see "it says what happened, and that the view goes on" '^ cannot write to sberf-1\.sberf: File too large; .*'
see_not "nothing is being recorded any more" 'recording [0-9.]+ (KB|B|MB)'
keys i
see "the view goes on, and answers" '· inverted'
matches "what was written can be read" 'main' "$("$SBERF" report --format folded "$SCRATCH/full/sberf-1.sberf" 2>/dev/null)"
keys R
see "recording can be tried again" '^ (recording into|cannot write to) sberf-2\.sberf'
keys q
see "it ends" "^$PROMPT *\$"

# The end of the target ends the recording, too.
type_line "clear; cd $HERE; $SBERF top -e cpu-clock -F 499 -p $workload"
see "another view" '▾ main'
keys R
see "records" '^ recording into sberf-6\.sberf'
see "with the size" "recording [1-9][0-9.]* (KB|MB)"
stop_workload
see "the target's end is told" 'killed by SIGKILL'
see "and where the recording is" ' are recorded in sberf-6\.sberf \('
see_not "which is over" '^ shares .* recording [0-9]'
check "it is sound" sound sberf-6.sberf
keys q
restored "after the target's end"

# A flight recorder that writes by itself: on a condition, and no more files than it may.
start_workload shares
mkdir "$HERE/when"
type_line "clear; cd $HERE/when; $SBERF top -e cpu-clock -F 499 -p $workload --keep 1m --max-files 1 --when 'cpu > 1% for 1s'"
see "a condition is met: which, and where the file is" '^ cpu > 1% for 1s; the last [0-9.]+ .* are in sberf-1\.sberf \('
check "the file is sound" sound when/sberf-1.sberf
check "of what went before" has_burnt when/sberf-1.sberf
keys q
restored "after a condition"

# Nowhere to write to.
type_line "clear; mkdir $SCRATCH/gone; cd $SCRATCH/gone; rmdir $SCRATCH/gone"
type_line "$SBERF top -e cpu-clock -p $workload"
see "in a directory that is gone" '▾ main'
keys R
see "it says why and what helps" '^ cannot record into sberf-1\.sberf: No such file or directory; start sberf in another directory'
keys q
restored "after not recording"
type_line "cd $HERE; TERM=dumb $SBERF top -e cpu-clock -p $workload"
see "TERM=dumb gets a sentence" '^sberf top: .*cannot draw on TERM=dumb'
see "that names what needs no terminal" 'sberf top -b needs no terminal'
stop_workload
finish
