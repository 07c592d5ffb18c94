/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_spec.c - any text is a probe or is refused with a sentence; a probe that is written reads as the same. */
#include "config.h"

#include "probe/spec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static bool look(void *ctx, const struct spec_expr *expr, const struct spec_step *step, bool text, int64_t *ret_number,
		 const char **ret_text)
{
	const char *at = expr->pool + step->value;
	struct spec_path_step st;

	(void)ctx;
	for (unsigned int n = 0; step->op == SPEC_PATH && *at; n++)
		must(n <= SPEC_PATH_STEPS_MAX && spec_path_next(&at, &st));
	if (text)
		*ret_text = "worker";
	else
		*ret_number = 3;
	return true;
}

static void must_be_sound(const struct spec_expr *x)
{
	int64_t value;

	must(x->n <= SPEC_CODE_MAX && x->depth <= SPEC_DEPTH_MAX && spec_eval(x, look, NULL, &value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct spec s, again;
	static char text[SPEC_TEXT_MAX], twice[SPEC_TEXT_MAX];
	char *in = malloc(size + 1);
	struct err e = ERR_INIT;

	must(in);
	memcpy(in, data, size);
	in[size] = '\0';
	memset(&s, 0x5a, sizeof(s));
	again = s;
	if (spec_parse(in, &s, &e) < 0) {
		must(e.code && *e.text && !memcmp(&s, &again, sizeof(s)));
	} else {
		for (uint32_t i = 0; i < s.points; i++)
			must_be_sound(&s.point[i].when);
		must_be_sound(&s.sum);
		spec_text(&s, text);
		must(!spec_parse(text, &again, NULL) && !memcmp(&s, &again, sizeof(s)));
		must(!strcmp(spec_text(&again, twice), text));
	}
	free(in);
	return 0;
}
