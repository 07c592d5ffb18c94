/* SPDX-License-Identifier: BSD-2-Clause */
/* lineout.c - see lineout.h. */
#include "config.h"

#include "cmd/lineout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define OUT_BYTES 65536u

int lineout_open(const struct options *o, FILE **ret, struct err *e)
{
	const bool file = o->output && strcmp(o->output, "-");
	const int fd = file ? open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666) :
		fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const bool command = !file && o->target == OPT_TARGET_COMMAND;
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out || (command && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)) {
		const int code = errno;

		if (out)
			fclose(out);
		else if (fd >= 0)
			close(fd);
		return err_set(e, code, "cannot write to %s: %s", file ? o->output : "standard output",
			       strerror(code));
	}
	setvbuf(out, NULL, _IOFBF, OUT_BYTES);
	if (command)
		fprintf(stderr, "sberf %s: standard output is for lines; that of the command goes to standard error\n",
			o->command_name);
	*ret = out;
	return 0;
}

int lineout_result(const struct options *o, int r, int code, struct err *e)
{
	if (r < 0 || !code || code == EPIPE)
		return r;
	return err_set(e, code, "cannot write to %s: %s", o->output ? o->output : "standard output", strerror(code));
}
