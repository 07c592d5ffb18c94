/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * note.h - static probes (USDT) of this library, as <sys/sdt.h> of SystemTap would make them, which is not
 * installed everywhere: an instruction that does nothing, and a note that says where it is and in which
 * registers its arguments stand.
 */
#ifndef SBERF_PRELOAD_NOTE_H
#define SBERF_PRELOAD_NOTE_H

#define STATIC_PROBE(name, args, ...) \
	__asm__ volatile("990: nop\n" \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n" \
			 ".balign 4\n" \
			 ".4byte 992f-991f, 994f-993f, 3\n" \
			 "991: .asciz \"stapsdt\"\n" \
			 "992: .balign 4\n" \
			 "993: .8byte 990b\n" \
			 ".8byte _.stapsdt.base\n" \
			 ".8byte 0\n" \
			 ".asciz \"otel_memory\"\n" \
			 ".asciz \"" name "\"\n" \
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
			 ".endif\n" : : __VA_ARGS__ : "memory")

/* The sampled block at ADDR, of SIZE bytes, stands for BYTES. */
#define TELL_ALLOCATED(addr, size, bytes) \
	STATIC_PROBE("alloc", "8@%0 8@%1 8@%2", "r"((unsigned long)(addr)), "r"((unsigned long)(size)), \
		     "r"((unsigned long)(bytes)))
/*
 * The sampled block at ADDR is freed. TEMPORARY, which other programs with these probes do not tell: this
 * thread has allocated none since.
 */
#define TELL_FREED(addr, temporary) \
	STATIC_PROBE("free", "8@%0 8@%1", "r"((unsigned long)(addr)), "r"((unsigned long)(temporary)))

#endif
