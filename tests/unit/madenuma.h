/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * madenuma.h - views by node made by hand, for tests of what shows them: a topology of any kind,
 * and a service on it whose memory was put on its first node by the thread that loaded it.
 */
#ifndef SBERF_TESTS_UNIT_MADENUMA_H
#define SBERF_TESTS_UNIT_MADENUMA_H

#include "query/numareport.h"
#include "tests/unit/madesession.h"

#define MADE_NODES 128u

struct made_numa {
	struct made m;
	struct numa_state *state;
	struct numa_view v;      /* to be read by what is tested, and changed by the test in between */
};

/* What a node is like, by letter: */
#define MADE_BOTH 'b'            /* CPUs and memory */
#define MADE_NO_CPU 'm'          /* memory only */
#define MADE_NO_MEMORY 'c'       /* CPUs only */
#define MADE_EMPTY 'e'           /* neither */
#define MADE_OFFLINE 'o'         /* facts name it, the topology does not */
#define MADE_GAP '-'             /* there is no node of this number */

/* A view of nodes that are like the letters of KINDS, by number: "bb", "bm-b". Nothing has been seen there yet. */
void madenuma_init(struct made_numa *n, const char *kinds);
void madenuma_free(struct made_numa *n);

/*
 * The service: for 60 s its threads run on all CPUs, on node 0 most; FUNCS functions access memory,
 * most of it on node 0; and all else that a view tells. To be called once.
 */
void madenuma_service(struct made_numa *n, uint32_t funcs);

/*
 * Nodes like KINDS behind F, whose figures are of a minute: a worker on the last node that has
 * CPUs, whose accesses go to what the main thread touched first on node 0; moves between both.
 */
void madenuma_session(struct made_session *f, const char *kinds);

struct numaview;
struct treeview;
/* Shows NV, borrowed, in TV, as the pane does. */
void madenuma_show(struct treeview *tv, const struct numaview *nv);

#endif
