/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_site.c - any bytes as the code of a function: the place of a probe lies in it, and is cheap if that is said. */
#include "config.h"

#include "model/machine.h"
#include "probe/site.h"
#include "probe/usdt.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void try_site(const uint8_t *bytes, size_t len, const struct site_wish *wish)
{
	const struct site_code code = { .machine = EM_X86_64, .bytes = bytes, .len = len, .offset = 0x1000 };
	struct probe_site s;

	site_find(&code, wish, &s);
	must(s.behind < len && s.offset == 0x1000 + s.behind && s.insn < SITE_INSNS && !s.return_ok);
	must(s.stop ? !s.behind : site_insn_info(s.insn)->emulated);
	must(!wish->returns || s.stop);
	for (unsigned int i = 0; i < SITE_ARGS; i++) {
		must(s.arg_reg[i] == MACHINE_NO_REG || s.arg_reg[i] < 16);
		must(!(wish->args >> i & 1) || s.arg_reg[i] != MACHINE_NO_REG);
	}
	must(*site_stop_text(s.stop));
}

/* The first byte is the wish; the rest is code, and text of arguments. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct usdt_arg arg[USDT_ARGS_MAX];
	char *text;

	if (size < 2)
		return 0;
	try_site(data + 1, size - 1,
		 &(struct site_wish){ .args = data[0] & 63, .nop5 = data[0] & 64, .returns = data[0] & 128 });
	text = malloc(size);
	must(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	must(usdt_args_parse(text, EM_X86_64, arg) <= USDT_ARGS_MAX);
	free(text);
	return 0;
}
