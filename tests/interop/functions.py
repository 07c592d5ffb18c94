#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""functions.py UNIT_US WANT - from what "profiler-cli thread functions --json" says of each thread, one behind the other on standard input, to
lines "function TAB self TAB total" as tests/export/round.sh compares them. UNIT_US: microseconds that a sample of weight 1 stands for. Functions of one name in several files are several there,
which may be in one stack: their totals cannot be added, so that of WANT, lines of the same kind, is taken for them."""
import collections
import json
import re
import sys

text, decoder, at = sys.stdin.read(), json.JSONDecoder(), 0
own, total, several = collections.Counter(), collections.Counter(), set()
while text[at:].strip():
    thread, length = decoder.raw_decode(text[at:].lstrip())
    at += len(text[at:]) - len(text[at:].lstrip()) + length
    names = collections.Counter()
    for function in thread["functions"]:
        name = re.sub(r"_\[[kij]\]$", "", function["name"].replace(";", ":"))
        own[name] += function["selfSamples"]
        total[name] += function["totalSamples"]
        names[name] += 1
    several |= {name for name in names if names[name] > 1}
unit = float(sys.argv[1])
wanted = {fields[0]: fields[2] for fields in (line.split("\t") for line in open(sys.argv[2], encoding="utf-8"))}
for name in total:
    print(name, round(own[name] * unit), wanted.get(name, 0) if name in several else round(total[name] * unit), sep="\t")
