#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What a user may and may not: four capabilities and a uid that is not 0 are enough; without them one sentence says what is
# denied, its value, the value needed and one command, and differs by situation.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/live/live.sh" || exit 99
need_capture
command -v setpriv >/dev/null || skip_all "setpriv (util-linux) is not installed"
cd "$SCRATCH" || exit 99
chmod 755 "$SCRATCH"
mkdir -m 777 out
# A copy that user nobody can reach wherever the build directory lies.
cp "$SBERF" ./sberf && chmod 755 ./sberf
cp "$WORKLOADS/shares" ./shares && chmod 755 ./shares

four=+bpf,+perfmon,+sys_ptrace,+syslog
as_nobody() {
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# samples FILE COMMAND...: COMMAND is a sberf that records the workload, for longer where that gives less than 50 samples: emulated
# machines let most of a fast timer's ticks pass.
samples() {
	local file=$1 seconds all=(1 4 16 64)
	shift
	[ -z "${SBERF_EMULATED:-}" ] || all=(4 16 64)
	for seconds in "${all[@]}"; do
		"$@" record -e cpu-clock -o "$file" -F 499 -p "$workload" --duration ${seconds}s 2>err || return
		[ "$(value "$file" oncpu_samples)" -lt 50 ] || return 0
	done
}

start_workload shares
result $? "workload is ready"

if on_share first; then
	samples out/caps.data as_nobody --inh-caps "$four" --ambient-caps "$four" ./sberf
	equal "four ambient capabilities, uid 65534: it records another user's process" 0 $?
	note "$(cat err)"
	at_least "samples" 50 "$(value out/caps.data oncpu_samples)"
	at_least "percent of user stacks complete" 99 "$(value out/caps.data oncpu_complete_percent)"
	"$SBERF" report -i out/caps.data --format folded >folded
	check "functions have names" grep -q 'main;' folded
fi

if on_share second; then
	if command -v setcap >/dev/null && setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog+ep ./sberf 2>/dev/null; then
		samples out/file.data as_nobody ./sberf
		equal "the same four as file capabilities" 0 $?
		note "$(cat err)"
		at_least "samples" 50 "$(value out/file.data oncpu_samples)"
		setcap -r ./sberf
	else
		skip "file capabilities cannot be set here" "the same four as file capabilities"
		skip "file capabilities cannot be set here" "samples"
	fi
fi

# Programs that walk stacks have been loaded by that user, as file capabilities or as ambient ones; an emulated verifier takes ten
# seconds for them.
[ -z "${SBERF_EMULATED:-}" ] || export SBERF_WITHOUT=walks
if on_share first; then
	# Without one that can be done without, it says before what will be missing afterwards.
	some=+bpf,+perfmon,+sys_ptrace
	as_nobody --inh-caps "$some" --ambient-caps "$some" ./sberf record -e cpu-clock -o out/unnamed.data -p "$workload" --duration 200ms 2>err
	equal "without cap_syslog it records" 0 $?
	matches "and says that kernel functions stay unnamed" "[kK]ernel.*(CAP_SYSLOG|cap_syslog)" "$(cat err)"

	# What libbpf said about the program that was refused: with --verbose only. Each of them takes an emulated CPU five to ten seconds,
	# and says the same there as here.
	as_nobody --inh-caps +bpf --ambient-caps +bpf ./sberf record -o out/refused.data -p "$workload" --duration 200ms 2>err
	check "without cap_perfmon it does not record" test $? -ne 0
	equal "and says so in one line" 1 "$(wc -l <err)"
	if [ -z "${SBERF_EMULATED:-}" ]; then
		as_nobody --inh-caps +bpf --ambient-caps +bpf ./sberf record --verbose -o out/refused.data -p "$workload" --duration 200ms 2>err
		matches "with --verbose it names the program that was refused" "prog 'sb_[a-z_]+'.*Operation not permitted" "$(cat err)"
		as_nobody --inh-caps +bpf --ambient-caps +bpf ./sberf top -b --iterations 1 --verbose -p "$workload" >/dev/null 2>err
		matches "so does top" "prog 'sb_[a-z_]+'.*Operation not permitted" "$(cat err)"
		as_nobody --inh-caps +bpf --ambient-caps +bpf ./sberf doctor --verbose >/dev/null 2>err
		matches "and doctor" "prog 'sb_[a-z_]+'.*Operation not permitted" "$(cat err)"
	fi
fi

# A plain user.
as_nobody --inh-caps=-all ./sberf record -e cpu-clock -o out/none.data -p "$workload" --duration 1s 2>plain
equal "a plain user: status 1" 1 $?
equal "a plain user: one line" 1 "$(wc -l <plain)"
matches "it names a capability and a command" "(CAP|cap)_.*(setcap|sudo)" "$(cat plain)"
check "no recording is left behind" test ! -e out/none.data

# Root without the capabilities, as in a container.
setpriv --bounding-set=-bpf,-perfmon,-sys_admin,-syslog,-sys_ptrace --inh-caps=-all \
	./sberf record -e cpu-clock -o out/none.data -p "$workload" --duration 1s 2>root
equal "root without capabilities: status 1" 1 $?
equal "root without capabilities: one line" 1 "$(wc -l <root)"
matches "it speaks of the container" "(--cap-add|container)" "$(cat root)"
result "$([ "$(cat plain)" != "$(cat root)" ]; echo $?)" "the two sentences differ"

# doctor never fails for lack of permission: it explains.
as_nobody --inh-caps=-all ./sberf doctor >doctor 2>&1
note "$(cat doctor)"
matches "doctor names what a plain user lacks" "(CAP|cap)_(BPF|bpf)" "$(cat doctor)"
stop_workload
finish
