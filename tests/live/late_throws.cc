/* SPDX-License-Identifier: BSD-2-Clause */
/* late_throws.cc - a library that late.c loads: exceptions that pass functions of C. Says how many it has caught. */
static void thrower()
{
	throw 1;
}

extern "C" long late_run(void (*through)(void (*)()), long n)
{
	long caught = 0;

	for (long i = 0; i < n; i++) {
		try {
			through(thrower);
		} catch (int x) {
			caught += x;
		}
	}
	return caught;
}
