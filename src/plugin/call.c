/* SPDX-License-Identifier: BSD-2-Clause */
/* call.c - what is true of a call in both places. */
#include "config.h"

#include "plugin/call.h"

size_t plugin_call_asked(const struct plugin_call *c)
{
	if (c->op == PLUGIN_EXPAND)
		return c->taken->nr_records;
	return c->op == PLUGIN_RESOLVE || c->op == PLUGIN_THREADS ? c->n : 0;
}

const char *plugin_call_name(enum plugin_op op)
{
	static const char *const names[PLUGIN_OPS] = {
		[PLUGIN_ATTACH] = "attach", [PLUGIN_DETACH] = "detach", [PLUGIN_PLAN] = "plan",
		[PLUGIN_CLAIMS] = "claims", [PLUGIN_RESOLVE] = "resolve", [PLUGIN_EXPAND] = "expand",
		[PLUGIN_CHANGED] = "changed", [PLUGIN_THREADS] = "threads", [PLUGIN_HELLO] = "its start",
	};

	return op < PLUGIN_OPS && names[op] ? names[op] : "no call";
}

bool plugin_call_result_check(const struct plugin_call *c, int result)
{
	if (result < 0)
		return result >= -4095;
	switch (c->op) {
	case PLUGIN_CLAIMS:
		return result <= SBERF_CLAIM_EXPAND;
	case PLUGIN_CHANGED:
		return result <= 1;
	case PLUGIN_PLAN:
		return plugin_plan_check(c->plan);
	default:
		return true;
	}
}
