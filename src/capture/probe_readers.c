/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe_readers.c - the facts of probe.h about what reads files and asks where pages are. Apart from probe_gather.c,
 * which the collector is made of, too: that reads no files.
 */
#include "config.h"

#include "base/parse.h"
#include "capture/probe.h"
#include "symbol/unpack.h"
#include "system/cpus.h"
#include "system/topology.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <string.h>

/* libdw has packages since 0.191 (its NEWS); versions are "0.NUMBER". */
static void gather_elfutils(struct probe_facts *f)
{
	const char *version = dwfl_version(NULL), *p = version ? version : "", *end = p + strlen(p);
	uint64_t major = 0, minor = 0;

	snprintf(f->elfutils, sizeof(f->elfutils), "%s", p);
	f->zstd = unpack_knows_zstd();
	f->packages = parse_dec(&p, end, &major) && p < end && *p++ == '.' && parse_dec(&p, end, &minor) &&
		(major || minor >= 191);
}

static void gather_nodes(struct probe_facts *f)
{
	struct numa_topology t;
	void *page = &t;
	int status;

	if (!topology_read(SYSTEM_DIR, &t, NULL)) {
		f->nodes = t.nr;
		topology_distances(&t, f->distances, sizeof(f->distances));
		topology_free(&t);
	}
	f->move_pages = numa_move_pages(0, 1, &page, NULL, &status, 0) < 0 ? errno : 0;
}

void probe_gather_readers(struct probe_facts *f)
{
	gather_nodes(f);
	gather_elfutils(f);
}
