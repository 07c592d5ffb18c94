#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# record --split --numa: where the memory of a program is that the user may not look into, its page faults and its accesses, by what
# sberf-collector asks the kernel; and each process holds what it holds without --numa.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"
need_capture
command -v setpriv >/dev/null || skip_all "setpriv (util-linux) is not installed"
[ "$(cat /sys/devices/system/node/online 2>/dev/null)" = 0 ] || skip_all "this is about machines with one node"
cd "$SCRATCH" || exit 99
chmod 755 "$SCRATCH"
mkdir -m 777 out
install -m 700 "$WORKLOADS/arrays" ./arrays
install -m 700 "$WORKLOADS/toucher" ./toucher
nobody=65534

held() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" 2>/dev/null
}
files() {
	find "/proc/$1/fd" -type l -printf '%l\n' 2>/dev/null | sed 's/:\[[0-9]*\]$//' | sort -u | tr '\n' ' '
}
numa() {
	"$SBERF" report -i "out/$1.data" --format numa
}

# First touches: 400 MB, page by page, in a function of known name. It begins when it is watched.
mkfifo go
sh -c 'read -r _; exec ./toucher 400 2000' <go >truth &
pid=$!
also_kill $pid
exec {to}>go
SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -e cpu-clock -F 997 --numa -o out/t.data -p $pid 2>err &
recorder=$!
also_kill $recorder
wait_until 60 eval '[ "$(held $recorder NoNewPrivs)" = 1 ] && grep -qs sberf-engine /proc/$recorder/task/*/comm'
sleep 1
three=$(printf '%016x' $((1 << 19 | 1 << 38 | 1 << 39)))
none=$(printf '%016x' 0)
holder=$(pgrep -P $recorder -f '^sberf-collector holds')
equal "the collector that samples page faults: three capabilities, no others ever, a filter, and no event of its own" \
	"$three $three $none $none 1 2 /dev/null anon_inode:bpf-map anon_inode:bpf-prog anon_inode:bpf-stats anon_inode:bpf_link anon_inode:btf socket " \
	"$(held "$holder" CapPrm) $(held "$holder" CapEff) $(held "$holder" CapBnd) $(held "$holder" CapInh) $(held "$holder" NoNewPrivs) \
$(held "$holder" Seccomp) $(files "$holder" | sed 's/anon_inode:bpf_iter //')"
equal "sberf: no capability" "$none $none" "$(held $recorder CapPrm) $(held $recorder CapEff)"
echo >&"$to"
wait $recorder
equal "first touches: status" 0 $?
exec {to}>&-
note "$(cat err)"
note "$(numa t | head -n 30)"
truth=$(sed -n 's/^truth: first_touch count //p' truth)
between "faults that the samples stand for" $((truth * 75 / 100)) $((truth * 125 / 100 + 300)) "$(value out/t.data numa_faults)"
check "the first touches are those of first_touch" eval 'numa t |
	awk "/^first touches/ { on = 1 } on && /first_touch › main/ { found = 1; exit } on && /›/ { exit } END { exit !found }"'
between "MB of private memory, estimated" 380 420 "$(numa t |
	awk '/^memory by what it is for/ { on = 1 } on && / anon$/ { v = $1; u = $2; sub(/^~/, "", v); print u == "GB" ? v * 1000 : v; exit }')"

# Accesses.
start_workload arrays 60
SUDO_UID=$nobody SUDO_GID=$nobody "$SBERF" record --split -e cpu-clock -F 499 --numa -o out/a.data -p "$workload" --duration 3s 2>err
equal "accesses: status" 0 $?
note "$(cat err)"
at_least "percent of user samples with an address" 60 "$("$SBERF" report -i out/a.data --format summary | awk '
	/^numa_accesses: / { a = $2 } /^numa_miss_kernel: / { k = $2 } /^numa_miss_/ { all += $2 }
	END { if (a + all > k) printf "%.1f", 100 * a / (a + all - k) }')"
matches "policies are read" 'policy default; memory of nodes 0' "$(numa a)"
equal "nothing was refused" 0 "$(value out/a.data split_refused)"
stop_workload
finish
