#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# report_waits.sh - what `report` shows of waits: parts add up to the whole, whichever way it is cut.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
sberf=${SBERF:?is set by make check}
data=$top_srcdir/tests/data/v1_1.sberf

# folded ARGS...: the sum of all folded stacks, in us.
folded() {
	"$sberf" report --format folded "$@" "$data" | awk '{ sum += $NF } END { print sum + 0 }'
}

figure() {
	"$sberf" report --format summary "${@:2}" "$data" | sed -n "s/^$1: //p"
}

# about TITLE WANT GOT: the same but for rounding.
about() {
	check "$1 ($2)" awk -v want="$2" -v got="$3" 'BEGIN { exit !(want > 0 && got >= want - 20 && got <= want + 20) }'
}

about "folded stacks are running time" "$(figure oncpu_weight_us)" "$(folded)"
about "--metric on-cpu too" "$(figure oncpu_weight_us)" "$(folded --metric on-cpu)"
about "--metric blocked" "$(figure offcpu_blocked_us)" "$(folded --metric blocked)"
about "--metric runnable" "$(figure offcpu_runnable_us)" "$(folded --metric runnable)"
about "--metric off-cpu" "$(figure offcpu_weight_us)" "$(folded --metric off-cpu)"
about "--metric wall" $(($(figure oncpu_weight_us) + $(figure offcpu_weight_us))) "$(folded --metric wall)"
sum=0
for state in R S D K T t X I N; do
	sum=$((sum + $(folded --state $state)))
done
none=$(($(figure offcpu_weight_us) - $(folded --state preempted,S,D,K,T,t,X,I,new)))
about "states add up, but for waits without one" $(($(figure offcpu_weight_us) - none)) $sum
about "a call alone and with others" "$(folded --syscall 'futex,page fault')" \
	$(($(folded --syscall futex) + $(folded --syscall 'page fault')))
sum=0
for thread in 0 1 2 3 4 5 6 7; do
	sum=$((sum + $(folded --metric wall --thread "*$thread")))
done
about "threads by their names add up" "$(folded --metric wall)" $sum
equal "no thread of that name" 0 "$(folded --metric wall --thread nobody)"

all=$(($(figure offcpu_weight_us) + $(figure offcpu_short_us)))
long=$(figure offcpu_weight_us --min-block 1050us)
about "--min-block leaves out and counts" $((all - long)) "$(figure offcpu_short_us --min-block 1050us)"
check "something was left out, not all" test "$long" -gt 0 -a "$long" -lt "$all"
about "in stacks as in figures" "$long" "$(folded --metric off-cpu --min-block 1050us)"

text=$("$sberf" report --format waits "$data")
matches "the list has a scale" ' +10us +1ms +100ms +10s' "$(head -1 <<<"$text")"
matches "and columns" ' +total +count +longest +average +1us +100us +10ms +1s' "$(sed -n 2p <<<"$text")"
matches "everything comes first" ' all$' "$(sed -n 3p <<<"$text")"
matches "it has wakers" 'woken by ' "$text"
plain=$("$sberf" report --format waits --ascii --thread 'nobody' "$data" | LC_ALL=C grep -c '[^ -~]')
equal "--ascii" 0 "$plain"
matches "a tree has columns" '^ +total +self +running +runnable +blocked +time$' "$("$sberf" report --format tree "$data" | head -1)"
matches "not one of running time" '^ +total +self +time$' "$("$sberf" report --format tree --metric on-cpu "$data" | head -1)"

got=$("$sberf" report --format waits --syscall fly "$data" 2>&1)
equal "an unknown call: exit status" 1 $?
matches "an unknown call: the sentence" "there is no system call 'fly' on x86_64: write it as its manual page does" "$got"
got=$("$sberf" report --format waits "$top_srcdir/tests/data/example.sberf" 2>&1 >/dev/null)
matches "a recording without waits" 'there are no waits in this recording: it was made without them' "$got"
finish
