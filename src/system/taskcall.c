/* SPDX-License-Identifier: BSD-2-Clause */
/* taskcall.c - the text of two files of a thread. */
#include "config.h"

#include "system/taskcall.h"

#include "base/parse.h"
#include "system/procfs.h"

#include <errno.h>
#include <string.h>

#define STATUS_MAX 8192u         /* bytes of a status: lists of CPUs and nodes stand in it */

static bool take_hex(const char **at, const char *end, uint64_t *ret)
{
	if (end - *at < 3 || strncmp(*at, " 0x", 3) != 0)
		return false;
	*at += 3;
	return parse_hex(at, end, ret);
}

bool task_call_parse(const char *text, struct task_call *ret)
{
	struct task_call call = { .number = -1 };
	const char *at = text, *end = text + strlen(text);
	uint64_t number;

	if (!strcmp(text, "running\n")) {
		*ret = (struct task_call){ .running = true, .number = -1 };
		return true;
	}
	if (!strncmp(at, "-1", 2)) {
		at += 2;
	} else {
		if (!parse_dec(&at, end, &number) || number > INT32_MAX)
			return false;
		call.number = (int64_t)number;
		for (size_t i = 0; i < sizeof(call.args) / sizeof(call.args[0]); i++)
			if (!take_hex(&at, end, &call.args[i]))
				return false;
	}
	if (!take_hex(&at, end, &call.sp) || !take_hex(&at, end, &call.pc) || strcmp(at, "\n") != 0)
		return false;
	*ret = call;
	return true;
}

/* The number behind NAME at the begin of a line of TEXT. */
static bool status_number(const char *text, const char *name, uint64_t *ret)
{
	const size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, len)) {
			line += len + strspn(line + len, "\t ");
			return parse_dec(&line, line + strlen(line), ret);
		}
	}
	return false;
}

bool task_switches_parse(const char *text, uint64_t *ret)
{
	uint64_t voluntary, other;

	if (!status_number(text, "voluntary_ctxt_switches:", &voluntary) ||
	    !status_number(text, "nonvoluntary_ctxt_switches:", &other))
		return false;
	*ret = voluntary + other;
	return true;
}

int task_call_read(int dir, struct task_call *ret)
{
	char text[256];
	const ssize_t n = proc_read_text(dir, "syscall", text, sizeof(text));

	if (n < 0)
		return (int)n;
	return task_call_parse(text, ret) ? 0 : -EBADMSG;
}

int task_switches_read(int dir, uint64_t *ret)
{
	char text[STATUS_MAX];

	if (!proc_read_start(dir, "status", text, sizeof(text)))
		return -ESRCH;
	return task_switches_parse(text, ret) ? 0 : -EBADMSG;
}
