/* SPDX-License-Identifier: BSD-2-Clause */
/* plugin.c - a plug-in that names what toy.c compiles: a list in its memory, behind the variable toy_functions. */
#include <errno.h>
#include <sberf/plugin.h>

struct toy_function {
	uint64_t next, start, size, name;        /* addresses in the process */
};

struct toy {
	const struct sberf_host *host;
	uint64_t list;                           /* where the address of the first function is */
};

static int toy_attach(const struct sberf_host *host, const struct sberf_process *process, void **ret_state)
{
	struct toy *t = host->allocate(host, sizeof(*t));
	int r = t ? host->symbol(host, NULL, "toy_functions", &t->list, NULL) : -ENOMEM;

	if (r || !process->pid)
		return -ENOENT;                  /* it is no program with this runtime */
	t->host = host;
	*ret_state = t;
	return 0;
}

/* Names PC, number I of those asked for. What is read may be nonsense, and a list may be a circle. */
static void toy_name(const struct toy *t, size_t i, uint64_t pc, struct sberf_sink *sink)
{
	struct toy_function f = { .next = 0 };
	char name[64] = "";

	t->host->read(t->host, t->list, &f.next, sizeof(f.next));
	for (int n = 0; f.next && n < 500 && !t->host->read(t->host, f.next, &f, sizeof(f)); n++)
		if (pc - f.start < f.size && !t->host->read(t->host, f.name, name, sizeof(name) - 1))
			sink->say(sink, i, &(struct sberf_said){ .size = sizeof(struct sberf_said),
				.kind = SBERF_SAID_COMPILED, .function = name, .start = f.start,
				.size_bytes = f.size });
}

static int toy_resolve(void *state, const uint64_t *pc, size_t n, struct sberf_sink *sink)
{
	for (size_t i = 0; i < n; i++)
		toy_name(state, i, pc[i], sink);
	return 0;
}

static int toy_changed(void *state, uint32_t what)
{
	return state && what & SBERF_CHANGED_CODE ? 1 : 0;       /* more may have been compiled since */
}

const struct sberf_plugin *sberf_plugin_entry(uint32_t host_abi)
{
	static const struct sberf_plugin plugin = { .abi = SBERF_PLUGIN_ABI, .size = sizeof(plugin), .name = "toy",
		.attach = toy_attach, .resolve = toy_resolve, .changed = toy_changed };
	return host_abi == SBERF_PLUGIN_ABI ? &plugin : NULL;
}
