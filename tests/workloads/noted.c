// SPDX-License-Identifier: BSD-2-Clause
/*
 * noted.c - for each number N that it reads from standard input, passes the static probe sberf:step N times at
 * each of two places, and says "done". Its arguments are the number of the step in a register, or in memory; a
 * constant; and a negative number, of which only 2 bytes count. Each step also calls handle(), with the number in
 * structures, which handle() clears.
 */
#include "workload.h"

#include <stdio.h>

/* What sys/sdt.h makes, which is not installed everywhere: a note with the ARGS of this place. */
#define STATIC_PROBE(args, ...) \
	__asm__ volatile("990: nop\n" \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n" \
			 ".balign 4\n" \
			 ".4byte 992f-991f, 994f-993f, 3\n" \
			 "991: .asciz \"stapsdt\"\n" \
			 "992: .balign 4\n" \
			 "993: .8byte 990b\n" \
			 ".8byte _.stapsdt.base\n" \
			 ".8byte 0\n" \
			 ".asciz \"sberf\"\n" \
			 ".asciz \"step\"\n" \
			 ".asciz \"" args "\"\n" \
			 "994: .balign 4\n" \
			 ".popsection\n" \
			 ".ifndef _.stapsdt.base\n" \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
			 ".weak _.stapsdt.base\n" \
			 ".hidden _.stapsdt.base\n" \
			 "_.stapsdt.base: .space 1\n" \
			 ".size _.stapsdt.base, 1\n" \
			 ".popsection\n" \
			 ".endif\n" : : __VA_ARGS__)

static NOINLINE void step(unsigned long i)
{
	volatile unsigned int in_memory = (unsigned int)i;
	const unsigned long negative = 0x12340000 + (unsigned short)-i;

	STATIC_PROBE("8@%0 -4@%1 -2@%w2", "r"(i), "n"(7), "r"(negative));
	STATIC_PROBE("4@%0 -4@%1 -2@%w2", "m"(in_memory), "n"(-7), "r"(negative));
	sink += i;
}

struct inner {
	char kind;
	short level;
	unsigned long size;
};

struct request {
	union {
		int number;
		unsigned int unsigned_number;
	};
	unsigned int bits : 3;
	struct inner own, *other;
	const struct request *next;
	int list[4];
};

NOINLINE void handle(struct request *req, double ratio, int count, const struct inner *nowhere)
{
	/* What it does not read is not written by its caller. */
	sink += (unsigned long)(req->own.kind + req->own.level + req->number + req->list[2] + req->next->number +
				(int)req->other->size);
	sink += req->own.size + (unsigned long)ratio + (unsigned long)count + (unsigned long)nowhere;
	*req->other = req->own = (struct inner){ 0 };
	req->next = NULL;
	req->list[2] = 0;
}

static NOINLINE void request(unsigned long i)
{
	static struct request req, next;
	static struct inner other;

	other = (struct inner){ .size = 2 * i };
	next = (struct request){ .number = (int)(3 * i) };
	req = (struct request){
		.number = -(int)i, .own = { .kind = 'k', .level = (short)-(short)(i % 10), .size = i },
		.other = &other, .next = &next, .list = { [2] = (int)i },
	};
	handle(&req, 1.5, (int)i - 500, i & 1 ? (const struct inner *)8 : &other);
}

int main(void)
{
	char line[64];

	ready();
	while (fgets(line, sizeof(line), stdin)) {
		const unsigned long n = strtoul(line, NULL, 10);

		for (unsigned long i = 0; i < n; i++)
			step(i), request(i);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
