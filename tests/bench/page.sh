#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# page.sh - what `sberf serve -a` costs with and without a page, on this machine with a hundred processes more that do little.
set -u
work=$(mktemp -d)
pids=()

cleanup() {
	kill "${pids[@]}" 2>/dev/null
	rm -rf "$work"
}
trap cleanup EXIT

for _ in {1..100}; do
	python3 -c 'import time
while True:
    sum(range(2000))
    time.sleep(0.2)' &
	pids+=($!)
done
sleep 5
cd "$work" && PYTHONDONTWRITEBYTECODE=1 python3 "${top_srcdir:?}/tests/bench/serve.py" "${SBERF:?}" "${SECONDS_EACH:-15}" -a
