// SPDX-License-Identifier: BSD-2-Clause
/*
 * latenames.c - calls into code written at run time that has no frame pointer, and tells its name
 * and how to unwind it: latenames S HOW [DIR]
 *
 * HOW is "map", a perf map written at the end; "dump", a jitdump file in DIR, of which all but the
 * header is written at the end; or "unwind", the same at the beginning. What is called in it calls
 * back, after 64 bytes were put on the stack.
 */
#include "workload.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__x86_64__)
/* sub $64,%rsp; call *%rdi; add $64,%rsp; ret */
static const unsigned char code_bytes[] = { 0x48, 0x83, 0xec, 0x40, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x40, 0xc3 };
#define MACHINE 62
#else
#error "latenames: write the code of this architecture"
#endif
#define PAGE 4096
#define NAME "made_at_run_time"
#define TABLE_AT 16                      /* of .eh_frame, behind the start of the code: its size rounded up to 8 */

static const unsigned char *code;
static int dump = -1;
static volatile sig_atomic_t over;

struct record {
	uint32_t id, size;
	uint64_t time;
};

struct __attribute__((packed)) eh {
	uint32_t cie_len, cie_id;
	uint8_t version, augmentation[3], code_align, data_align, ra, aug_len, enc, cie_ops[7];
	uint32_t fde_len, cie_at;
	int32_t start;
	uint32_t size;
	uint8_t fde_aug, fde_ops[7], end[4];
};

struct __attribute__((packed)) eh_hdr {
	uint8_t version, ptr_enc, count_enc, table_enc;
	int32_t ptr;
	uint32_t count;
	int32_t start, fde;
};

struct __attribute__((packed)) unwinding {
	struct record r;
	uint64_t size, hdr_size, mapped_size;
	struct eh eh;
	struct eh_hdr hdr;
};

NOINLINE void called_by_jit(void)
{
	burn(100000);
	sink++;
}

NOINLINE void call_jit(void)
{
	((void (*)(void (*)(void)))(void *)code)(called_by_jit);
	sink++;
}

static void put(const void *data, size_t len)
{
	if (write(dump, data, len) != (ssize_t)len)
		_exit(1);
}

/*
 * What DWARF says of code_bytes, as a jitdump file has it: tables as they would lie behind the code
 * (perf's genelf.c).
 */
static void put_unwinding(void)
{
	struct unwinding u = {
		.r = { 4, sizeof(u), 0 }, .size = sizeof(u.eh) + sizeof(u.hdr), .hdr_size = sizeof(u.hdr),
		.eh = { .cie_len = 20, .version = 1, .augmentation = "zR", .code_align = 1, .data_align = 0x78,
			.ra = 16, .aug_len = 1, .enc = 0x1b,
			/* cfa = rsp + 8, ra at cfa - 8 */
			.cie_ops = { 0x0c, 7, 8, 0x90, 1 },
			.fde_len = 20, .size = sizeof(code_bytes), .fde_ops = { 0x44, 0x0e, 72, 0x46, 0x0e, 8 } },
		.hdr = { .version = 1, .ptr_enc = 0x1b, .count_enc = 3, .table_enc = 0x3b, .count = 1 },
	};

	u.eh.cie_at = offsetof(struct eh, cie_at);
	u.eh.start = -(int32_t)(TABLE_AT + offsetof(struct eh, start));
	u.hdr.ptr = -(int32_t)(sizeof(u.eh) + offsetof(struct eh_hdr, ptr));
	u.hdr.start = -(int32_t)(TABLE_AT + sizeof(u.eh));
	u.hdr.fde = (int32_t)offsetof(struct eh, fde_len) - (int32_t)sizeof(u.eh);
	put(&u, sizeof(u));
}

static void put_code(void)
{
	const struct record r = { 0, sizeof(r) + 40 + sizeof(NAME) + sizeof(code_bytes), 0 };
	const uint32_t ids[2] = { (uint32_t)getpid(), (uint32_t)getpid() };
	const uint64_t load[4] = { (uintptr_t)code, (uintptr_t)code, sizeof(code_bytes), 1 };

	put_unwinding();
	put(&r, sizeof(r));
	put(ids, sizeof(ids));
	put(load, sizeof(load));
	put(NAME, sizeof(NAME));
	put(code_bytes, sizeof(code_bytes));
}

static void open_dump(const char *dir)
{
	const uint32_t header[10] = { 0x4A695444, 1, sizeof(header), MACHINE, 0, (uint32_t)getpid() };
	char path[512];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	dump = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	put(header, sizeof(header));
	/* The mark by which profilers find it. */
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) == MAP_FAILED)
		exit(1);
}

static void write_map(void)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f || fprintf(f, "%lx %zx %s\n", (unsigned long)(uintptr_t)code, sizeof(code_bytes), NAME) < 0 || fclose(f))
		exit(1);
}

static void end(int sig)
{
	over = sig;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "map";
	unsigned char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return 1;
	memcpy(page, code_bytes, sizeof(code_bytes));
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC))
		return 1;
	code = page;
	if (strcmp(how, "map"))
		open_dump(argc > 3 ? argv[3] : "/tmp");
	if (!strcmp(how, "unwind"))
		put_code();
	signal(SIGALRM, end);
	signal(SIGTERM, end);
	end_after(argc, argv);
	ready();
	while (!over)
		call_jit();
	if (!strcmp(how, "map"))
		write_map();
	if (!strcmp(how, "dump"))
		put_code();
	return 0;
}
