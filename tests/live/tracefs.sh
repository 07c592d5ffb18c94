# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# tracefs.sh - sourced before all else by tests that need tracefs: where nobody has mounted it, it is mounted for this test alone.
if [ -z "${OWN_MOUNTS-}" ] && ! grep -qs '^[^ ]* [^ ]* tracefs ' /proc/self/mounts && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m sh -c 'mount -t tracefs tracefs /sys/kernel/tracing; exec bash "$0"' "$0"
fi
