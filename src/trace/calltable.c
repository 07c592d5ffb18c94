/* SPDX-License-Identifier: BSD-2-Clause */
/* calltable.c - see calltable.h. */
#include "config.h"

#include "trace/calltable.h"

#include "bpf/wire.h"
#include "model/wait.h"

#include <stdlib.h>

struct calltable {
	char name[SB_CALLS_MAX][CALL_NAME_MAX];
	const struct callargs *args[SB_CALLS_MAX];
	struct sb_call_wish wish[SB_CALLS_MAX];
};

/* How the bytes of argument I, of TYPE, are wanted; 0 = it points to none. */
static uint8_t calltable_text(unsigned int type, unsigned int i)
{
	if (!callarg_is_memory(type))
		return 0;
	return (uint8_t)((i + 1) | (type == CALLARG_IN ? SB_WISH_IN : type == CALLARG_OUT ? SB_WISH_OUT : 0));
}

static void calltable_wish(const struct callargs *call, struct sb_call_wish *wish)
{
	unsigned int texts = 0;

	wish->more = call->result == CALLARG_FD ? SB_WISH_MADE : call->result == CALLARG_NONE ? SB_WISH_BEGUN : 0;
	for (unsigned int i = 0; i < callargs_count(call); i++) {
		const unsigned int type = call->arg[i].type;
		const uint8_t text = calltable_text(type, i);

		if (text && texts < SB_CALL_TEXTS)
			wish->text[texts++] = text;
		if (!wish->file && (type == CALLARG_FD || type == CALLARG_DIRFD))
			wish->file = (uint8_t)(i + 1);
	}
}

struct calltable *calltable_new(const char *arch)
{
	struct calltable *t = calloc(1, sizeof(*t));

	for (uint32_t nr = 0; t && nr < SB_CALLS_MAX; nr++) {
		call_name(CALL_SYSCALL + nr, arch, t->name[nr]);
		t->args[nr] = callargs_find(t->name[nr]);
		if (t->args[nr])
			calltable_wish(t->args[nr], &t->wish[nr]);
	}
	return t;
}

void calltable_free(struct calltable *t)
{
	free(t);
}

const char *calltable_name(const struct calltable *t, uint32_t nr)
{
	return nr < SB_CALLS_MAX ? t->name[nr] : "unknown system call";
}

const struct callargs *calltable_args(const struct calltable *t, uint32_t nr)
{
	return nr < SB_CALLS_MAX ? t->args[nr] : NULL;
}

const struct sb_call_wish *calltable_wishes(const struct calltable *t)
{
	return t->wish;
}
