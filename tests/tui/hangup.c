/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hangup.c - preloaded into a view: a hang-up comes at the moment when the view has left the
 * terminal and its signals to whoever has them next. Who closes a terminal right after `q` hits it
 * now and then; this always does.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	int (*real)(int sig, const struct sigaction *act, struct sigaction *old) = dlsym(RTLD_NEXT, "sigaction");
	const int r = real(sig, act, old);

	/* The last of the signals that the view gives back. */
	if (!r && sig == SIGWINCH && act && act->sa_handler == SIG_DFL)
		raise(SIGHUP);
	return r;
}
