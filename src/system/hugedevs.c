/* SPDX-License-Identifier: BSD-2-Clause */
/* hugedevs.c - see hugedevs.h. */
#include "config.h"

#include "system/hugedevs.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "system/procfs.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define DEVS_MAX 256u            /* more mounts of hugetlbfs are not looked for */
#define HUGE_SHIFT 26            /* MFD_HUGE_SHIFT of linux/memfd.h */

static void hugedevs_add(dev_vec *v, uint64_t dev)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i] == dev)
			return;
	if (v->n < DEVS_MAX && vec_reserve(v, 1))
		*vec_push(v) = dev;
}

/* The kernel has a mount of its own for each size of page. A file of length zero there takes no page. */
void hugedevs_of_kernel(dev_vec *ret)
{
	AUTO_DIR DIR *d = opendir("/sys/kernel/mm/hugepages");
	const struct dirent *entry;

	while (d && (entry = readdir(d))) {
		static const char prefix[] = "hugepages-";
		const char *p = entry->d_name + sizeof(prefix) - 1;
		AUTO_FD int fd = -1;
		struct stat st;
		uint64_t kb;

		if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) || !parse_dec(&p, p + strlen(p), &kb) || !kb)
			continue;
		fd = memfd_create("sberf", MFD_CLOEXEC | MFD_HUGETLB |
				  (unsigned int)(__builtin_ctzll(kb) + 10) << HUGE_SHIFT);
		if (fd >= 0 && !fstat(fd, &st))
			hugedevs_add(ret, st.st_dev);
	}
}

void hugedevs_of_line(const char *line, size_t len, dev_vec *ret)
{
	static const char type[] = " - hugetlbfs ";
	const char *p = line, *end = line + len;
	uint64_t maj, min;

	if (!memmem(line, len, type, sizeof(type) - 1))
		return;
	/* Numbers of the mount and of its parent, then the device. */
	for (int i = 0; i < 2; i++) {
		p = memchr(p, ' ', (size_t)(end - p));
		if (!p++)
			return;
	}
	if (parse_dec(&p, end, &maj) && p < end && *p++ == ':' && parse_dec(&p, end, &min) && maj <= UINT32_MAX &&
	    min <= UINT32_MAX)
		hugedevs_add(ret, makedev((unsigned int)maj, (unsigned int)min));
}

static void hugedevs_take_line(void *ctx, char *line, size_t len)
{
	hugedevs_of_line(line, len, ctx);
}

void hugedevs_of_process(int dir, dev_vec *ret)
{
	proc_read_lines(dir, "mountinfo", hugedevs_take_line, ret);
}
