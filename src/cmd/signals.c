/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "cmd/signals.h"

static void signals_ignore(int sig)
{
}

void signals_keep_usr2(bool keep)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(keep ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

/*
 * A shell ignores SIGINT for what it starts in the background, and an ignored signal does not even
 * wait: hence the handler. SIGHUP stays ignored under nohup.
 */
void signals_block(sigset_t *set, bool usr2)
{
	const struct sigaction act = { .sa_handler = signals_ignore };
	struct sigaction hup;

	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	if (usr2)
		sigaddset(set, SIGUSR2);
	sigprocmask(SIG_BLOCK, set, NULL);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler == SIG_DFL)
		sigaction(SIGHUP, &act, NULL);
}

int signals_take(const struct launch *s, const sigset_t *set, const struct timespec *timeout)
{
	siginfo_t info;
	const int sig = sigtimedwait(set, &info, timeout);

	if (sig > 0 && sig != SIGUSR2 && s->child.pid && info.si_code <= 0)
		kill(s->child.pid, sig);
	return sig > 0 ? sig : 0;
}
