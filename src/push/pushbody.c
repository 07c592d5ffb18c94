/* SPDX-License-Identifier: BSD-2-Clause */
/* pushbody.c - labels, base64, and the two objects around them. */
#include "config.h"

#include "push/pushbody.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "push/otlp.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static bool is_label_name(const char *text, size_t len)
{
	if (!len || len >= PUSH_LABEL_MAX || (*text >= '0' && *text <= '9'))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!(text[i] >= 'a' && text[i] <= 'z') && !(text[i] >= 'A' && text[i] <= 'Z') && text[i] != '_' &&
		    !(text[i] >= '0' && text[i] <= '9'))
			return false;
	return true;
}

int push_labels_add(struct push_labels *l, const char *text, struct err *e)
{
	const size_t len = strcspn(text, "=");
	struct push_label *to = NULL;

	if (text[len] != '=' || !is_label_name(text, len) || !strncmp(text, "__", 2))
		return err_set(e, EINVAL, "'%s' is no label: write it as NAME=VALUE, with a name of letters, digits "
			       "and _, as service_name=shop", text);
	if (strlen(text + len + 1) >= PUSH_LABEL_MAX)
		return err_set(e, EINVAL, "the value of the label %.*s is too long: %u bytes at most", (int)len, text,
			       PUSH_LABEL_MAX - 1);
	for (unsigned int i = 0; i < l->n && !to; i++)
		if (strlen(l->v[i].name) == len && !memcmp(l->v[i].name, text, len))
			to = &l->v[i];
	if (!to && l->n >= PUSH_LABELS_MAX)
		return err_set(e, EINVAL, "there are more than %u labels", PUSH_LABELS_MAX);
	to = to ? to : &l->v[l->n++];
	memcpy(to->name, text, len);
	to->name[len] = '\0';
	text_sanitise(to->value, sizeof(to->value), text + len + 1, strlen(text + len + 1));
	return 0;
}

const char *push_labels_get(const struct push_labels *l, const char *name)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, name))
			return l->v[i].value;
	return NULL;
}

/* RFC 4648, section 4. */
static char *base64_of(const void *data, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *in = data;
	char *text = malloc((len + 2) / 3 * 4 + 1), *out = text;

	for (size_t i = 0; text && i < len; i += 3) {
		const size_t left = len - i;
		const uint32_t three = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
				       (left > 2 ? in[i + 2] : 0);

		*out++ = digits[three >> 18 & 63];
		*out++ = digits[three >> 12 & 63];
		*out++ = left > 1 ? digits[three >> 6 & 63] : '=';
		*out++ = left > 2 ? digits[three & 63] : '=';
	}
	if (text)
		*out = '\0';
	return text;
}

/* A random UUID, by which a second push of the same profile can be recognised. */
static void draw_uuid(char dst[37])
{
	uint8_t b[16] = { 0 };

	(void)!getrandom(b, sizeof(b), 0);
	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	text_format(dst, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
		    b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static json_t *labels_of(const struct push_labels *l, const char *kind)
{
	json_t *list = json_pack("[{s:s, s:s}]", "name", "__name__", "value", kind);

	for (unsigned int i = 0; list && i < l->n; i++)
		if (json_array_append_new(list, json_pack("{s:s, s:s}", "name", l->v[i].name, "value",
							  l->v[i].value))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

static json_t *series_of(enum push_engine engine, const struct push_labels *l, const struct push_profile *p)
{
	AUTO_FREE char *data = base64_of(p->data, p->len);
	char uuid[37];

	draw_uuid(uuid);
	if (!data)
		return NULL;
	if (engine == PUSH_PYROSCOPE)
		return json_pack("{s:o, s:[{s:s, s:s}]}", "labels", labels_of(l, p->kind), "samples", "rawProfile",
				 data, "ID", uuid);
	return json_pack("{s:{s:o}, s:[{s:s}]}", "labels", "labels", labels_of(l, p->kind), "samples", "rawProfile",
			 data);
}

int push_body(enum push_engine engine, const struct push_labels *l, const struct push_profile *p, size_t n, char **ret,
	      size_t *ret_len, struct err *e)
{
	json_t *list, *all;
	bool ok;

	if (engine == PUSH_OTLP)
		return otlp_body(l, p, n, ret, ret_len, e);
	list = json_array();
	all = json_pack("{s:O}", "series", list);
	ok = list && all;

	/* Addresses are those of files. */
	if (ok && engine == PUSH_PARCA)
		ok = !json_object_set_new(all, "normalized", json_true());
	for (size_t i = 0; ok && i < n; i++)
		ok = !json_array_append_new(list, series_of(engine, l, &p[i]));
	*ret = ok ? json_dumps(all, JSON_COMPACT) : NULL;
	json_decref(list);
	json_decref(all);
	if (!*ret)
		return err_nomem(e, "a push of profiles");
	*ret_len = strlen(*ret);
	return 0;
}
