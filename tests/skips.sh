#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# skips.sh LOG... - what each kind of machine can run. A test may be skipped only for a reason of the table below, and only where
# the condition beside it holds: a test skipped for another reason, or where it could have run, is printed, and the exit status is
# the number of such tests (at most 100). `make check` counts them as failed.
PATH=$PATH:/usr/sbin:/sbin

absent() {
	! command -v "$1" >/dev/null
}

# Is capability NUMBER (linux/capability.h) missing from this process?
no_capability() {
	local have
	have=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
	[ $((0x${have:-0} >> $1 & 1)) -eq 0 ]
}

no_file_capabilities() {
	local file rc=0
	file=$(mktemp) || return 0
	setcap cap_bpf+ep "$file" 2>/dev/null || rc=1
	rm -f "$file"
	[ "$rc" -ne 0 ]
}

# Does the compiler make 32-bit programs, and the kernel run them?
runs_32_bit() {
	local dir rc=0
	dir=$(mktemp -d) || return 1
	printf 'void _start(void) { __asm__ volatile("int $0x80" : : "a"(1), "b"(0)); }\n' >"$dir/x.c"
	${CC:-cc} -m32 -nostdlib -static -fno-pie -no-pie -o "$dir/x" "$dir/x.c" 2>/dev/null && "$dir/x" || rc=1
	rm -rf "$dir"
	return "$rc"
}

# Is there no container that runc could make of a folder with busybox, as in tests/live/container.sh?
no_runc_container() {
	local dir rc=1
	dir=$(mktemp -d) || return 0
	mkdir -p "$dir/rootfs/bin" "$dir/rootfs/proc" "$dir/rootfs/dev" "$dir/rootfs/sys"
	cp "$(command -v busybox)" "$dir/rootfs/bin/true" && runc spec -b "$dir" && python3 - "$dir/config.json" <<-'PY' &&
		import json, sys
		spec = json.load(open(sys.argv[1]))
		spec["process"].update(terminal=False, args=["/bin/true"], rlimits=[])
		json.dump(spec, open(sys.argv[1], "w"))
	PY
		timeout 20 runc --root "$dir/runc" run -b "$dir" "sberf-skips-$$" </dev/null >/dev/null 2>&1 || rc=0
	runc --root "$dir/runc" delete -f "sberf-skips-$$" 2>/dev/null
	rm -rf "$dir"
	return "$rc"
}

# Those of virtual machines do not count (tests/live/capture.sh).
no_hardware_counter() {
	grep -qw hypervisor /proc/cpuinfo || ! perf stat -e cycles true 2>&1 | grep -q '[0-9] *cycles'
}

# Pairs: a pattern of the reason, and the condition that makes it right. $1 is what the first parentheses matched.
table=(
	'^no hardware counter'                           'no_hardware_counter'
	'^([A-Za-z0-9_+-]+)( \(.*\))? is not installed'  'absent "$1"'
	'^(capturing )?needs root|^not root'             '[ "$(id -u)" -ne 0 ]'
	'^the kernel has no BTF'                         '[ ! -r /sys/kernel/btf/vmlinux ]'
	'^CAP_BPF is missing'                            'no_capability 39'
	'file capabilities'                              'no_file_capabilities'
	'^runc makes no container here'                  'no_runc_container'
	'^this kernel has no Landlock'                   '[ "$(python3 -c "import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1))")" -le 0 ]'
	'^no writable cgroup of memory'                  '! command -v objcopy >/dev/null || [ ! -w /sys/fs/cgroup/memory/memory.limit_in_bytes ]'
	'^no writable cgroup v2'                         '[ ! -w /sys/fs/cgroup/cgroup.subtree_control ]'
	'^no user namespaces'                            '! unshare --user true'
	'^no pid namespaces'                             '! unshare --pid --fork true'
	'^redis-server is not on jemalloc'               '! ldd "$(command -v redis-server)" | grep -q jemalloc'
	'^no C\+\+ compiler'                             'absent "${CXX:-g++}"'
	'^no jsonschema for python3'                     '! python3 -c "import jsonschema" && ! /usr/bin/python3 -c "import jsonschema"'
	'^no (xz|objcopy|setpriv)( |$)'                  'absent "$1"'
	'^no figures of Linux ([0-9.]+) are kept'        '! grep -q "^$1[[:space:]]" "${0%/*}/live/verifier.tsv"'
	'^no 32-bit programs'                            '! runs_32_bit'
	'^this kernel sets no probes by perf'            '[ ! -r /sys/bus/event_source/devices/uprobe/type ]'
	'^no tracefs is mounted'                         '[ ! -r /sys/kernel/tracing/events/sched/sched_switch/id ]'
	'^this kernel has no sessions of probes'         '! grep -qw bpf_session_is_return /proc/kallsyms'
	'^no io_uring'                                   '[ "$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null || echo 1)" != 0 ]'
	'^no hugetlbfs can be mounted'                   'no_capability 21'
	'^no memory for huge pages'                      '! awk "/^MemFree/ { exit !(\$2 > 1048576) }" /proc/meminfo'
	'^there is no /dev/full'                         '[ ! -w /dev/full ]'
	'^the guest is an x86-64 one'                    '[ "$(uname -m)" != x86_64 ]'
	'^no kernel image can be downloaded'             'true'
	'^(tests/[a-z_/]+\.sh) has passed with these files' 'grep -q " $1\$" "${0%/*}/passed.sums"'
	'^no npm registry'                               'true'
	'^no node 24 for this machine'                   '[ "$(uname -m)" != x86_64 ] && [ "$(uname -m)" != aarch64 ]'
	'^no compiler for .* on this machine| could not be built on this machine'
							 'absent go || absent musl-gcc || absent ld.lld'
)

# justified REASON: is it in the table, and true here?
justified() {
	local i
	for ((i = 0; i < ${#table[@]}; i += 2)); do
		if [[ $1 =~ ${table[i]} ]]; then
			set -- "${BASH_REMATCH[1]-}"
			eval "${table[i + 1]}" >/dev/null 2>&1
			return
		fi
	done
	return 1
}

bad=0
while IFS= read -r line; do
	reason=${line##*# SKIP }
	[ "$reason" != "$line" ] || reason=${line#* - }
	if ! justified "$reason"; then
		printf 'skipped without a good reason: %s\n' "${line#SKIP: }"
		bad=$((bad + 1))
	fi
done < <([ $# -eq 0 ] || grep -h '^SKIP: ' -- "$@")
exit $((bad < 100 ? bad : 100))
