/* SPDX-License-Identifier: BSD-2-Clause */
/* kcore.c - see kcore.h. */
#include "config.h"

#include "symbol/kcore.h"

#include "base/vec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEGMENTS_MAX 4096u

struct kcore {
	int fd;
	VEC(Elf64_Phdr) segment;         /* those that are memory */
};

static bool kcore_at(int fd, uint64_t offset, void *to, size_t size)
{
	char *at = to;

	while (size) {
		const ssize_t n = pread(fd, at, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		offset += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
}

static int kcore_segments(struct kcore *k, const char *path, struct err *e)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	errno = 0;
	if (!kcore_at(k->fd, 0, &eh, sizeof(eh)) && errno)
		return err_set(e, errno, "the code of the kernel cannot be read from %s: %s", path, strerror(errno));
	if (memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh.e_ident[EI_DATA] != ELFDATA2LSB || eh.e_phentsize != sizeof(ph))
		return err_set(e, ENOEXEC, "%s is no ELF file of this machine", path);
	for (uint32_t i = 0; i < eh.e_phnum && i < SEGMENTS_MAX; i++) {
		Elf64_Phdr *at;

		if (!kcore_at(k->fd, eh.e_phoff + i * sizeof(ph), &ph, sizeof(ph)))
			return err_set(e, ENOEXEC, "%s ends within its own header", path);
		if (ph.p_type != PT_LOAD)
			continue;
		at = vec_push(&k->segment);
		if (!at)
			return err_nomem(e, "the kernel's memory");
		*at = ph;
	}
	return 0;
}

int kcore_open(const char *path, struct kcore **ret, struct err *e)
{
	AUTO(kcore_free) struct kcore *k = calloc(1, sizeof(*k));
	int r;

	if (!k)
		return err_nomem(e, "the kernel's memory");
	k->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (k->fd < 0)
		return err_set(e, errno, "the code of the kernel cannot be read from %s: %s", path, strerror(errno));
	r = kcore_segments(k, path, e);
	if (!r)
		*ret = take_ptr(k);
	return r;
}

void kcore_free(struct kcore *k)
{
	if (!k)
		return;
	if (k->fd >= 0)
		close(k->fd);
	vec_free(&k->segment);
	free(k);
}

bool kcore_read(const struct kcore *k, uint64_t address, void *to, size_t size)
{
	for (size_t i = 0; i < k->segment.n; i++) {
		const Elf64_Phdr *ph = &k->segment.v[i];
		const uint64_t behind = address - ph->p_vaddr;

		if (behind < ph->p_filesz && ph->p_filesz - behind >= size && ph->p_offset <= INT64_MAX - behind)
			return kcore_at(k->fd, ph->p_offset + behind, to, size);
	}
	return false;
}
