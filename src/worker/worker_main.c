/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * worker_main.c - the program sberf-worker, in which sberf lets foreign code and foreign bytes be worked on.
 * sberf starts it with a socket and what the job is about.
 */
#include "config.h"

#include "plugin/serving.h"
#include "plugin/worker.h"
#include "symbol/names_message.h"
#include "symbol/runtime_names.h"
#include "unwind/image_message.h"
#include "worker/image_serving.h"
#include "worker/names_serving.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const bool from_file = argc == 2 && !strcmp(argv[1], WORKER_JOB_PLUGIN);
	const struct plugin_built_in *built_in = argc == 2 ? runtime_built_in_named(argv[1]) : NULL;
	socklen_t len = sizeof(int);
	int type = 0, status = 2;

	if (argc == 2 && !getsockopt(WORKER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &len) && type == SOCK_SEQPACKET) {
		/* What whoever started sberf has left open is not for us. */
		syscall(SYS_close_range, from_file ? WORKER_FILE + 1 : WORKER_SOCKET + 1, ~0u, 0);
		status = from_file ? serving_run(WORKER_SOCKET, WORKER_FILE) :
			 !strcmp(argv[1], NAMES_JOB) ? names_serving_run(WORKER_SOCKET) :
			 !strcmp(argv[1], IMAGE_JOB) ? image_serving_run(WORKER_SOCKET) :
			 built_in ? serving_run_built_in(WORKER_SOCKET, built_in) : 2;
	}
	if (status == 2)
		fputs("sberf-worker: sberf starts this program by itself; there is no other use for it\n", stderr);
	return status;
}
