/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drops.c - loads the BPF program of drops.bpf.c, says "ready ID SIZE SIZE", with the bytes of code of both its
 * functions, and runs it with packets (BPF_PROG_TEST_RUN) as lines on standard input say, "KIND COUNT", each of which
 * it answers with "done". KIND is short, version, unknown, low or pass; all is each of them in turn.
 *
 *	drops [FILE]
 *
 * FILE gets the machine code of the program: of its functions one behind the other.
 */
#include "config.h"

#include "tests/live/drops.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS 2u
#define PACKET_BYTES 64u
#define SHORT_BYTES 16u          /* the kernel runs no shorter ones */
#define KNOWN 7u
#define LOW 8u
#define UNKNOWN 9u

static const struct packet {
	const char *name;
	uint32_t bytes;
	uint8_t version, kind;
} packets[] = {
	{ "short", SHORT_BYTES, 4, KNOWN }, { "version", PACKET_BYTES, 6, KNOWN }, { "unknown", PACKET_BYTES, 4,
										    UNKNOWN },
	{ "low", PACKET_BYTES, 4, LOW }, { "pass", PACKET_BYTES, 4, KNOWN },
};

static int run(int fd, const struct packet *p)
{
	uint8_t data[PACKET_BYTES] = { p->version, p->kind };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = data, .data_size_in = p->bytes, .repeat = 1);

	return bpf_prog_test_run_opts(fd, &opts);
}

/* Writes the machine code of FD to PATH. */
static int write_code(int fd, const char *path)
{
	static uint8_t code[65536];
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);
	FILE *f = fopen(path, "w");

	info.jited_prog_len = sizeof(code);
	info.jited_prog_insns = (uint64_t)(uintptr_t)code;
	if (!f || bpf_obj_get_info_by_fd(fd, &info, &len) || fwrite(code, 1, info.jited_prog_len, f) !=
	    info.jited_prog_len)
		return -1;
	return fclose(f);
}

int main(int argc, char **argv)
{
	struct drops_bpf *d = drops_bpf__open_and_load();
	const uint32_t kinds[][2] = { { KNOWN, 3 }, { LOW, 2 } };
	uint32_t sizes[FUNCTIONS] = { 0 };
	struct bpf_prog_info info = { .nr_jited_func_lens = FUNCTIONS, .jited_func_lens = (uint64_t)(uintptr_t)sizes };
	uint32_t len = sizeof(info);
	char what[32];
	unsigned int n;
	int fd;

	if (!d)
		return 1;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		bpf_map_update_elem(bpf_map__fd(d->maps.levels), &kinds[i][0], &kinds[i][1], BPF_ANY);
	fd = bpf_program__fd(d->progs.drops);
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || (argc > 1 && write_code(fd, argv[1])))
		return 1;
	printf("ready %u %u %u\n", info.id, sizes[0], sizes[1]);
	fflush(stdout);
	while (scanf("%31s %u", what, &n) == 2) {
		for (unsigned int i = 0; i < n; i++)
			for (size_t k = 0; k < sizeof(packets) / sizeof(packets[0]); k++)
				if ((!strcmp(what, "all") || !strcmp(what, packets[k].name)) && run(fd, &packets[k]))
					return 1;
		puts("done");
		fflush(stdout);
	}
	drops_bpf__destroy(d);
	return 0;
}
