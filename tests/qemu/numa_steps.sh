#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Which accesses are far, on an emulated machine that can be interrupted at every instruction. Emulated CPUs do not wait for memory, and
# interrupts come between blocks of instructions: then of a loop that reads near and far in turns (both_reader of nodes.c) all samples
# land at its head and tell the same access: 100 % of 103 were far. With QEMU told to execute instructions one by one, samples land
# anywhere in the loop, and there is a truth to compare with: which of its two reads came last before each. It need not be half of each:
# where the ticks of an emulator fall depends on how long it takes for an instruction, and runs have had 54 to 88 % after the far one.
#
# With -singlestep from the start a guest does not boot within minutes. So it boots, starts the program and attaches as always; then its
# emulator is told so by its monitor, which makes it some ten times slower: half a minute gives a few hundred samples. The guest asks
# for it among all that it prints, and reads the answer from its second serial line.
#
# On a machine that others use too, half a minute may give few samples. The guest looks at what it has got, and does it again for longer.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/qemu/guest.sh"
. "$top_srcdir/tests/passed.sh"
command -v qemu-system-x86_64 >/dev/null || skip_all "qemu-system-x86_64 is not installed"
command -v busybox >/dev/null || skip_all "busybox is not installed"
[ "$(uname -m)" = x86_64 ] || skip_all "the guest is an x86-64 one"
skip_unless_changed tests/qemu/numa_steps.sh tests/qemu/guest.sh 'src/numa/access*.[ch]' 'src/numa/code.[ch]' \
	'src/engine/data_access.[ch]' tests/workloads/nodes.c tests/workloads/{switches,truth,workload}.h
kernel=$(guest_kernel "${SBERF_GUEST_CACHE:-$top_builddir/guest}") || skip_all "no kernel image can be downloaded"

cat >"$SCRATCH/job.sh" <<'JOB'
# Verifying the programs that walk stacks takes an emulated machine long, each time.
export SBERF_WITHOUT=walks
echo 0 >/proc/sys/kernel/numa_balancing
stty -F /dev/ttyS1 raw -echo
/bin/nodes 0 near_reader:0:0 far_reader:1:0 both_reader:0:half >/tmp/said &
pid=$!
await 60 ready /tmp/said $pid
# enough: have all three functions enough accesses?
enough() {
	awk '/^functions/ { on = 1; next } /^$/ { on = 0 }
		on && NF > 2 && $NF ~ /^(near|far|both)_reader$/ { number = $(NF - 2); gsub(/,/, "", number); n += number + 0 >= 100 }
		END { exit n < 3 }' /tmp/numa
}
for seconds in 20 40 80 160; do
	# Waits are not of interest, and following them takes time.
	/bin/sberf record --no-off-cpu -e cpu-clock -F 29 -o /tmp/x.data -p $pid >/tmp/rec 2>&1 &
	rec=$!
	await 120 sberf-engine "/proc/$rec/task/*/comm" $rec
	echo "singlestep on please"
	read word </dev/ttyS1
	usleep ${seconds}000000
	echo "singlestep off please"
	read word </dev/ttyS1
	kill -INT $rec
	wait $rec
	echo "status $? after $seconds s"
	sed 's/^/said: /' /tmp/rec
	/bin/sberf report -i /tmp/x.data --format numa >/tmp/numa
	! enough || break
done
kill $pid
sed 's/^/numa: /' /tmp/numa
/bin/sberf report -i /tmp/x.data --format perf-script | awk 'leaf && $2 ~ /^both_reader\+/ { n[$2]++ }
	{ leaf = /cpu-clock:/ } END { for (at in n) print "at: " at, n[at] }'
JOB

root=$SCRATCH/root
guest_tree "$root" "$SCRATCH/job.sh" || skip_all "the guest cannot be built"
guest_add "$root" "$SBERF" /bin/sberf
guest_add "$root" "$top_builddir/tests/workloads/bin/nodes" /bin/nodes
mkfifo "$SCRATCH"/{monitor,line}.{in,out}

# asked_for N: the guest has asked N times.
asked_for() {
	[ "$(grep -c '^singlestep .* please' "$SCRATCH/console.out")" -ge "$1" ]
}

# The monitor is told what the guest asks for, and the guest that it was.
# shellcheck disable=SC2317  # runs in the background
answer() {
	local word n=0
	while :; do
		for word in on off; do
			n=$((n + 1))
			wait_until 900 asked_for "$n" || return
			echo "singlestep $word" >"$SCRATCH/monitor.in"
			echo "it is $word" >"$SCRATCH/line.in"
		done
	done
}
cat "$SCRATCH/monitor.out" >"$SCRATCH/monitor.said" &
also_kill $!
cat "$SCRATCH/line.out" >/dev/null &
also_kill $!
answer &
also_kill $!
mapfile -t machine < <(guest_nodes "0:512 1:512" "0-1:21")
guest_run "$kernel" "$root" 900 "$SCRATCH/console" "${machine[@]}" -chardev "pipe,id=line,path=$SCRATCH/line" -serial chardev:line \
	-chardev "pipe,id=monitor,path=$SCRATCH/monitor" -mon chardev=monitor,mode=readline >"$SCRATCH/out"
note "$(grep -E 'status|please|^said: |far ~|addresses|_reader$|^numa: +[0-9.]+ % +[0-9]+ ' "$SCRATCH/out")"

# between TITLE LOW HIGH NUMBER
between() {
	note "$1: $4 ($2 to $3)"
	result "$(awk -v a="$4" -v l="$2" -v h="$3" 'BEGIN { print (a != "" && a + 0 >= l + 0 && a + 0 <= h + 0) ? 0 : 1 }')" "$1"
}

# of FUNCTION: percent of its accesses that are far, and how many they are.
of() {
	sed -n "s/^numa: //p" "$SCRATCH/out" | awk -v f="$1" '/^functions/ { on = 1; next } /^$/ { on = 0 }
		on && $NF == f { far = 0; for (i = 1; i <= NF; i++) if ($i == "%") far = $(i - 1); sub(/^~/, "", far); n = $(NF - 2); gsub(/,/, "", n); print far, n; exit }'
}

# judge TITLE FUNCTION LOW HIGH: percent of its accesses that are far, of 100 and more.
judge() {
	local far n
	read -r far n <<<"$(of "$2")"
	between "$1: accesses" 100 1e9 "$n"
	between "$1" "$3" "$4" "$far"
}

judge "near memory is near" near_reader 0 10
judge "far memory is far" far_reader 90 100

# The reads of the loop and where it begins and ends, as offsets in both_reader: its last jump leads back to the beginning.
objdump -d --no-show-raw-insn "$top_builddir/tests/workloads/bin/nodes" | awk '
	function number(hex, i, n) { for (i = 1; i <= length(hex); i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
	/^[0-9a-f]+ <both_reader>:/ { sub(/^0+/, "", $1); base = number($1); on = 1; next }
	!NF { on = 0 }
	on { sub(/:/, "", $1); at = number($1) - base; text[++nr] = $2 " " $3; place[nr] = at }
	on && $2 ~ /^j/ && number($3) - base < at { from = number($3) - base; to = at }
	END { print from, to; for (i = 1; i <= nr; i++)
		if (place[i] >= from && place[i] <= to && text[i] ~ /^mov[a-z]* [^,]*\(%r[^,]*\),%/ && text[i] !~ /rip/) print place[i] }
	' >"$SCRATCH/loop"
note "the loop and its reads: $(tr '\n' ' ' <"$SCRATCH/loop")"
if [ "$(wc -l <"$SCRATCH/loop")" -eq 3 ]; then
	# Percent of the samples in the loop behind the second read and before the first one; percent at its first instruction, which
	# is reached from two sides, so that nobody can tell.
	read -r truth unclear n <<<"$(sed -n 's/^at: both_reader+0x//p' "$SCRATCH/out" | awk '
		function number(hex, i, n) { for (i = 1; i <= length(hex); i++) n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1; return n }
		NR == FNR { v[FNR] = $1; if (FNR == 1) to = $2; next }
		{ at = number($1) }
		at >= v[1] && at <= to { n += $2; if (at == v[1]) head += $2; if (at <= v[2] || at > v[3]) far += $2 }
		END { if (n) print 100 * far / n, 100 * head / n, n }' "$SCRATCH/loop" -)"
	read -r far told <<<"$(of both_reader)"
	note "behind the far read: $truth % of $n samples, of them at the head of the loop: $unclear %"
	between "a loop that reads both in turns: samples" 90 1e9 "$n"
	note "told to be far: $far % of $told"
	# Where the emulator is so slow that instructions or pages are not read in time, some samples tell no access. Each may have been of either
	# kind, so their share widens what is allowed; they may not be many.
	# One that landed in the function but outside of its loop is among those that tell, so that these can be more.
	telling=$(awk -v a="$told" -v n="$n" 'BEGIN { if (n) print a < n ? 100 * a / n : 100 }')
	between "a loop that reads both in turns: nearly all samples tell an access" 85 100 "$telling"
	result "$(awk -v f="$far" -v t="$truth" -v u="$unclear" -v telling="$telling" '
		function fits(share) { return share >= least - 1 && share <= least + 100 - telling + 1 }
		BEGIN { least = f * telling / 100; print f != "" && telling != "" && (fits(t) || fits(t - u)) ? 0 : 1 }')" \
		"a loop that reads both in turns: as far as the places of its samples say, within a point"
	between "a loop that reads both in turns: both are seen" 1 99 "$far"
else
	skip "the compiler made something else of it" "a loop that reads both in turns"
fi
finish_passed
