// SPDX-License-Identifier: BSD-2-Clause
/* manykeys.c - a library that makes 40 keys of variables of threads before the program that preloads it begins. */
#include <pthread.h>

__attribute__((constructor)) static void make_keys(void)
{
	pthread_key_t key;

	for (int i = 0; i < 40; i++)
		pthread_key_create(&key, NULL);
}
