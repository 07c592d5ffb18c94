#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# timed.sh COMMAND... - runs a test, and says at the end of its log how long it took, and how long its processes ran, those that it
# waited for. totals.sh shows the slowest. The status is that of COMMAND.
TIMEFORMAT='# took %1R s: CPU %1U s, %1S s of the kernel'
{ time "$@" 2>&3; } 3>&2 2>&1
