/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * misbehaves.c - a plug-in that does wrong, by the address that it is asked for (misbehaves.h), and
 * otherwise names every place "fine".
 */
#define _GNU_SOURCE
#include "misbehaves.h"

#include <sberf/plugin.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET 3                         /* to sberf, in the worker */

static const struct sberf_host *the_host;

/* Of enum plugin_op, and the head of a message, of src/plugin/message.h, which is not meant to be known here. */
#define ASK_READ 10
#define SAY_LOG 14

struct head {
	uint32_t op, length, call, process;
	int32_t result;
	uint32_t n;
	uint64_t a, b;
};

static int name(struct sberf_sink *sink, size_t i, const char *function)
{
	return sink->say(sink, i, &(struct sberf_said){ .size = sizeof(struct sberf_said), .kind = SBERF_SAID_COMPILED,
							.function = function, .file = "a.toy", .line = 7 });
}

static int deeper(int n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return n ? deeper(n + 1) + room[0] : 0;
}

/* Names the place by what each of these attempts has come to: all of them fail. */
static void attempt(struct sberf_sink *sink)
{
	char text[160];
	int results[5];
	pid_t pid;

	results[0] = open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? 0 : 1;
	results[1] = socket(AF_INET, SOCK_STREAM, 0) < 0 ? 0 : 1;
	pid = fork();
	if (!pid)
		_exit(0);
	results[2] = pid < 0 ? 0 : 1;
	results[3] = malloc((size_t)1 << 30) ? 1 : 0;
	results[4] = kill(getppid(), 0) ? 0 : 1;
	snprintf(text, sizeof(text), "file %d socket %d fork %d memory %d signal %d user %d", results[0], results[1],
		 results[2], results[3], results[4], geteuid() == 0);
	name(sink, 0, text);
}

/* Sends a message with that head N times, whatever sberf says to it. */
static void send_raw(const struct head *h, const void *body, int n)
{
	char message[16384];

	memcpy(message, h, sizeof(*h));
	memcpy(message + sizeof(*h), body, h->length);
	while (n-- && write(SOCKET, message, sizeof(*h) + h->length) >= 0)
		;
}

static void wrong(uint64_t what, struct sberf_sink *sink)
{
	static char huge[1 << 20];
	char byte;

	switch (what) {
	case WRONG_CRASH:
		*(volatile int *)(uintptr_t)what = 0;
		break;
	case WRONG_STACK:
		deeper(1);
		break;
	case WRONG_EXIT:
		_exit(0);
	case WRONG_SPIN:
		for (volatile int go = 1; go;)
			;
		break;
	case WRONG_SLEEP:
		while (read(SOCKET, &byte, 1) >= 0)
			;
		break;
	case WRONG_HUGE:
		memset(huge, 'A', sizeof(huge) - 1);
		name(sink, 0, huge);
		break;
	case WRONG_CONTROL:
		name(sink, 0, "a\x1b[31mb\nc\xff\xfe");
		break;
	case WRONG_MANY:
		for (int i = 0; i < 1000000 && !name(sink, 0, "again"); i++)
			;
		break;
	case WRONG_NUMBERS:
		name(sink, 77, "index");
		sink->say(sink, 0,
			  &(struct sberf_said){ .size = sizeof(struct sberf_said), .kind = 99, .function = "kind" });
		sink->say(sink, 0,
			  &(struct sberf_said){ .size = sizeof(struct sberf_said),
						.kind = 1,
						.function = "size",
						.start = 10,
						.size_bytes = UINT64_MAX });
		name(sink, 0, "");
		break;
	case WRONG_FLOOD:
		send_raw(&(struct head){ .op = SAY_LOG, .length = 256, .call = 2 }, huge, 100000000);
		break;
	case WRONG_MESSAGE:
		send_raw(&(struct head){ .op = 999, .length = 100 }, huge, 1);
		break;
	case WRONG_UNASKED:
		/* reads, whose answers nobody takes */
		send_raw(&(struct head){ .op = ASK_READ, .call = 2, .n = 4096, .a = (uintptr_t)huge }, huge, 100000);
		break;
	case WRONG_READS:
		for (int i = 0; i < 100000; i++)
			if (the_host->read(the_host, (uintptr_t)huge, huge, 1) == -EDQUOT) {
				name(sink, 0, "no more reads");
				break;
			}
		break;
	case WRONG_ATTEMPTS:
		attempt(sink);
		break;
	default:
		name(sink, 0, "fine");
	}
}

static int attach(const struct sberf_host *host, const struct sberf_process *process, void **ret_state)
{
	(void)process;
	the_host = host;
	*ret_state = NULL;
	return 0;
}

static int resolve(void *state, const uint64_t *pc, size_t n, struct sberf_sink *sink)
{
	(void)state;
	if (n)
		wrong(pc[0], sink);
	return 0;
}

/* No answer that there is. */
static int changed(void *state, uint32_t what)
{
	(void)state;
	return what & SBERF_CHANGED_CODE ? 1 : 7;
}

static int plan(void *state, struct sberf_plan *ret)
{
	(void)state;
	ret->nr_steps = 1000000;
	return 0;
}

const struct sberf_plugin *sberf_plugin_entry(uint32_t host_abi)
{
	static const struct sberf_plugin plugin = {
#ifdef WRONG_ABI
		.abi = WRONG_ABI,
#else
		.abi = SBERF_PLUGIN_ABI,
#endif
		.size = sizeof(plugin),
		.name = "misbehaves",
		.runtime = "none",
		.versions = "1\x1b[0m",
		.attach = attach,
		.resolve = resolve,
		.changed = changed,
		.plan = plan,
	};

	(void)host_abi;
	return &plugin;
}
