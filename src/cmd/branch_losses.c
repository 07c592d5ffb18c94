/* SPDX-License-Identifier: BSD-2-Clause */
/* branch_losses.c - see branch_losses.h. */
#include "config.h"

#include "cmd/branch_losses.h"

#include "base/units.h"

#include <inttypes.h>

static const char *const branch_losses[BRANCH_LOSSES] = {
	[LOSS_HITS] = "lost hits, whose calls have gaps or are missing",
	[LOSS_FULL] = "lost calls, which came faster than they were read",
	[LOSS_CROWDED] = "calls left out, as too many others were under way on their CPU",
	[LOSS_OFF] = "calls that came while none was followed, as breakpoints cost more than --budget",
	[LOSS_NO_RECORDS] = "calls of which the CPU has no records",
	[LOSS_STACKS] = "calls without their stack: it was lost, no thread ran on that CPU, or stacks cost more than "
		"--budget",
	[LOSS_LATE] = "hits that came too late to be in order",
	[LOSS_UNBEGUN] = "hits of calls that had begun before",
	[LOSS_STRANGE] = "hits of breakpoints in calls that are not followed",
	[LOSS_LEFT] = "calls left without a return (exceptions, longjmp)",
	[LOSS_SLICES] = "calls left out, since their end was not seen: probes were off by then",
	[LOSS_END] = "calls left out, since their return was not seen",
	[LOSS_UNRETURNED] = "calls within others whose return was not seen",
	[LOSS_OPEN] = "calls that had not ended",
	[LOSS_WAYS] = "times that the way from one place to the next is not known",
	[LOSS_BRANCHES] = "branches left out, of calls with more than 16,384",
	[LOSS_CALLS] = "calls left out, of graphs with more than 8,192",
	[LOSS_EARLY] = "calls by pointer that came before what they call was followed",
	[LOSS_POINTED] = "calls by pointer of functions that are not followed",
	[LOSS_POINTED_FULL] = "calls by pointer left out, as there were too many different ones to count them",
	[LOSS_POINTERS] = "places that call by pointer left out, of more than 64",
	[LOSS_UNWATCHED] = "jumps that were watched in no call, as there were too few calls, or all came at once",
	[LOSS_OWN] = "records of what takes the records, left out",
	[LOSS_BEFORE] = "records from before the call, left out",
	[LOSS_UNNAMED] = "ends of branches in no known function",
	[LOSS_REFUSED] = "hits left out for want of room",
	[LOSS_UNRECORDED] = "calls missing in the recording: there was no room, or their begin was lost",
	[LOSS_UNMET] = "calls that do not meet the condition of their function",
	[LOSS_UNKNOWN] = "calls left out, of which the condition asks for what is not known: a result without a "
		"return, or a parameter without debug information",
	[LOSS_UNTOLD] = "calls or branches left out for want of memory",
};

void branch_losses_say(const uint64_t loss[BRANCH_LOSSES], FILE *json)
{
	char text[UNITS_MAX];

	for (unsigned int i = 0; i < BRANCH_LOSSES; i++) {
		if (!loss[i])
			continue;
		fprintf(stderr, "sberf branches: %s: %s\n", branch_losses[i], units_thousands(text, loss[i]));
		if (json)
			fprintf(json, "{\"what\":\"%s\",\"count\":%" PRIu64 "}\n", branch_losses[i], loss[i]);
	}
}
