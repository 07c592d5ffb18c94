#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# diff.sh - what `diff` says of stored recordings (tests/data/diff), word for word, and when it fails. SBERF_GOLDEN=write writes
# tests/golden/diff anew.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/diff
golden=$top_srcdir/tests/golden/diff
cd "$SCRATCH" || exit 99
cp "$data"/*.sberf .

# golden NAME ARGS...: what diff writes is tests/golden/diff/NAME.
golden() {
	local name=$1
	shift
	"$sberf" diff "$@" >out 2>err || note "status $?: $(cat err)"
	[ "${SBERF_GOLDEN:-}" != write ] || cp out "$golden/$name"
	check "$name: diff $*" diff -u "$golden/$name" out
}

running=(--metric on-cpu --no-kernel)
golden same.txt "${running[@]}" before.sberf same.sberf
golden grown.txt "${running[@]}" before.sberf grown.sberf
golden grown-limit.txt "${running[@]}" --percent-limit 5 --depth 6 before.sberf grown.sberf
golden grown-flat.txt "${running[@]}" --format flat --percent-limit 1 before.sberf grown.sberf
golden grown-wall.txt "${running[@]}" --normalize wall --percent-limit 1 before.sberf grown.sberf
golden grown-none.txt "${running[@]}" --normalize none --percent-limit 1 before.sberf grown.sberf
golden grown.folded "${running[@]}" --format folded before.sberf grown.sberf
golden stripped.txt "${running[@]}" --percent-limit 0.5 before.sberf stripped.sberf
golden ascii.txt "${running[@]}" --ascii --depth 8 before.sberf grown.sberf
golden all.txt --percent-limit 2 before.sberf grown.sberf
golden all-flat.txt --format flat --percent-limit 2 before.sberf grown.sberf

# One build: functions that have lost their names on one side have found their other half.
check "no function of a stripped binary is left without a name" test -z "$("$sberf" diff before.sberf stripped.sberf 2>/dev/null | grep -F 'shares+0x')"
matches "what debug information does not tell is said" 'debug information was there for one of the recordings only' \
	"$("$sberf" diff before.sberf stripped.sberf 2>&1 >/dev/null)"
check "the other way round it is the same picture" test "$("$sberf" diff "${running[@]}" --format folded before.sberf grown.sberf | wc -l)" -eq \
	"$("$sberf" diff "${running[@]}" --format folded grown.sberf before.sberf | wc -l)"

# Folded: each side adds up to the whole after.
"$sberf" diff "${running[@]}" --format folded before.sberf grown.sberf >both
whole=$("$sberf" report "${running[@]}" --format folded grown.sberf | awk '{ n += $NF } END { print n }')
equal "numbers after are those of report" "$whole" "$(awk '{ n += $NF } END { print n }' both)"
check "and those before add up to as much" awk -v want="$whole" '{ n += $(NF - 1) } END { exit !(n >= want - 1 && n <= want + 1) }' both
"$sberf" diff "${running[@]}" --format folded --normalize none before.sberf grown.sberf >both
equal "without normalisation they are those of report too" "$("$sberf" report "${running[@]}" --format folded before.sberf | awk '{ n += $NF } END { print n }')" \
	"$(awk '{ n += $(NF - 1) } END { print n }' both)"
check "the extension chooses the format" "$sberf" diff "${running[@]}" --normalize none -o by-name.folded before.sberf grown.sberf
check "in the same words" cmp both by-name.folded

"$sberf" diff --format memory before.sberf grown.sberf >both 2>err
equal "memory that nobody followed: status and complaints" "0 " "$? $(cat err)"
equal "is said of both sides" 2 "$(grep -c '^[a-z]*: .*[.]sberf: no memory was followed: record with --memory' both)"

# JSON: as its schema says, and the figures of the tree and of the list of functions.
"$sberf" diff --format json before.sberf grown.sberf >both.json
python=$(python_with jsonschema)
if [ -n "$python" ]; then
	check "JSON: as the schema says" "$python" -W ignore "$top_srcdir/tests/export/validate.py" \
		"$top_srcdir/docs/sberf-diff.schema.json" both.json
else
	skip "no jsonschema for python3" "JSON: as the schema says"
fi
cat >figures.py <<'END'
import json, sys
d = json.load(open("both.json"))
functions = {f["name"]: f for f in d["functions"]}
what = functions[sys.argv[1]]
if "v" in sys.argv[2:]:
    below = [{"before": 0, "after": 0} for _ in d["tree"]]
    for n in d["tree"]:
        for side in ("before", "after"):
            if n["parent"] is not None:
                below[n["parent"]][side] += n["total"].get(side, 0)
    assert all(n["total"].get(s, 0) == n.get("self", {}).get(s, 0) + below[i][s]
               for i, n in enumerate(d["tree"]) for s in ("before", "after"))
    for n in d["tree"]:
        for side in ("before", "after"):
            assert n["total"].get(side, 0) == sum(p.get(side, 0) for p in n["total"]["parts"].values())
p = what["total"]
print("%.1f %% %.1f %% %+.1f" % (100 * p["share_before"], 100 * p["share_after"], 100 * p["change"]))
END
if command -v python3 >/dev/null; then
	equal "JSON: a function as the list has it" "$("$sberf" diff --format flat before.sberf grown.sberf |
		awk '$NF == "burn_20"' | grep -oE '[0-9.]+ % +[0-9.]+ % +[+-][0-9.]+' | tr -s ' ')" "$(python3 figures.py burn_20 v)"
else
	skip "no python3" "JSON: a function as the list has it"
fi

# Filters are those of report.
alone=$("$sberf" diff "${running[@]}" --focus '^burn_20$' --format folded before.sberf grown.sberf)
check "--focus: something is left" test -n "$alone"
equal "--focus: and nothing else" "" "$(grep -v ';burn_20;' <<<"$alone")"
equal "--ignore: the rest" "" "$("$sberf" diff "${running[@]}" --ignore '^burn_20$' --format folded before.sberf grown.sberf | grep ';burn_20;')"
matches "--time: a part of both" ' in 1\.[0-9]+ s' "$("$sberf" diff "${running[@]}" --time 0,1s before.sberf grown.sberf | head -1)"
refuses_time=$("$sberf" diff --time never before.sberf grown.sberf 2>&1)
equal "--time: what is none" 1 $?
matches "--time: the sentence" "never" "$refuses_time"

# Pictures: both sides are in them, and what vanished too.
check "as SVG" "$sberf" diff "${running[@]}" -o both.svg before.sberf grown.sberf
check "the same bytes again" cmp both.svg <("$sberf" diff "${running[@]}" --format svg before.sberf grown.sberf)
matches "the viewer is told of both sides" '"compared":true.*"sides":\["before.sberf","grown.sberf"\]' "$(cat both.svg)"
matches "what appeared is in it" 'moved' "$(cat both.svg)"
matches "what vanished is in it" 'moved' "$("$sberf" diff "${running[@]}" --format svg grown.sberf before.sberf)"
check "as HTML" "$sberf" diff "${running[@]}" --title 'a < b' -o both.html before.sberf grown.sberf
matches "with a title" '<title>a &lt; b</title>' "$(cat both.html)"
if command -v xmllint >/dev/null; then
	check "the SVG is well-formed" xmllint --noout --nonet both.svg
else
	skip "xmllint is not installed (package libxml2-utils)" "the SVG is well-formed"
fi

# What other tools wrote, on both sides or on one.
"$sberf" report "${running[@]}" --format folded before.sberf >before.folded
"$sberf" report "${running[@]}" --format folded grown.sberf >grown.folded
equal "imports give the same shares" "$("$sberf" diff "${running[@]}" --format folded before.sberf grown.sberf | cut -d ' ' -f 1 | sort)" \
	"$("$sberf" diff --import folded --format folded before.folded grown.folded | cut -d ' ' -f 1 | sort)"
matches "in their own unit" '100\.0 % +100\.0 % +· +22[0-9],[0-9]+ +66[0-9],[0-9]+  all' "$("$sberf" diff --import folded before.folded grown.folded)"
matches "one side may be a recording" ' 18\.6 % +49\.0 % +\+30\.4 .*burn_20' \
	"$("$sberf" diff --no-kernel --import folded before.folded grown.sberf 2>/dev/null)"

# Nothing differs.
cp before.sberf copy.sberf
"$sberf" diff before.sberf copy.sberf >out
equal "copies: no change anywhere" "" "$(awk 'NR > 6 && $0 !~ /·/' out)"
equal "copies: nothing but the root above any limit" 1 "$("$sberf" diff --percent-limit 0.001 before.sberf copy.sberf | tail -n +7 | grep -cv 'more$')"

# The gate.
gate() {
	"$sberf" diff "${running[@]}" --fail-above "$@" >out 2>err
	equal "--fail-above $*" "$status" $?
}
status=0
gate 0 before.sberf copy.sberf
gate 1 before.sberf copy.sberf
gate 1 before.sberf same.sberf
gate 1 same.sberf before.sberf
gate 1 before.sberf stripped.sberf
gate 31 before.sberf grown.sberf
equal "nothing is said when all is well" "" "$(cat err)"
status=3
gate 5 before.sberf grown.sberf
matches "the sentence names what grew" '^sberf diff: burn_20 and what it calls take 30\.4 points more than before: 49\.0 % instead of 18\.6 %' "$(cat err)"
check "the difference is written all the same" grep -q burn_20 out
gate 5 --no-inline before.sberf grown.sberf
matches "a function's own share is named as such" '^sberf diff: burn_20 itself takes 30\.4 points more' "$(cat err)"
gate 5% --format folded -o /dev/null before.sberf grown.sberf
status=1
gate 5 --focus '^no_such_function$' before.sberf grown.sberf
matches "a gate whose filters match nothing does not let pass" 'sberf diff: --fail-above has nothing to compare' "$(cat err)"

# refuses STATUS SENTENCE ARGS...
refuses() {
	local want=$1 sentence=$2 got
	shift 2
	got=$("$sberf" diff "$@" 2>&1 >/dev/null)
	equal "diff $*: status" "$want" $?
	matches "diff $*: the sentence" "$sentence" "$got"
}
ln -s before.sberf alias.sberf
echo "no recording" >text
: >empty
head -c 5000 before.sberf >short.sberf
refuses 2 "name two recordings: the one before, and the one after"
refuses 2 "name two recordings" before.sberf
refuses 2 "'same.sberf' is a second recording after the change: give one" before.sberf grown.sberf same.sberf
refuses 2 "only one of the recordings can come from standard input" - -
refuses 2 "limit of growth 'much' is not a percentage such as 5 or 0.5" --fail-above much before.sberf grown.sberf
refuses 2 "normalisation 'cpu' is unknown: it must be one of total.wall.none" --normalize cpu before.sberf grown.sberf
refuses 1 "'before.sberf' and 'before.sberf' are the same file" before.sberf before.sberf
refuses 1 "'before.sberf' and 'alias.sberf' are the same file: name the recording before and the one after" before.sberf alias.sberf
refuses 1 "missing.sberf" before.sberf missing.sberf
refuses 1 "missing.sberf" missing.sberf before.sberf
refuses 1 "text" before.sberf text
refuses 1 "empty" empty before.sberf
refuses 1 "'before.sberf' is what is being read" -o before.sberf before.sberf grown.sberf
refuses 1 "'grown.sberf' is what is being read" -o grown.sberf before.sberf grown.sberf
refuses 1 "'same.sberf' is a recording and stays as it is" -o same.sberf before.sberf grown.sberf
refuses 1 "only --normalize total" --import folded --normalize wall before.folded grown.folded
refuses 1 "cannot be written|is called like a format that has no room for two" -o x.pb.gz before.sberf grown.sberf
refuses 0 "nothing in 'before.sberf' is what was asked for: no thread is called 'nobody'" --thread nobody before.sberf grown.sberf
check "what is damaged is compared as far as it goes" "$sberf" diff --depth 1 short.sberf before.sberf

# Runs of frames without names are one line, as in report.
printf 'a;[unknown];[unknown];[unknown];f 3\nb 7\n' >one.folded
printf 'a;[unknown];[unknown];[unknown];f 6\nb;[unknown] 1\nb;[unknown];[unknown] 3\n' >two.folded
equal "runs of [unknown]" "7 4 - b
· 4 [unknown] (appeared)
· 3 [unknown]
3 6 - a
3 6 [unknown] ×3
3 6 f" "$("$sberf" diff --import folded one.folded two.folded 2>&1 |
	sed '1,/ all$/d; s/^.\{40\} *//; s/  */ /g')"

equal "standard input is one of them" "$("$sberf" diff before.sberf grown.sberf | tail -n +3)" \
	"$("$sberf" diff - grown.sberf <before.sberf | tail -n +3)"
finish
