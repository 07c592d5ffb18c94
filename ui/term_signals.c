/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * term_signals.c - see term_signals.h. Handlers only write the signal's number into a pipe, except
 * those of fatal signals, which write a string prepared beforehand and put the saved line settings
 * back: both are allowed in a handler.
 */
#include "config.h"

#include "ui/term_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int asking[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH };
static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGQUIT };
#define NR_ASKING (sizeof(asking) / sizeof(asking[0]))
#define NR_FATAL (sizeof(fatal) / sizeof(fatal[0]))

static struct {
	volatile sig_atomic_t taken;
	int pipe[2], fd;
	bool have_line;
	struct termios line;
	size_t len;
	char text[TERM_SIGNALS_MAX];
	struct sigaction old_asking[NR_ASKING], old_fatal[NR_FATAL];
} rescue;

static void on_asking(int sig)
{
	const int saved = errno;
	const char byte = (char)sig;

	if (write(rescue.pipe[1], &byte, 1) < 0)
		errno = saved;           /* full: it holds enough to wake the reader */
	errno = saved;
}

/*
 * Faults of the program itself are met again when the handler returns to the same instruction. All
 * else has to be raised again, also what the kernel sent (si_code > 0), such as the signal of
 * Ctrl-\ on the terminal.
 */
static bool comes_back(int sig, const siginfo_t *info)
{
	return info->si_code > 0 && (sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL);
}

static void on_fatal(int sig, siginfo_t *info, void *context)
{
	if (rescue.taken) {
		rescue.taken = 0;
		if (rescue.have_line)
			tcsetattr(rescue.fd, TCSANOW, &rescue.line);
		if (write(rescue.fd, rescue.text, rescue.len) < 0)
			rescue.len = 0;  /* the process dies anyway */
	}
	for (size_t i = 0; i < NR_FATAL; i++)
		sigaction(fatal[i], &rescue.old_fatal[i], NULL);
	if (!comes_back(sig, info))
		raise(sig);
}

static void catch_signals(void)
{
	struct sigaction ask = { .sa_handler = on_asking, .sa_flags = SA_RESTART };
	struct sigaction die = { .sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };

	sigemptyset(&ask.sa_mask);
	sigemptyset(&die.sa_mask);
	for (size_t i = 0; i < NR_ASKING; i++) {
		sigaction(asking[i], NULL, &rescue.old_asking[i]);
		if (rescue.old_asking[i].sa_handler != SIG_IGN || asking[i] == SIGWINCH || asking[i] == SIGCONT)
			sigaction(asking[i], &ask, NULL);
	}
	for (size_t i = 0; i < NR_FATAL; i++) {
		sigaction(fatal[i], NULL, &rescue.old_fatal[i]);
		if (rescue.old_fatal[i].sa_handler != SIG_IGN)
			sigaction(fatal[i], &die, NULL);
	}
}

static void release_signals(void)
{
	for (size_t i = 0; i < NR_ASKING; i++)
		sigaction(asking[i], &rescue.old_asking[i], NULL);
	for (size_t i = 0; i < NR_FATAL; i++)
		sigaction(fatal[i], &rescue.old_fatal[i], NULL);
}

int term_signals_open(int fd, int *ret_fd, struct err *e)
{
	if (pipe2(rescue.pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_set(e, errno, "cannot make a pipe for signals: %s", strerror(errno));
	rescue.taken = 0;
	rescue.fd = fd;
	rescue.have_line = tcgetattr(fd, &rescue.line) == 0;
	catch_signals();
	*ret_fd = rescue.pipe[0];
	return 0;
}

void term_signals_close(void)
{
	rescue.taken = 0;
	release_signals();
	close(rescue.pipe[0]);
	close(rescue.pipe[1]);
}

void term_signals_with(const char *text, size_t n)
{
	rescue.len = n < TERM_SIGNALS_MAX ? n : TERM_SIGNALS_MAX;
	memcpy(rescue.text, text, rescue.len);
	rescue.taken = 1;
}

void term_signals_hold(void)
{
	rescue.taken = 0;
}

void term_signals_stop(void)
{
	struct sigaction stop = { .sa_handler = SIG_DFL }, ours;

	rescue.taken = 0;
	sigaction(SIGTSTP, &stop, &ours);
	raise(SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
	rescue.taken = 1;
}

int term_signals_signal(void)
{
	unsigned char sig;

	return read(rescue.pipe[0], &sig, 1) == 1 ? sig : 0;
}
