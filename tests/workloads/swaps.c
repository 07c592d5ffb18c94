// SPDX-License-Identifier: BSD-2-Clause
/*
 * swaps.c - code at one address is that of layer_a.so and of layer_b.so in turns (layer.c); after
 * each change it works there for MS milliseconds. Second argument, how that comes about:
 *
 *	over     one is mapped over the other
 *	unmap    one is unmapped, the other mapped: as much code is mapped as before
 *	dlopen   the same, by the dynamic linker
 *	fork     a child maps b in place of its parent's a; both work
 *	inherit  the program maps them, and its children work: always one in a that was forked before b was
 *	         mapped, or the other way round
 *	reuse    children with one pid (clone3 with a pid of its choice, which needs privileges) map one each
 *	exec     the program executes itself, without address space randomisation, and maps the other
 *
 * work_a is only ever called by way of main, turn_a, a_outer, a_inner, work_b by the same of b. The
 * frames of the layers are full of addresses in _start: who takes one for the other finds a stack
 * that ends early, but looks whole.
 */
#define _GNU_SOURCE
#include "workload.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define AT ((uint8_t *)0x200000000000)
#define PAGE 4096u

typedef void layer_fn(void (*work)(void), uint64_t decoy);

struct layer {
	char path[4200];
	int fd;
	size_t size;             /* of its text */
	off_t at;                /* of that in the file */
	size_t entry;            /* of its outer function in the text */
};

extern char _start[];
static struct layer layers[2];
static void *library;
static uint64_t turn_ms;

NOINLINE void work_a(void)
{
	for (uint64_t i = 0; i < turn_ms; i++)
		burn(1000000);
}

NOINLINE void work_b(void)
{
	for (uint64_t i = turn_ms; i > 0; i--)
		burn(1000001);
}

NOINLINE void turn_a(layer_fn *outer)
{
	outer(work_a, (uint64_t)_start + 8);
	sink++;
}

NOINLINE void turn_b(layer_fn *outer)
{
	outer(work_b, (uint64_t)_start + 8);
	sink += 2;
}

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* The file's entry point is the outer function. */
static void know(struct layer *l, const char *dir, char which)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph = { 0 };

	snprintf(l->path, sizeof(l->path), "%s/layer_%c.so", dir, which);
	l->fd = open(l->path, O_RDONLY | O_CLOEXEC);
	if (l->fd < 0 || pread(l->fd, &eh, sizeof(eh), 0) != (ssize_t)sizeof(eh))
		fail(l->path);
	for (unsigned int i = 0; i < eh.e_phnum && !(ph.p_type == PT_LOAD && ph.p_flags & PF_X); i++)
		if (pread(l->fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))) != (ssize_t)sizeof(ph))
			fail(l->path);
	l->at = (off_t)(ph.p_offset / PAGE * PAGE);
	l->size = (ph.p_offset % PAGE + ph.p_filesz + PAGE - 1) / PAGE * PAGE;
	l->entry = eh.e_entry - (ph.p_vaddr - ph.p_offset % PAGE);
}

static layer_fn *map_layer(int which)
{
	const struct layer *l = &layers[which];

	if (mmap(AT, l->size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, l->fd, l->at) != AT)
		fail("mmap");
	return (layer_fn *)(AT + l->entry);
}

static layer_fn *open_layer(int which)
{
	layer_fn *fn;

	if (library)
		dlclose(library);
	library = dlopen(layers[which].path, RTLD_NOW);
	fn = library ? (layer_fn *)dlsym(library, which ? "b_outer" : "a_outer") : NULL;
	if (!fn)
		fail(layers[which].path);
	return fn;
}

static pid_t fork_as(pid_t pid)
{
	struct clone_args args = { .exit_signal = SIGCHLD, .set_tid = pid ? (uint64_t)(uintptr_t)&pid : 0,
				   .set_tid_size = pid ? 1 : 0 };
	pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));

	if (child < 0)
		fail("clone3");
	return child;
}

/* Works in the layer at FN. Inlined into main. */
static inline __attribute__((always_inline)) void turn(int which, layer_fn *fn)
{
	if (which)
		turn_b(fn);
	else
		turn_a(fn);
}

/* A number that no process has: that of one that was. */
static pid_t free_pid(void)
{
	pid_t pid = fork_as(0);

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "over";
	int which = argc > 4 && argv[4][0] == 'b';
	unsigned int nr_children = 0;
	char self[4096] = "", dir[4096];
	pid_t pid;

	turn_ms = argc > 3 ? strtoull(argv[3], NULL, 10) : 300;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		fail("readlink");
	strcpy(dir, self);
	know(&layers[0], dirname(dir), 'a');
	strcpy(dir, self);
	know(&layers[1], dirname(dir), 'b');
	if (layers[0].size != layers[1].size || layers[0].entry != layers[1].entry) {
		fprintf(stderr, "the layers differ in what they must not\n");
		return 1;
	}
	if (argc <= 4) {         /* an alarm outlives exec */
		end_after(argc, argv);
		ready();
	}
	if (strcmp(mode, "exec") == 0) {
		char *again[] = { argv[0], argv[1], argv[2], argc > 3 ? argv[3] : "300", which ? "a" : "b", NULL };

		personality(ADDR_NO_RANDOMIZE);
		turn(which, map_layer(which));
		execv("/proc/self/exe", again);
		fail("execv");
	}
	pid = strcmp(mode, "reuse") ? 0 : free_pid();
	for (;; which = !which) {
		if (strcmp(mode, "unmap") == 0)
			munmap(AT, layers[0].size);
		if (pid || strcmp(mode, "fork") == 0) {
			if (!fork_as(pid)) {
				which = pid ? which : 1;
				turn(which, map_layer(which));
				_exit(0);
			}
			if (!pid)
				turn(0, map_layer(0));
			wait(NULL);
		} else if (strcmp(mode, "inherit") == 0) {
			layer_fn *fn = map_layer(which);

			if (!fork_as(0)) {
				turn(which, fn);
				_exit(0);
			}
			if (nr_children++)
				wait(NULL);
		} else {
			turn(which, strcmp(mode, "dlopen") ? map_layer(which) : open_layer(which));
		}
	}
}
