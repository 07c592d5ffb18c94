/* SPDX-License-Identifier: BSD-2-Clause */
/* backends.h - the two kinds of session (session.h): a running engine, and a loaded recording. */
#ifndef SBERF_SESSION_BACKENDS_H
#define SBERF_SESSION_BACKENDS_H

#include "engine/engine.h"
#include "session/session.h"

/* A loaded recording: a snapshot that does not change. */
struct still {
	struct snapshot *snapshot;
	struct profile_meta meta;
	const struct names *names;
};

/* Both borrow their argument for as long as the session is used. */
struct session session_from_engine(struct engine *en);
struct session session_from_still(struct still *st);

/*
 * Opens the code of the recording ST: files of this machine, if their build-ids are those of the
 * files that ran. ST is borrowed.
 */
struct code_access code_of_still(struct still *st);

#endif
