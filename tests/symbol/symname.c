/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symname.c - asks the symbolizer, as sberf does, for the names of addresses in one file.
 *
 *	symname [-n] [-s SYMFS] [-d] [-t] [-m] [-l] [-w MS] FILE <addresses
 *
 * Addresses are ELF virtual addresses in hexadecimal, one a line. For each a line "ADDR: FUNC
 * FILE:LINE | FUNC FILE:LINE ...", innermost first, "?" for what is not known. -n: no details; -d:
 * debuginfod; -t: only the time it took, on stderr; -m: the most memory that it took, in bytes, on
 * stderr; -l: instead of names, a sentence about what its debug information lacks for the
 * addresses, if anything; -w: after MS milliseconds print the progress line, cancel, and leave.
 */
#include "config.h"

#include "base/clock.h"
#include "base/parse.h"
#include "base/vec.h"
#include "symbol/details.h"
#include "symbol/elffile.h"
#include "symbol/symbolizer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

struct asked {
	uint64_t vaddr;
	frame_id frame;
};

typedef VEC(struct asked) asked_vec;

static const char *file, *root_dir;

static int open_file(void *ctx, module_id module, uid_t *ret_uid, struct err *e)
{
	const int fd = open(file, O_RDONLY | O_CLOEXEC);

	return fd >= 0 ? fd : -errno;
}

static void print_names(const struct names *ns, frame_id frame)
{
	const struct frame_names *fn = names_get(ns, frame);

	if (!fn)
		printf(" ?");
	for (uint16_t i = 0; fn && i < fn->n; i++) {
		const struct name *name = &fn->name[i];

		printf("%s %s", i ? " |" : "", names_text(ns, names_func(ns, name->func)->name));
		if (name->file)
			printf(" %s:%u", names_text(ns, name->file), name->line);
		else
			printf(" ?");
	}
}

static int die(const char *what)
{
	fprintf(stderr, "symname: %s\n", what);
	return 1;
}

/* Adds a frame for each address on stdin. */
static int read_addresses(struct dict *d, const struct elf_file *f, asked_vec *ret)
{
	const struct module m = { .kind = MODULE_FILE, .path = strtab_adds(dict_strings(d), file) };
	const module_id module = dict_module(d, &m);
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		const char *p = line + (strncmp(line, "0x", 2) ? 0 : 2);
		struct asked a, *slot;
		uint64_t offset;

		if (!parse_hex(&p, line + strlen(line), &a.vaddr))
			continue;
		a.frame = elf_file_offset(f, a.vaddr, &offset) ? dict_frame(d, module, offset) : ID_NONE;
		slot = vec_push(ret);
		if (!slot)
			return die("out of memory");
		*slot = a;
	}
	return 0;
}

/* True when all is settled; otherwise says what it is at. */
static bool settled(struct symbolizer *sy, uint64_t wait_ns)
{
	char line[256];

	if (symbolizer_wait(sy, wait_ns))
		return true;
	printf("not settled: %s\n", symbolizer_progress(sy, line, sizeof(line)));
	symbolizer_cancel(sy);
	return false;
}

static int open_root(void *ctx, module_id module)
{
	return open(root_dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int answer(const struct symbolizer_options *o, bool only_time, uint64_t wait_ns)
{
	const struct module_opener opener = { .open = open_file, .root = root_dir ? open_root : NULL };
	AUTO(dict_free) struct dict *d = dict_new();
	AUTO(names_free) struct names *ns = names_new();
	AUTO(symbolizer_free) struct symbolizer *sy = NULL;
	AUTO(elf_file_free) struct elf_file *f = NULL;
	AUTO_FD int fd = open(file, O_RDONLY | O_CLOEXEC);
	asked_vec asked = { 0 };
	struct err e = ERR_INIT;
	uint64_t start;

	if (!d || !ns || fd < 0 || elf_file_open(fd, &f, &e) || read_addresses(d, f, &asked))
		return die(e.code ? e.text : strerror(errno));
	start = clock_mono_ns();
	if (symbolizer_new(d, ns, &opener, o, &sy, &e)) {
		vec_free(&asked);
		return die(e.text);
	}
	if (!settled(sy, wait_ns)) {
		vec_free(&asked);
		return 1;
	}
	if (only_time)
		fprintf(stderr, "%zu frames, %.3f ms, %zu bytes of names\n", asked.n,
			(double)(clock_mono_ns() - start) / 1e6, names_bytes(ns));
	for (size_t i = 0; i < asked.n && !only_time; i++) {
		printf("%#llx:", (unsigned long long)asked.v[i].vaddr);
		print_names(ns, asked.v[i].frame);
		putchar('\n');
	}
	vec_free(&asked);
	return 0;
}

static int tell_lack(const char *symfs)
{
	AUTO(elf_file_free) struct elf_file *f = NULL, *debug = NULL;
	AUTO(dwarf_info_free) struct dwarf_info *d = NULL;
	AUTO_FD int fd = open(file, O_RDONLY | O_CLOEXEC), debug_fd = -1;
	AUTO_FD int root = root_dir ? open(root_dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	const struct debug_places where = { symfs, root };
	struct dwarf_place place;
	struct err e = ERR_INIT;
	uint64_t vaddr;
	char line[64];

	if (fd < 0 || elf_file_open(fd, &f, &e))
		return die(e.code ? e.text : strerror(errno));
	if (!dwarf_info_present(f))
		debug = details_file(f, file, &where, &debug_fd);
	if (details_open(f, debug ? debug : f, file, &where, &d, &e)) {
		puts(e.text);
		return 0;
	}
	while (fgets(line, sizeof(line), stdin)) {
		const char *p = line;

		if (parse_hex(&p, line + strlen(line), &vaddr))
			dwarf_info_find(d, vaddr, &place, 1);
	}
	if (dwarf_info_lacks(d))
		puts(dwarf_info_lacks(d));
	return 0;
}

static void tell_memory(void)
{
	struct rusage u;

	if (!getrusage(RUSAGE_SELF, &u))
		fprintf(stderr, "%ld\n", u.ru_maxrss * 1024);
}

int main(int argc, char **argv)
{
	struct symbolizer_options o = { 0 };
	uint64_t wait_ms = 300000;
	bool only_time = false, memory = false, lack = false;
	int c, rc;

	while ((c = getopt(argc, argv, "ns:dtmlw:r:p")) != -1) {
		if (c == 'n')
			o.no_details = true;
		else if (c == 's')
			o.symfs = optarg;
		else if (c == 'd')
			o.debuginfod = true;
		else if (c == 'p')
			o.in_worker = true;
		else if (c == 't')
			only_time = true;
		else if (c == 'm')
			memory = true;
		else if (c == 'r')
			root_dir = optarg;
		else if (c == 'l')
			lack = true;
		else if (c != 'w' || parse_u64(optarg, "time", 0, 300000, &wait_ms, NULL))
			return 2;
	}
	if (optind + 1 != argc)
		return die("one FILE, please");
	file = argv[optind];
	if (lack)
		return tell_lack(o.symfs);
	rc = answer(&o, only_time, wait_ms * NSEC_PER_MSEC);
	if (memory)
		tell_memory();
	return rc;
}
