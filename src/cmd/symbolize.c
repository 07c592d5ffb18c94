/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize.c - `sberf symbolize`: names for addresses, by libsberf as any other program would ask it. */
#include "config.h"

#include "base/cleanup.h"
#include "base/parse.h"
#include "cmd/clean.h"
#include "cmd/options.h"
#include "cmd/symbolize_serve.h"
#include "cmd/symbolize_text.h"
#include "export/jsonout.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <sberf/symbolize.h>
#include <stdio.h>
#include <string.h>

#define ADDRESS_DIGITS 16u
#define BLANKS " \t\r\n"

/* What addresses are of. */
struct asked {
	const struct options *o;
	struct sberf *s;
	uint32_t module;         /* of a file; SBERF_MODULE_NONE = of a process or the kernel */
	pid_t pid;               /* 0 = of the kernel */
};

static void close_handle(struct sberf **s)
{
	sberf_close(*s);
}

/* The sentence of S about RC. */
static int library_error(const struct asked *a, int rc, struct err *e)
{
	return err_set(e, -rc, "%s", sberf_error(a->s));
}

static int read_address(const char *text, uint64_t *ret, struct err *e)
{
	const char *at = text + (!strncasecmp(text, "0x", 2) ? 2 : 0);

	if (!parse_hex(&at, text + strlen(text), ret) || *at)
		return err_set(e, EINVAL, "'%s' is no address: write at most %u hexadecimal digits", text,
			       ADDRESS_DIGITS);
	return 0;
}

/* ADDRESS, which may be nowhere, as a place. */
static int place_of_address(const struct asked *a, uint64_t address, struct sberf_frame *ret, struct err *e)
{
	int rc;

	*ret = (struct sberf_frame){ .address = address, .module = SBERF_MODULE_NONE };
	if (a->module != SBERF_MODULE_NONE && !(address >> 63)) {
		rc = sberf_file_place(a->s, a->module, address, ret);
		return rc == -ENOENT ? 0 : rc < 0 ? library_error(a, rc, e) : 0;
	}
	rc = sberf_locate(a->s, a->pid, &address, 1, 0, ret);
	return rc < 0 ? library_error(a, rc, e) : 0;
}

/* " at FILE:LINE", or what is known instead. */
static void print_function(const struct asked *a, const struct sberf_frame *f, const struct sberf_name *n, uint32_t i)
{
	const struct sberf_function *fn = &n->functions[i];
	struct sberf_module m;

	print_clean(stdout, fn->name);
	if (fn->file[0]) {
		fputs(" at ", stdout);
		symbolize_print_file(stdout, fn);
		printf(":%" PRIu32, fn->line);
		return;
	}
	if (!(fn->flags & SBERF_FUNCTION_BY_PLACE) && i == n->nr_functions - 1)
		printf("+0x%" PRIx64, f->offset - n->start);
	if (!sberf_module_info(a->s, f->module, &m) && m.path[0]) {
		fputs(" in ", stdout);
		print_clean(stdout, m.path);
	}
}

static void print_answer(const struct asked *a, const struct sberf_frame *f, const struct sberf_name *n)
{
	printf("0x%016" PRIx64 ": ", f->address);
	if (!n->nr_functions)
		printf("?? (%s)\n", sberf_why_text(n->why));
	for (uint32_t i = 0; i < n->nr_functions; i++) {
		if (i)
			fputs(" (inlined by) ", stdout);
		print_function(a, f, n, i);
		putchar('\n');
	}
}

static json_t *json_hex(const uint8_t *bytes, size_t len)
{
	char text[2 * BUILD_ID_BYTES + 1] = "";

	for (size_t i = 0; i < len && i < BUILD_ID_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return json_string(text);
}

static void json_module(const struct asked *a, const struct sberf_frame *f, json_t *object)
{
	struct sberf_module m;

	if (f->module == SBERF_MODULE_NONE || sberf_module_info(a->s, f->module, &m))
		return;
	if (m.kind == SBERF_MODULE_KERNEL)
		json_object_set_new(object, "module", json_string("[kernel]"));
	else if (m.path[0])
		json_object_set_new(object, "module", jsonout_string(m.path));
	if (m.build_id)
		json_object_set_new(object, "build_id", json_hex(m.build_id, m.build_id_length));
	json_object_set_new(object, "offset", json_sprintf("0x%" PRIx64, f->offset));
}

static json_t *json_functions(const struct sberf_name *n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; list && i < n->nr_functions; i++) {
		const struct sberf_function *fn = &n->functions[i];
		json_t *one = json_pack("{s:o*,s:b}", "name", jsonout_string(fn->name), "inlined",
					(fn->flags & SBERF_FUNCTION_INLINED) != 0);

		if (one && fn->file[0]) {
			json_object_set_new(one, "file", jsonout_string(fn->file));
			json_object_set_new(one, "line", json_integer(fn->line));
			json_object_set_new(one, "directory", jsonout_string(fn->directory));
		}
		json_array_append_new(list, one);
	}
	return list;
}

static void print_json(const struct asked *a, const struct sberf_frame *f, const struct sberf_name *n)
{
	json_t *object = json_pack("{s:o*}", "address", json_sprintf("0x%" PRIx64, f->address));

	if (!object)
		return;
	json_module(a, f, object);
	if (n->nr_functions)
		json_object_set_new(object, "functions", json_functions(n));
	else
		json_object_set_new(object, "unknown", json_string(sberf_why_text(n->why)));
	json_dumpf(object, stdout, JSON_COMPACT);
	putchar('\n');
	json_decref(object);
}

static int answer(const struct asked *a, const char *text, struct err *e)
{
	struct sberf_names *names;
	struct sberf_frame frame;
	uint64_t address;
	int rc = read_address(text, &address, e);

	if (!rc)
		rc = place_of_address(a, address, &frame, e);
	if (rc < 0)
		return rc;
	rc = sberf_symbolize(a->s, &frame, 1, a->o->no_inline ? SBERF_FUNCTIONS_ONLY : 0, &names);
	if (rc < 0)
		return library_error(a, rc, e);
	(a->o->trace_json ? print_json : print_answer)(a, &frame, &names->name[0]);
	sberf_names_free(names);
	return fflush(stdout) ? -EPIPE : 0;
}

/* Addresses from standard input, between blanks. What is none is told, and the others go on. */
static int answer_input(const struct asked *a, struct err *e)
{
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	int rc = 0, bad = 0;

	while (rc >= 0 && getline(&line, &size, stdin) >= 0) {
		char *rest = NULL;

		for (char *at = line; rc >= 0; at = NULL) {
			const char *word = strtok_r(at, BLANKS, &rest);

			if (!word)
				break;
			rc = answer(a, word, e);
			if (rc != -EINVAL)
				continue;
			fprintf(stderr, "sberf symbolize: %s\n", e->text);
			*e = (struct err)ERR_INIT;
			bad = 1;
			rc = 0;
		}
	}
	return rc < 0 ? rc : bad;
}

static bool is_build_id(const char *text)
{
	const size_t len = strlen(text);

	return len > ADDRESS_DIGITS && len % 2 == 0 && len <= 2 * BUILD_ID_BYTES &&
	       strspn(text, "0123456789abcdefABCDEF") == len;
}

/* Adds the file with the build-id TEXT. */
static int add_build_id(struct asked *a, const char *text, struct err *e)
{
	uint8_t id[BUILD_ID_BYTES];
	const size_t len = strlen(text) / 2;
	int rc;

	symbolize_read_id(text, len, id);
	rc = sberf_build_id_add(a->s, id, len, &a->module);
	if (rc == -ENOENT)
		return err_set(e, ENOENT, "no file with the build-id %s is below /usr/lib/debug: --symfs names another "
			       "folder", text);
	return rc < 0 ? library_error(a, rc, e) : 1;
}

/* What addresses are of. Returns how many of the arguments said so, or a negative errno. */
static int find_subject(struct asked *a, struct err *e)
{
	const struct options *o = a->o;
	int rc = 0;

	if (o->ids.n > 1 || (o->ids.n && o->elf))
		return err_set(e, EINVAL, "addresses are of one process or one file: give one");
	if (o->ids.n) {
		a->pid = (pid_t)o->ids.v[0];
		rc = sberf_process_add(a->s, a->pid);
	} else if (o->elf) {
		rc = sberf_file_add(a->s, o->elf, &a->module);
	} else if (o->addresses.n && is_build_id(o->addresses.v[0])) {
		return add_build_id(a, o->addresses.v[0], e);
	}
	return rc < 0 ? library_error(a, rc, e) : 0;
}

/* Serves with what is given, files and folders. */
static int serve(struct asked *a, struct err *e)
{
	const struct options *o = a->o;
	long files = 0;

	for (size_t i = 0; i < o->addresses.n; i++) {
		const int n = sberf_folder_add(a->s, o->addresses.v[i]);

		if (n < 0)
			return library_error(a, n, e);
		files += n;
	}
	if (o->addresses.n)
		fprintf(stderr, "sberf symbolize: %ld file%s with a build-id\n", files, files == 1 ? "" : "s");
	return symbolize_serve(a->s, o->serve, !o->no_inline, e);
}

int cmd_symbolize(const struct options *o, struct err *e)
{
	const struct sberf_options wanted = { .size = sizeof(wanted), .symfs = o->symfs, .remote = o->remote,
					      .flags = o->debuginfod ? SBERF_DEBUGINFOD : 0 };
	__attribute__((cleanup(close_handle))) struct sberf *s = NULL;
	struct asked a = { .o = o, .module = SBERF_MODULE_NONE };
	int rc = sberf_open(&s, &wanted), skip;

	if (rc == -EINVAL && o->remote)
		return err_set(e, EINVAL, "'%s' is no service of names: give the path of a socket or "
			       "http://HOST[:PORT]", o->remote);
	if (rc < 0)
		return err_set(e, -rc, "cannot set up what names addresses: %s", strerror(-rc));
	a.s = s;
	if (o->serve)
		return o->ids.n || o->elf ? err_set(e, EINVAL, "--serve answers others: it takes no -p and -e") :
			serve(&a, e);
	skip = find_subject(&a, e);
	if (skip < 0)
		return skip;
	if (o->addresses.n == (size_t)skip)
		return answer_input(&a, e);
	for (size_t i = (size_t)skip; rc >= 0 && i < o->addresses.n; i++)
		rc = answer(&a, o->addresses.v[i], e);
	return rc;
}
