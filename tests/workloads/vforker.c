// SPDX-License-Identifier: BSD-2-Clause
/* vforker.c - vfork() in a loop; each child works for a moment on the stack of its suspended parent. */
#include "workload.h"

#include <sys/wait.h>

NOINLINE void child_work(void)
{
	burn(2000000);
}

NOINLINE void vfork_once(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		child_work();
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	end_after(argc, argv);
	ready();
	for (;;)
		vfork_once();
}
