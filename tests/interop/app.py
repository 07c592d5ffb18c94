#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""app.py PAGE FILE - opens FILE in speedscope, whose index.html PAGE is, and prints the rows of its table of functions: total, self, name.

A page from the disk may not read files, but it may run scripts beside it: speedscope's own command line makes such a script, too.
"""
import base64
import os
import sys
import urllib.parse

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tests", "export"))
import browser  # pylint: disable=wrong-import-position

ROWS = """[...document.querySelectorAll("tr")].map(row => row.innerText.replace(/\\s+/g, " ").trim()).filter(text => text.includes("%"))
    .join("\\n")"""


def main():
    page, path = sys.argv[1], os.path.realpath(sys.argv[2])
    with open(path, "rb") as data, open(path + ".js", "w", encoding="utf-8") as script:
        script.write(f'speedscope.loadFileFromBase64("profile", "{base64.b64encode(data.read()).decode()}")\n')
    # It draws with WebGL, and without that not at all.
    browser.FLAGS.remove("--disable-gpu")
    browser.FLAGS.extend(["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
    with browser.Browser() as b:
        # Without the leading slash, which it puts there itself.
        b.open(page, "#view=sandwich&localProfilePath=" + urllib.parse.quote(path[1:] + ".js"))
        print(b.wait(ROWS))


main()
