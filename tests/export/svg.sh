#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# svg.sh - flame graphs as files: well-formed, the same bytes each time, with what was asked for in them.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data
cd "$SCRATCH" || exit 99

command -v xmllint >/dev/null || skip_all "xmllint is not installed (package libxml2-utils)"

report() {
	"$sberf" report "$@"
}

for input in example.sberf v1.sberf v1_1.sberf v1_2.sberf; do
	check "$input: written" report -o a.svg "$data/$input"
	check "$input: well-formed" xmllint --noout --nonet a.svg
	check "$input: the same bytes again" cmp a.svg <(report --format svg "$data/$input")
	check "$input: as HTML" report -o a.html "$data/$input"
	check "$input: the same bytes again, as HTML" cmp a.html <(report --format html "$data/$input")
	# Scripts end where we end them: three of them, of which one is data.
	equal "$input: scripts of the page" 3 "$(grep -c '</script' a.html)"
done

report -i "$data/v1_2.sberf" -o plain.svg
check "a title" report -i "$data/v1_2.sberf" --title 'a < b & "c" ]]> </script>' -o titled.svg
check "a title: well-formed" xmllint --noout titled.svg
equal "a title: it is there" 'a < b & "c" ]]> </script>' "$(xmllint --xpath 'string(/*/*[local-name()="title"])' titled.svg)"
check "a still picture" report -i "$data/v1_2.sberf" --no-script -o still.svg
check "a still picture: well-formed" xmllint --noout still.svg
equal "a still picture: without scripts" 0 "$(grep -c '<script' still.svg)"
report -i "$data/v1_2.sberf" --no-script -o still.html
equal "a still page: without scripts" 0 "$(grep -c '<script' still.html)"
matches "a still page: none is allowed" "script-src 'none'" "$(cat still.html)"
check "filters" report -i "$data/v1_2.sberf" --focus 'f.*1' --ignore 'f2' --thread 'thread*' --node 0,5 -o filtered.svg
facts=$(grep -o '"facts":.*"unit' filtered.svg)
matches "a picture says what it leaves out" '\["only stacks with","f\.\*1"\],\["without stacks with","f2"\]' "$facts"
matches "also threads" '\["only threads","thread\*"\]' "$facts"
matches "also nodes" '\["only CPUs of nodes","0,5"\]' "$facts"
check "far accesses" report -i "$data/v1_2.sberf" --far -o far.svg
matches "far accesses: the title" ': far accesses$' "$(xmllint --xpath 'string(/*/*[local-name()="title"])' far.svg)"
check "upwards" report -i "$data/v1_2.sberf" --orientation flame -o up.svg
matches "upwards: the viewer is told" '"upwards":true' "$(cat up.svg)"
first_row() {
	xmllint --xpath 'string(//*[@id="sberf-still"]/*[local-name()="svg"][1]/@y)' "$1"
}
check "upwards: the root is below" test "$(first_row up.svg)" -gt "$(first_row plain.svg)"

# Split by nodes the picture has their colours, and says which is whose.
report -i "$data/v1_2.sberf" --by-node --no-script -o nodes.svg
check "by node: well-formed" xmllint --noout nodes.svg
equal "by node: a legend" "node 0 node 1" "$(sed -n 's/.*>\(node [0-9]*\)<\/text>$/\1/p' nodes.svg | paste -sd' ')"
equal "by node: colours of nodes, and of what has none" "n n0 n1" \
	"$(grep -o 'class="f [^ ]*' nodes.svg | sed 's/.* //' | sort -u | paste -sd' ')"
matches "else a legend of kinds" '>user</text>' "$(cat still.svg)"
matches "what can be done to see more is said" 'open this file in a web browser to' "$(cat plain.svg)"
equal "not where nothing can" 0 "$(grep -c 'open this file' still.svg)"

# However little is drawn, everything is in the file.
report -i "$data/v1_2.sberf" --min-width 400 -o wide.svg
tree() {
	grep -ao '"nrLabels":[0-9]*,"nrNodes":[0-9]*' "$1"
	grep -ao '"tree":"[^"]*"' "$1"
}
equal "--min-width: the same tree" "$(tree plain.svg)" "$(tree wide.svg)"
check "--min-width: fewer frames in the still picture" \
	test "$(grep -c 'class="f k' wide.svg)" -lt "$(grep -c 'class="f k' plain.svg)"
got=$(report --min-width wide -i "$data/v1_2.sberf" -o x.svg 2>&1)
equal "--min-width: no number" 2 $?
matches "--min-width: no number: the sentence" "a number of pixels such as" "$got"

if [ -w /dev/full ]; then
	got=$(report --format svg "$data/v1_2.sberf" 2>&1 >/dev/full)
	equal "a full disk: exit status" 1 $?
	matches "a full disk: the sentence" "No space left" "$got"
else
	skip "there is no /dev/full" "a full disk"
fi
finish
