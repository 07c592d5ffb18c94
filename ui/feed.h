/* SPDX-License-Identifier: BSD-2-Clause */
/* feed.h - another name of session/session.h and ui.h, for those that include it. */
#ifndef SBERF_UI_FEED_H
#define SBERF_UI_FEED_H

#include "ui/ui.h"

#endif
