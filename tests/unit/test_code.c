/* SPDX-License-Identifier: BSD-2-Clause */
/* test_code.c - rules from this program's own code, from files that are none, and with files that hang. */
#include "config.h"

#include "numa/code.h"

#include "base/clock.h"
#include "symbol/elffile.h"

#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define RBX 3
#define RSI 4
#define RDI 5

/* A function whose second instruction touches memory, and its third place. */
__asm__(".pushsection .text\n"
	".type known_code, @function\n"
	"known_code:\n"
	".cfi_startproc\n"
	"	xor %eax, %eax\n"
	"	mov 24(%rdi), %rcx\n"
	"known_place:\n"
	"	add %rcx, %rax\n"
	"	ret\n"
	".cfi_endproc\n"
	".size known_code, . - known_code\n"
	".popsection\n");
extern const uint8_t known_code[], known_place[];

struct fixture {
	struct dict *dict;
	struct code *code;
	_Atomic int opens;
	int gate[2];             /* opening "hang" waits until it is closed */
	char path[64];           /* of the file with made-up code */
};

static int open_module(void *ctx, module_id module, struct err *e)
{
	struct fixture *fx = ctx;
	const char *path = strtab_get(dict_strings(fx->dict), dict_get_module(fx->dict, module)->path);
	char c;
	int fd;

	fx->opens++;
	if (!strcmp(path, "hang") && read(fx->gate[0], &c, 1) <= 0)
		return -EIO;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int set_up(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	struct code_config config = { .open = open_module, .ctx = fx };

	if (!fx || pipe(fx->gate))
		return -1;
	fx->dict = dict_new();
	config.dict = fx->dict;
	if (!fx->dict || code_new(&config, &fx->code, NULL))
		return -1;
	*state = fx;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fx = *state;

	code_free(fx->code);
	if (fx->gate[1] >= 0)
		close(fx->gate[1]);
	close(fx->gate[0]);
	if (fx->path[0])
		unlink(fx->path);
	dict_free(fx->dict);
	free(fx);
	return 0;
}

static module_id add_module(struct fixture *fx, enum module_kind kind, const char *path)
{
	struct module m = { .kind = kind };

	m.path = strtab_add(dict_strings(fx->dict), path, strlen(path));
	return dict_module(fx->dict, &m);
}

/* The rule of OFFSET in MODULE, waited for. */
static struct access_rule rule_at(struct fixture *fx, module_id module, uint64_t offset)
{
	const struct frame place = { .module = module, .offset = offset };
	struct access_rule r;

	while (!code_rule(fx->code, &place, &r))
		if (!code_poll(fx->code))
			poll(NULL, 0, 1);
	return r;
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *ctx)
{
	*(uint64_t *)ctx = info->dlpi_addr;
	return 1;        /* the first is the program itself */
}

/* Where P is in the file of this program. */
static uint64_t own_offset(const uint8_t *p)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_file *f = NULL;
	uint64_t bias = 0, offset;

	dl_iterate_phdr(take_bias, &bias);
	assert_int_equal(elf_file_open(fd, &f, NULL), 0);
	assert_true(elf_file_offset(f, (uint64_t)(uintptr_t)p - bias, &offset));
	elf_file_free(f);
	close(fd);
	return offset;
}

static void own_code(void **state)
{
	struct fixture *fx = *state;
	const module_id self = add_module(fx, MODULE_FILE, "/proc/self/exe");
	const struct frame place = { .module = self, .offset = own_offset(known_place) };
	struct code_figures before, after;
	struct access_rule r;

	assert_false(code_rule(fx->code, &place, &r));
	r = rule_at(fx, self, place.offset);
	assert_int_equal(r.how, ACCESS_BEFORE);
	assert_int_equal(r.base, RDI);
	assert_int_equal(r.disp, 24);
	assert_int_equal(r.size, 8);
	/* At the start there is nothing before, whatever the bytes before it are; the next access is ahead. */
	r = rule_at(fx, self, own_offset(known_code));
	assert_int_equal(r.how, ACCESS_AHEAD);
	assert_int_equal(r.base, RDI);
	/* Known now: at once, without opening it again. */
	code_figures(fx->code, &before);
	assert_true(code_rule(fx->code, &place, &r));
	assert_int_equal(r.how, ACCESS_BEFORE);
	code_figures(fx->code, &after);
	assert_int_equal(fx->opens, 1);
	assert_int_equal(after.rules, 2);
	assert_int_equal(after.with_address, 2);
	assert_int_equal(after.files, 1);
	assert_int_equal(after.failed, 0);
	assert_int_equal(after.cpu_ns, before.cpu_ns);
	assert_true(after.bytes > 0 && after.cpu_ns > 0);
}

static void make_file(struct fixture *fx, const void *bytes, size_t n)
{
	int fd;

	strcpy(fx->path, "/tmp/test_code.XXXXXX");
	fd = mkstemp(fx->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

/* Code in a file that is no ELF file (of a run-time compiler): there are no functions, but instructions. */
static void code_without_elf(void **state)
{
	static const uint8_t load[] = { 0x48, 0x8b, 0x03 };      /* mov (%rbx),%rax */
	struct fixture *fx = *state;
	module_id module;
	uint8_t code[600];
	struct access_rule r;

	memset(code, 0x90, sizeof(code));
	memcpy(code + 400, load, sizeof(load));
	make_file(fx, code, sizeof(code));
	module = add_module(fx, MODULE_FILE, fx->path);
	r = rule_at(fx, module, 403);
	assert_int_equal(r.how, ACCESS_BEFORE);
	assert_int_equal(r.base, RBX);
	assert_int_equal(rule_at(fx, module, 399).how, ACCESS_AHEAD);
	assert_int_equal(rule_at(fx, module, sizeof(code) - 1).miss, MISS_NO_ACCESS);
	assert_int_equal(rule_at(fx, module, 0).miss, MISS_NO_ACCESS);
	/* Behind its end. */
	assert_int_equal(rule_at(fx, module, sizeof(code)).miss, MISS_NO_CODE);
	assert_int_equal(rule_at(fx, module, UINT64_MAX).miss, MISS_NO_CODE);
	/* It becomes shorter while it is open. */
	assert_int_equal(truncate(fx->path, 300), 0);
	assert_int_equal(rule_at(fx, module, 350).miss, MISS_NO_CODE);
	assert_int_equal(fx->opens, 1);
}

/*
 * Code in memory: what comes before it is not there to be read, and nobody else can map anything
 * there: it is of a file without bytes. What was read is read again, so other code is found sooner
 * or later.
 */
static void code_in_memory(void **state)
{
	static const uint8_t load[] = { 0x48, 0x8b, 0x03 };      /* mov (%rbx),%rax */
	struct fixture *fx = *state;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const int empty = memfd_create("empty", MFD_CLOEXEC);
	uint8_t *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const module_id module = add_module(fx, MODULE_ANON, "/proc/self/mem");
	struct access_rule r;
	uint64_t until;

	assert_ptr_not_equal(two, MAP_FAILED);
	assert_true(empty >= 0);
	assert_ptr_equal(mmap(two, page, PROT_READ, MAP_SHARED | MAP_FIXED, empty, 0), two);
	memset(two + page, 0x90, page);
	memcpy(two + page + 100, load, sizeof(load));
	r = rule_at(fx, module, (uint64_t)(uintptr_t)(two + page + 103));
	assert_int_equal(r.how, ACCESS_BEFORE);
	assert_int_equal(r.base, RBX);
	assert_int_equal(rule_at(fx, module, (uint64_t)(uintptr_t)(two + 100)).miss, MISS_NO_CODE);
	/* A run-time compiler writes something else there: mov (%rsi),%rax. */
	two[page + 102] = 0x06;
	until = clock_mono_ns() + 60 * NSEC_PER_SEC;
	do
		r = rule_at(fx, module, (uint64_t)(uintptr_t)(two + page + 103));
	while (r.base == RBX && clock_mono_ns() < until);
	assert_int_equal(r.how, ACCESS_BEFORE);
	assert_int_equal(r.base, RSI);
	munmap(two, 2 * page);
	close(empty);
}

/* Where the first code of process PID is that is not ours: the program's. */
static uint64_t first_code(pid_t pid)
{
	char path[64], line[512], perms[8];
	uint64_t start = 0, end, found = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &start, &end, perms) == 3 && !strcmp(perms, "r-xp"))
			found = start;
	fclose(f);
	assert_true(found);
	return found;
}

/* Memory that was opened, and is gone since its process has executed another program: it is opened again. */
static void code_after_exec(void **state)
{
	struct fixture *fx = *state;
	int ready[2], go[2], status;
	module_id module;
	char path[64], c;
	pid_t child;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(go[1]);
		if (read(go[0], &c, 1) == 1)
			execlp("sleep", "sleep", "600", (char *)NULL);
		_exit(1);
	}
	close(ready[1]);
	snprintf(path, sizeof(path), "/proc/%d/mem", child);
	module = add_module(fx, MODULE_ANON, path);
	assert_int_not_equal(rule_at(fx, module, (uint64_t)(uintptr_t)known_place).miss, MISS_NO_CODE);
	assert_int_equal(fx->opens, 1);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(read(ready[0], &c, 1), 0);      /* closed by executing */
	assert_int_not_equal(rule_at(fx, module, first_code(child) + 256).miss, MISS_NO_CODE);
	assert_int_equal(fx->opens, 2);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(ready[0]);
	close(go[0]);
	close(go[1]);
	/* Who is gone has none. */
	assert_int_equal(rule_at(fx, module, (uint64_t)(uintptr_t)known_place + 1).miss, MISS_NO_CODE);
}

static void no_file_of_code(void **state)
{
	static const enum module_kind kinds[] = { MODULE_VDSO, MODULE_KERNEL, MODULE_NOTE };
	struct fixture *fx = *state;
	struct code_figures figures;
	struct access_rule r;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct frame place = { .module = add_module(fx, kinds[i], ""), .offset = 1 };

		assert_true(code_rule(fx->code, &place, &r));
		assert_int_equal(r.miss, MISS_NO_CODE);
	}
	assert_true(code_rule(fx->code, &(struct frame){ .module = ID_NONE }, &r));
	assert_int_equal(r.miss, MISS_NO_CODE);
	assert_int_equal(fx->opens, 0);
	/* One that cannot be opened is tried once. */
	for (uint64_t offset = 0; offset < 20; offset++)
		assert_int_equal(rule_at(fx, add_module(fx, MODULE_FILE, "/nowhere/at/all"),
					 offset).miss, MISS_NO_CODE);
	assert_int_equal(fx->opens, 1);
	code_figures(fx->code, &figures);
	assert_int_equal(figures.failed, 1);
	assert_int_equal(figures.files, 0);
}

/* More places than the queue holds are refused, and answered when they are asked for again. */
static void backlog(void **state)
{
	struct fixture *fx = *state;
	const module_id hang = add_module(fx, MODULE_FILE, "hang"),
		self = add_module(fx, MODULE_FILE, "/proc/self/exe");
	struct frame place = { .module = hang };
	struct access_rule r = { 0 };

	while (!code_rule(fx->code, &place, &r))
		place.offset++;
	assert_int_equal(r.miss, MISS_BACKLOG);
	assert_int_equal(code_poll(fx->code), 0);
	assert_int_equal(write(fx->gate[1], "x", 1), 1);         /* it could not be opened, after all */
	while (rule_at(fx, hang, place.offset).miss == MISS_BACKLOG)
		code_poll(fx->code);
	assert_int_equal(rule_at(fx, self, own_offset(known_place)).how, ACCESS_BEFORE);
}

/* A file that hangs is given up; other files are read by another thread, and nothing waits at the end. */
static void a_file_that_hangs(void **state)
{
	struct fixture *fx = *state;
	const module_id hang = add_module(fx, MODULE_FILE, "hang"),
		self = add_module(fx, MODULE_FILE, "/proc/self/exe");
	const struct frame place = { .module = self, .offset = own_offset(known_place) };
	struct code_figures figures;
	struct access_rule r;

	assert_false(code_rule(fx->code, &(struct frame){ .module = hang }, &r));
	assert_false(code_rule(fx->code, &(struct frame){ .module = hang, .offset = 5 }, &r));
	assert_false(code_rule(fx->code, &place, &r));
	assert_int_equal(rule_at(fx, self, place.offset).how, ACCESS_BEFORE);
	assert_int_equal(rule_at(fx, hang, 0).miss, MISS_NO_CODE);
	assert_int_equal(rule_at(fx, hang, 5).miss, MISS_NO_CODE);
	assert_true(code_rule(fx->code, &(struct frame){ .module = hang, .offset = 9 }, &r));
	assert_int_equal(r.miss, MISS_NO_CODE);
	code_figures(fx->code, &figures);
	assert_int_equal(figures.failed, 1);
	assert_int_equal(figures.files, 1);
	/* Lets the thread that was left behind come back, and end. */
	close(fx->gate[1]);
	fx->gate[1] = -1;
	assert_int_equal(rule_at(fx, hang, 0).miss, MISS_NO_CODE);
}

/* Asks for N places of MODULE from FROM on at once, and waits for them. */
static void ask_for(struct fixture *fx, module_id module, uint64_t from, unsigned int n)
{
	struct access_rule r;

	for (uint64_t i = 0; i < n; i++)
		assert_false(code_rule(fx->code, &(struct frame){ .module = module, .offset = from + i }, &r));
	while (n) {
		const unsigned int got = code_poll(fx->code);

		assert_true(got <= n);
		n -= got;
		if (!got)
			poll(NULL, 0, 1);
	}
}

/* The table is bounded: what has not been asked for lately is forgotten, the rest stays. */
static void forgets(void **state)
{
	struct fixture *fx = *state;
	const module_id none = add_module(fx, MODULE_FILE, "/nowhere"),
		self = add_module(fx, MODULE_FILE, "/proc/self/exe");
	const struct frame kept = { .module = self, .offset = own_offset(known_place) };
	struct code_figures figures;
	struct access_rule r;

	assert_int_equal(rule_at(fx, self, kept.offset).how, ACCESS_BEFORE);
	for (uint64_t from = 0; from < 200000; from += 1000) {
		ask_for(fx, none, from, 1000);
		assert_true(code_rule(fx->code, &kept, &r));
		assert_int_equal(r.how, ACCESS_BEFORE);
		code_figures(fx->code, &figures);
		assert_true(figures.rules <= 65536);
		assert_true(figures.bytes < 8u << 20);
		assert_int_equal(figures.with_address, 1);
	}
	assert_true(code_rule(fx->code, &(struct frame){ .module = none, .offset = 199000 }, &r));
	assert_false(code_rule(fx->code, &(struct frame){ .module = none }, &r));
}

/* Freeing does not wait for a file that hangs. */
static void freed_while_it_hangs(void **state)
{
	struct fixture *fx = *state;
	const struct code_config config = { .dict = fx->dict, .open = open_module, .ctx = fx };
	const module_id hang = add_module(fx, MODULE_FILE, "hang");
	struct access_rule r;

	assert_false(code_rule(fx->code, &(struct frame){ .module = hang }, &r));
	while (!fx->opens)
		poll(NULL, 0, 1);
	code_free(fx->code);
	close(fx->gate[1]);
	fx->gate[1] = -1;
	assert_int_equal(code_new(&config, &fx->code, NULL), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(own_code), TEST(code_without_elf), TEST(code_in_memory), TEST(code_after_exec),
			TEST(no_file_of_code), TEST(backlog),
		TEST(a_file_that_hangs), TEST(forgets), TEST(freed_while_it_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
