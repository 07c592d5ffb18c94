# SPDX-License-Identifier: BSD-2-Clause
"""python_judge.py - compares stacks of frames of Python with what tests/workloads/selfreport.py says of itself.

usage: python_judge.py TABLE FOLDED

FOLDED has the frames of Python alone, by the name of the thread. Prints what is wrong, and a line of
figures: weight in ppm of all.
"""
import re
import sys

table = {}
for line in open(sys.argv[1]):
    number, how, stack = line.rstrip("\n").split(" ", 2)
    table[number] = (how, stack.split(";"))


def function_of(label):
    """Names are qualified from Python 3.11 on, and those that are in every file have that behind them."""
    label = re.sub(r" \([^()]*\)$", "", label)
    return label if label.startswith("[") else label.rsplit(".", 1)[-1]


def may_be_inside(how, frames):
    """Code that another interpreter was given as text is gone when it has ended, perhaps before its name was read."""
    functions = how[1:].split(";")
    return how[0] == "=" and len(frames) <= len(functions) and \
        all(f == g or f == "[python: a function that is gone]" for f, g in zip(frames, functions))


total = changing = wrong = cut = 0
shown = 0
for line in open(sys.argv[2]):
    text, weight = line.rstrip("\n").rsplit(" ", 1)
    name, *frames = text.split(";")
    if frames and frames[-1] == "[waiting for the GIL]":
        frames.pop()
    weight = int(weight)
    total += weight
    if name not in table:
        changing += weight
        continue
    how, truth = table[name]
    got = [function_of(f) for f in frames]
    if got == truth or (how == "..." and got[-len(truth):] == truth) or \
            (got[:len(truth)] == truth and may_be_inside(how, got[len(truth):])):
        continue
    if not got or any(f.startswith("[") for f in got):
        cut += weight
    else:
        wrong += weight
    if shown < 12:
        shown += 1
        print("# %s %d: %s" % (name, weight, ";".join(got)[-300:]))
        print("#   true: %s" % ";".join(truth)[-300:])
share = lambda n: 1000000 * n // total if total else 0
print("total %d changing %d wrong %d cut %d" % (total, share(changing), share(wrong), share(cut)))
