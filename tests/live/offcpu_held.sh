#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Threads that are stopped, traced or frozen in user mode: each by its own name, state and class, for as long as it was; and a page fault is
# one only where there was one.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
. "$top_srcdir/tests/live/truth.sh" || exit 99
need_capture
cd "$SCRATCH" || exit 99

# freezer DIR FILE: a cgroup below DIR, if it has the FILE of a freezer; its path in $made. It goes with the test.
freezer() {
	made=
	mkdir "$1/sberf-held.$$" 2>/dev/null || return
	[ ! -w "$1/sberf-held.$$/$2" ] || made=$1/sberf-held.$$
}
leave() {
	[ ! "$v1" ] || echo THAWED >"$v1/freezer.state"
	[ ! "$v2" ] || echo 0 >"$v2/cgroup.freeze"
	tap_cleanup
	rmdir /sys/fs/cgroup/{,freezer/,unified/}sberf-held.$$ 2>/dev/null
}
v1=
v2=
trap leave EXIT
freezer /sys/fs/cgroup/freezer freezer.state
v1=$made
freezer /sys/fs/cgroup/unified cgroup.freeze
[ "$made" ] || freezer /sys/fs/cgroup cgroup.freeze
v2=$made

watch held -- held 1500 "$v1" "$v2"

# is_held NAME STATE LETTER CALL: the thread NAME was in CALL and STATE, and in what reports call so, as long as it was held; in user mode.
is_held() {
	local least most got
	least=$(truth held.out "$1" least)
	[ "$least" ] || {
		skip "there is no such cgroup here" "held: $1 is $2"
		return
	}
	most=$(truth held.out "$1" most)
	got=$(time_in held.data blocked ".*" --thread "$1" --syscall "$4" --state "$2")
	between "held: $1 is $2 (ns)" "$least" "$most" "$got"
	equal "held: $1: state $3" "$got" "$(time_in held.data blocked ".*" --thread "$1" --syscall "$4" --state "$3")"
	"$SBERF" report -i held.data --format waits --thread "$1" >held.text
	check "held: $1: class $2" grep -q "^ .* $2\$" held.text
	equal "held: $1: no page fault" 0 "$(whole held.data blocked --thread "$1" --syscall 'page fault' --state "$2")"
}
is_held stopped stopped T stopped
is_held traced traced t traced
is_held frozen frozen F frozen
is_held frozen2 frozen F frozen

for name in stopped traced; do
	"$SBERF" report -i held.data --format firefox --thread $name >held.json
	check "held: $name: an export has the state" grep -Eq "\"state\": ?\"$name\"" held.json
	"$SBERF" report -i held.data --format json --thread $name --state $name | tr -d '\n\t ' >held.json
	check "held: $name: JSON has it with what was waited for" grep -q "\"class\":\"$name\",.*\"states\":\[\"$name\"\]" held.json
done

if [ "$(truth held.out missing least)" ] && [ "$(whole held.data blocked --thread missing --syscall 'page fault')" != "no report" ]; then
	at_least "held: a page that nobody brings is a page fault (ns)" "$(truth held.out missing least)" \
		"$(time_in held.data blocked '.*' --thread missing --syscall 'page fault')"
else
	skip "there is no userfaultfd here" "held: a page that nobody brings is a page fault (ns)"
fi

# Who sleeps stays in its call (since Linux 6.1; before, it comes out of it to be frozen). The looks are a second apart.
if [ "$(truth held.out napper least)" ]; then
	between "held: a frozen sleeper is frozen (ns)" 300000000 "$(truth held.out napper most)" \
		"$(time_in held.data blocked '.*' --thread napper --syscall clock_nanosleep --state frozen)"
else
	skip "there is no freezer of cgroup version 1" "held: a frozen sleeper is frozen (ns)"
fi
equal "held: nothing is lost" 0 "$(lost_of held.data)"
finish
