/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * worker_main.c - the program sberf-worker, in which sberf lets foreign code and foreign bytes be worked on.
 * sberf starts it with a socket and what the job is about.
 */
#include "config.h"

#include "plugin/serving.h"
#include "plugin/worker.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int type = 0;
	socklen_t len = sizeof(type);

	if (argc != 2 || strcmp(argv[1], WORKER_JOB_PLUGIN) ||
	    getsockopt(WORKER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &len) || type != SOCK_SEQPACKET) {
		fputs("sberf-worker: sberf starts this program by itself; there is no other use for it\n", stderr);
		return 2;
	}
	/* What whoever started sberf has left open is not for us. */
	syscall(SYS_close_range, WORKER_FILE + 1, ~0u, 0);
	return serving_run(WORKER_SOCKET, WORKER_FILE);
}
