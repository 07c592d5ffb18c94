/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include "base/locale.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>

bool locale_use(void)
{
	return setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8");
}
