// SPDX-License-Identifier: BSD-2-Clause
/* dlopen_cycle.c - maps plugin_a.so, works in it for 20 ms, unmaps it, does the same with plugin_b.so, and so on. */
#include "workload.h"

#include <dlfcn.h>
#include <libgen.h>
#include <string.h>

typedef void plugin_fn(void (*work)(void));

NOINLINE void plugin_callback(void)
{
	burn(1000000);
}

static void work_in(const char *dir, char which)
{
	char path[4096], name[] = "plugin_?_work";
	plugin_fn *fn;
	void *so;

	snprintf(path, sizeof(path), "%s/plugin_%c.so", dir, which);
	name[7] = which;
	so = dlopen(path, RTLD_NOW);
	fn = so ? (plugin_fn *)dlsym(so, name) : NULL;
	if (!fn) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	for (int i = 0; i < 20; i++)
		fn(plugin_callback);
	dlclose(so);
}

int main(int argc, char **argv)
{
	char self[4096] = "";

	end_after(argc, argv);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	dirname(self);
	ready();
	for (;;) {
		work_in(self, 'a');
		work_in(self, 'b');
	}
}
