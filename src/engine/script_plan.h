/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * script_plan.h - what a plug-in has planned, as the BPF program does it: words that are near each other are read
 * at once, and only those that are wanted are kept.
 */
#ifndef SBERF_ENGINE_SCRIPT_PLAN_H
#define SBERF_ENGINE_SCRIPT_PLAN_H

#include "bpf/wire.h"

#include <sberf/plugin.h>

#include <stdint.h>

/* P, which has passed plugin_plan_check(), to *RET, with the number SERIAL. It never has more steps than P. */
void script_plan_make(const struct sberf_plan *p, uint64_t serial, struct sb_plan *ret);

#endif
