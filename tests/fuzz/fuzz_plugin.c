/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_plugin.c - any messages from a worker to sberf, and from sberf to a worker: neither side breaks, and what
 * a plug-in has said is clean. The first byte says which side reads and what was asked; each message is a length
 * of two bytes and so many bytes.
 */
#include "config.h"

#include "base/text.h"
#include "plugin/in_worker.h"
#include "plugin/serving.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int fuzz_attach(const struct sberf_host *host, const struct sberf_process *process, void **ret_state)
{
	uint64_t address;
	char byte[16];

	if (strlen(process->exe) >= PLUGIN_PATH_MAX)
		abort();
	host->read(host, 1, byte, sizeof(byte));
	host->symbol(host, "m", "s", &address, NULL);
	*ret_state = (void *)host;
	return 0;
}

static int fuzz_resolve(void *state, const uint64_t *pc, size_t n, struct sberf_sink *sink)
{
	const struct sberf_host *host = state;
	struct sberf_mapped m;
	uint64_t sum = 0;
	int fd;

	for (size_t i = 0; i < n; i++)
		sum += pc[i];
	if (!host->mapped(host, sum % 7, &m) && strlen(m.path) >= PLUGIN_PATH_MAX)
		abort();
	fd = host->file(host, SBERF_FILE_NAMES);
	if (fd >= 0)
		close(fd);
	host->log(host, "said");
	sink->say(sink, sum % 3, &(struct sberf_said){ .size = sizeof(struct sberf_said), .kind = SBERF_SAID_NOTE,
						       .function = "f" });
	return 0;
}

static int fuzz_expand(void *state, const struct sberf_taken *taken, struct sberf_sink *sink)
{
	const unsigned char *p = taken->records;
	unsigned int sum = 0;

	(void)state;
	for (size_t i = 0; i < (size_t)taken->nr_records * taken->record_bytes; i++)
		sum += p[i];
	return sum == 1 && sink ? 1 : 0;
}

static int fuzz_claims(void *state, uint64_t pc)
{
	return state && pc ? SBERF_CLAIM_NAME : SBERF_CLAIM_NONE;
}

static const struct sberf_plugin plugin = {
	.abi = SBERF_PLUGIN_ABI, .size = sizeof(plugin), .name = "fuzz", .attach = fuzz_attach, .claims = fuzz_claims,
	.resolve = fuzz_resolve, .expand = fuzz_expand,
};

/* Puts the messages of DATA into a socket, behind which nothing comes; *RET_PEER is its other end. */
static int socket_with(const uint8_t *data, size_t size, int *ret_peer)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair))
		abort();
	while (size > 2) {
		size_t n = data[0] | (size_t)data[1] << 8;

		if (n > size - 2)
			n = size - 2;
		if (send(pair[1], data + 2, n, MSG_NOSIGNAL) < 0)
			break;
		data += 2 + n;
		size -= 2 + n;
	}
	shutdown(pair[1], SHUT_WR);
	*ret_peer = pair[1];
	return pair[0];
}

static void hear(void *ctx, size_t i, const struct sberf_said *said)
{
	const struct plugin_call *c = ctx;

	if (i >= plugin_call_asked(c) || !*said->function || !text_is_clean(said->function, strlen(said->function)) ||
	    !text_is_clean(said->file, strlen(said->file)))
		abort();
}

static void fuzz_host(unsigned int what, const uint8_t *data, size_t size)
{
	static const enum plugin_op ops[] = { PLUGIN_CLAIMS, PLUGIN_RESOLVE, PLUGIN_EXPAND, PLUGIN_CHANGED,
					      PLUGIN_PLAN };
	static const uint64_t records[4];
	const struct sberf_taken taken = {
		.size = sizeof(taken), .nr_records = 2, .record_bytes = 16, .records = records
	};
	char log[PLUGIN_LOG_MAX] = "";
	const uint64_t pc[2] = { 1, 2 };
	struct plugin_target target;
	struct sberf_plan plan;
	struct plugin_call c = { .op = ops[what % (sizeof(ops) / sizeof(*ops))], .target = &target, .pc = pc, .n = 2,
				 .taken = &taken, .plan = &plan, .say = hear, .log = log };
	int peer, r;
	struct in_worker *o = in_worker_of(socket_with(data, size, &peer));
	struct err fault = ERR_INIT;

	plugin_target_init(&target, &(struct plugin_source){ .pid = 1 }, NULL);
	c.ctx = &c;
	r = in_worker_call(o, &c, &fault);
	if (!text_is_clean(log, strlen(log)) || (!r && c.op == PLUGIN_PLAN && !plugin_plan_check(&plan)))
		abort();
	in_worker_free(o);
	close(peer);
	plugin_target_clear(&target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	int socket, peer;

	if (!size)
		return 0;
	if (data[0] & 1) {
		fuzz_host(data[0] >> 1, data + 1, size - 1);
		return 0;
	}
	socket = socket_with(data + 1, size - 1, &peer);
	serving_loop(socket, &plugin, &e);
	close(socket);
	close(peer);
	return 0;
}
