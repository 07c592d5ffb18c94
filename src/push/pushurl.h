/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pushurl.h - where profiles are pushed to, as --push has it: ENGINE+http[s]://HOST[:PORT][/PATH]. Pure.
 *
 *	pyroscope+http://host:4040       Pyroscope from 1.0 on, and Grafana Alloy: /push.v1.PusherService/Push
 *	parca+http://host:7070           Parca: /api/profiles/writeraw
 *	otlp+http://host:4318            collectors of OpenTelemetry: /v1development/profiles
 *
 * With +https:// in place of +http:// it is over TLS, by default to port 443. PATH stands in front of that, for a
 * proxy; with otlp, one that ends in /profiles is all of it.
 */
#ifndef SBERF_PUSH_PUSHURL_H
#define SBERF_PUSH_PUSHURL_H

#include "base/err.h"

#include <stdbool.h>

enum push_engine { PUSH_PYROSCOPE, PUSH_PARCA, PUSH_OTLP, PUSH_ENGINES };

struct push_url {
	enum push_engine engine;
	bool tls;
	char host[256], port[8];
	char target[384];                /* path of a request */
};

/* 0, or -EINVAL with a sentence. */
int push_url_parse(const char *text, struct push_url *ret, struct err *e);

#endif
