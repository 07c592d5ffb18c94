/* SPDX-License-Identifier: BSD-2-Clause */
/* busy.c - works, writes and leaks in known functions; compiled without frame pointers. */
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned int sink;

__attribute__((noipa)) static void innermost(int n)
{
	volatile char room[64] = { 0 };

	for (int i = 0; i < n; i++)
		sink += room[i & 63] + i;
}

__attribute__((noipa)) static void middle(int n)
{
	volatile char room[200] = { 0 };

	innermost(n);
	sink += room[n & 127];
}

__attribute__((noipa)) void topmost(int n)
{
	middle(n);
	sink++;
}

__attribute__((noipa)) static void *take(size_t n)
{
	volatile char room[40] = { 0 };
	void *p = malloc(n + room[3]);

	room[4] = 1;
	return p;
}

__attribute__((noipa)) static void leaking(void)
{
	volatile char room[140] = { 0 };

	take(1000);
	room[4] = 1;
}

__attribute__((noipa)) static void churning(void)
{
	volatile char room[340] = { 0 };

	free(take(5000));
	room[4] = 1;
}

int main(void)
{
	for (;;) {
		topmost(300000);
		leaking();
		churning();
		if (write(2, "", 1) < 0)
			sink++;
	}
}
