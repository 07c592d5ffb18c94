/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_kcore.c - any bytes as the memory of the kernel (/proc/kcore): what its headers say is where something can be
 * read, or nothing is. The first eight bytes are an address that is asked for, beside those of the headers.
 */
#include "config.h"

#include "symbol/kcore.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads at ADDRESS and around it, of a file of SIZE bytes: never more than the file has. */
static void look(const struct kcore *k, uint64_t address, size_t size)
{
	static const uint64_t away[] = { 0, 1, 4096, UINT64_MAX, UINT64_MAX / 2 };
	uint8_t room[ROOM + 1];

	for (size_t i = 0; i < sizeof(away) / sizeof(away[0]); i++)
		for (size_t n = 1; n <= ROOM; n *= 4) {
			room[n] = 0xa5;
			if (kcore_read(k, address + away[i], room, n) && n > size)
				abort();
			if (room[n] != 0xa5)
				abort();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("kcore", MFD_CLOEXEC);
	struct kcore *k = NULL;
	uint64_t address;
	char path[64];

	if (fd < 0 || size < sizeof(address)) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	memcpy(&address, data, sizeof(address));
	data += sizeof(address);
	size -= sizeof(address);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size && !kcore_open(path, &k, NULL)) {
		look(k, address, size);
		for (size_t at = sizeof(Elf64_Ehdr); at + sizeof(Elf64_Phdr) <= size && at < 1024; at +=
		     sizeof(Elf64_Phdr)) {
			Elf64_Phdr segment;

			memcpy(&segment, data + at, sizeof(segment));
			look(k, segment.p_vaddr, size);
			look(k, segment.p_vaddr + segment.p_memsz - 1, size);
		}
	}
	kcore_free(k);
	close(fd);
	return 0;
}
