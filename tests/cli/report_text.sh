#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# report_text.sh - lists, patterns and times of `report`: parts add up to the whole, and what is left out is said.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/v1_1.sberf
cd "$SCRATCH" || exit 99

# sum ARGS...: of all folded stacks.
sum() {
	"$sberf" report --format folded "$@" 2>err | awk '{ n += $NF } END { print n + 0 }'
}

# refused TITLE REGEX ARGS...: a usage error.
refused() {
	local title=$1 regex=$2 out
	shift 2
	out=$("$sberf" report "$@" "$data" 2>&1)
	equal "$title: exit status" 2 $?
	matches "$title: the sentence" "$regex" "$out"
}

# Folded stacks whose functions have no ";" or " ": what a function takes itself and in all can be told from them.
cat >in <<'END'
app;main;alloc;page_fault_[k] 30
app;main;parse;alloc;alloc 20
app;main;parse 15
app;main;parse;helper_[i] 5
app;start 10
other;main;read_[k] 19
other 1
END
folded() {
	sum --import folded "$@" in
}
equal "everything" 100 "$(folded)"
equal "--focus" 50 "$(folded --focus alloc)"
equal "what is left is said" "sberf report: shown: 50.0 % of what is shown without --focus" "$(cat err)"
equal "--ignore is the rest" 50 "$(folded --ignore alloc)"
equal "both" 30 "$(folded --focus alloc --ignore parse)"
matches "both are said" '30\.0 % of what is shown without --focus and --ignore' "$(cat err)"
equal "the beginning of a name" 20 "$(folded --focus '^al.*c$' --ignore '^page')"
equal "case is told apart" 0 "$(folded --focus ALLOC)"
equal "an alternative" 29 "$(folded --focus '^(start|read)$')"
equal "a kernel function that is not shown does not match" 0 "$(folded --focus page_fault --no-kernel)"
equal "nor one that was inlined" 0 "$(folded --focus helper --no-inline)"
equal "threads" 20 "$(folded --thread other)"
equal "several" 20 "$(folded --focus alloc --focus '^al.*c$' --ignore '^page' --ignore '^nothing')"
equal "some threads" 100 "$(folded --thread 'other,a*')"
equal "nobody" 0 "$(folded --thread oth)"
equal "nobody: what is left is said, and why" "sberf report: shown: 0.0 % of what is shown without --thread
sberf report: no thread is called 'oth' (all of the name or tid counts, * stands for any part)" "$(cat err)"
equal "all of them must hold" 19 "$(folded --thread other --focus main\|^other)"
matches "all are named" 'without --thread and --focus' "$(cat err)"
equal "what runs is no function" 0 "$(folded --focus other)"
out=$("$sberf" report --import folded --focus '*(' in 2>&1)
equal "no regular expression: exit status" 2 $?
matches "no regular expression: the sentence" "--focus '\*\(' is no regular expression: " "$out"

printf '%s\n' 'p;main;f(int);g;f(int);h 4' 'p;main;f(int);g 2' >cycles
equal "--fold-recursion" "p;main;f(int);g 2
p;main;f(int);h 4" "$("$sberf" report --import folded --format folded --fold-recursion cycles)"
equal "--short-names" "p;main;f;g 2
p;main;f;g;f;h 4" "$("$sberf" report --import folded --format folded --short-names cycles)"

cat >want <<'END'
    self    total         weight  module                function
  30.0 %   30.0 %             30  [kernel]              page_fault [k]
  20.0 %   50.0 %             20                        alloc
  19.0 %   19.0 %             19  [kernel]              read [k]
  15.0 %   40.0 %             15                        parse
  10.0 %   10.0 %             10                        start
   5.0 %    5.0 %              5                        helper
   1.0 %                       1                        (no function)
   0.0 %   89.0 %              0                        main
END
"$sberf" report --import folded --format flat in >got
check "flat: a function counts once in a stack, copies are one" cmp want got
out=$("$sberf" report --import folded --format flat --percent-limit 10% in | tail -1)
matches "flat: what is too light is counted" '^   6\.0 % +6 +… 2 more$' "$out"

flat=$("$sberf" report --format flat "$data")
matches "flat: kinds are columns" '^ +self +total +running +runnable +blocked +time  module +function$' "$(head -1 <<<"$flat")"
share() {
	awk 'NR > 1 { sub(/^ *~/, ""); n += $1 } END { printf "%.0f\n", n }' <<<"$1"
}
check "flat: self adds up to the whole, but for rounding" test "$(share "$flat")" -ge 98 -a "$(share "$flat")" -le 102
for option in "--format flat --depth 3" "--format folded --depth 3" "--format svg --depth 3"; do
	# shellcheck disable=SC2086  # options and their values
	refused "$option" "--depth is for --format tree: every other format is complete" $option
done
refused "--format folded --percent-limit" "--percent-limit is for --format tree, flat, memory and leaks" --format folded --percent-limit 1%
refused "-o x.svg --percent-limit" "--percent-limit is for --format tree, flat, memory and leaks" -o x.svg --percent-limit 1%
refused "--format flat --inverted" "--inverted is for formats that are drawn as a tree" --format flat --inverted
refused "--format summary --focus" "--focus cannot change --format summary" --format summary --focus x

tree=$("$sberf" report --import folded in)
check "--depth: fewer lines" test "$("$sberf" report --import folded --depth 1 in | wc -l)" -lt "$(wc -l <<<"$tree")"
equal "--percent-limit: what is left out" 1 "$("$sberf" report --import folded --percent-limit 25% in | grep -c 'alloc$')"
matches "--inverted: callers below" 'app;alloc;alloc;parse;main 20' "$("$sberf" report --import folded --format folded --inverted in)"
equal "--inverted: the same sum" 100 "$(folded --inverted)"

# Times: ranges that meet share nothing and miss nothing.
all=$(sum --metric wall "$data")
check "there is something" test "$all" -gt 0
for at in 1% 50% 30ms 100ms 150ms; do
	equal "before and after $at" "$all" "$(($(sum --metric wall --time ",$at" "$data") + $(sum --metric wall --time "$at," "$data")))"
done
equal "all of it" "$all" "$(sum --metric wall --time 0%,100% "$data")"
matches "what is shown is said" '^sberf report: shown: from 0 ns to [0-9.]+ m?s, of [0-9.]+ m?s$' "$(cat err)"
half=$(sum --metric wall --time 100ms, "$data")
check "half of it is something, and not all" test "$half" -gt 0 -a "$half" -lt "$all"
equal "after the end there is nothing" 0 "$(sum --time 1000s,2000s "$data")"
matches "after the end: the sentence" 'nothing was recorded in the time 1000s,2000s' "$(cat err)"
refused "a time without an end" "time range '10s' has no beginning and end: it must be FROM,TO, such as 10s,20s or 50%,60%" --time 10s
refused "a time that ends first" "time range '20s,10s' ends before it begins" --time 20s,10s
refused "no time" "time range 'soon'" --time soon,10s
# Frames that nobody knows the names of: one line where they say nothing else.
cat >runs <<'END'
a;[unknown];[unknown];[unknown];f 3
a;[unknown];[unknown];[unknown];f;[unknown] 1
b;[unknown] 1
b;[unknown];[unknown];[unknown] 2
END
# tree ARGS...: weights and names.
tree() {
	"$sberf" report --import folded --format tree "$@" runs 2>&1 | sed '1d; s/.*% *//; s/  */ /g'
}
equal "runs of [unknown]" "7 all
4 - a
4 [unknown] ×3
4 f
1 [unknown]
3 - b
3 [unknown]
2 [unknown] ×2" "$(tree)"
equal "no deeper than --depth" "7 all
4 - a
4 [unknown] x2
... 1 more
3 - b
3 [unknown]
2 [unknown]
... 1 more" "$(tree --ascii --depth 2)"
equal "from folded to folded nothing changes" "$(cat runs)" "$("$sberf" report --import folded --format folded runs)"

out=$("$sberf" report --import folded --time 1s,2s in 2>&1)
matches "folded stacks have no times" 'folded stacks do not tell' "$out"
finish
