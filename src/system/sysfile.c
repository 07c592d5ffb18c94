/* SPDX-License-Identifier: BSD-2-Clause */
/* sysfile.c - see sysfile.h. */
#include "config.h"

#include "system/sysfile.h"

#include "base/cleanup.h"
#include "base/parse.h"

#include <fcntl.h>
#include <string.h>

bool sysfile_line(const char *path, char *dst, size_t dst_size)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *end;
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, dst, dst_size);
	if (n <= 0)
		return false;
	end = memchr(dst, '\n', (size_t)n);
	if (!end && (size_t)n == dst_size)
		return false;
	*(end ? end : dst + n) = '\0';
	return true;
}

bool sysfile_u64(const char *path, uint64_t *ret)
{
	char line[32];

	return sysfile_line(path, line, sizeof(line)) && !parse_u64(line, path, 0, UINT64_MAX, ret, NULL);
}

bool sysfile_i64(const char *path, int64_t *ret)
{
	char line[32];
	uint64_t abs;
	bool minus;

	if (!sysfile_line(path, line, sizeof(line)))
		return false;
	minus = line[0] == '-';
	if (parse_u64(line + minus, path, 0, INT64_MAX, &abs, NULL))
		return false;
	*ret = minus ? -(int64_t)abs : (int64_t)abs;
	return true;
}
