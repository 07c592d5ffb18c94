# SPDX-License-Identifier: BSD-2-Clause
"""selfreport.py - a program whose threads say at each moment which functions they are in.

The name of a thread is the number of its true stack; it is "~" while the stack changes. The kernel tells the
name with each sample, so what a profiler has read can be compared with the truth of that very moment. At the
end the table of stacks is written: number, "=" (the whole stack), "=FUNCTIONS" (that, and perhaps the first
ones of FUNCTIONS inside of it) or "..." (its innermost part), functions from the outermost on.

usage: selfreport.py TABLE PREFIX THREADS [UNITS]

Prints "ready" when all of it has been done once, and ends when there is a file TABLE.stop. Numbers begin
with PREFIX.
"""
import asyncio
import ctypes
import functools
import operator
import os
import re
import selectors
import sys
import threading

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

PR_SET_NAME = 15
CHANGING = b"~"
# Calls do not let the interpreter's lock go: else a thread waits for it again and again while its stack changes.
libc = ctypes.PyDLL(None)
name_thread = libc.prctl
is_there = libc.access
name_thread.argtypes = [ctypes.c_int, ctypes.c_char_p]
# What is called so lets the lock go, and takes it again for a function of Python that it calls.
released = ctypes.CDLL(None)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))

START = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)

PREFIX = sys.argv[2].encode()
STOP = os.fsencode(sys.argv[1] + ".stop")
CODE = compile("leaf()", "<made>", "exec")

table = {}
table_lock = threading.Lock()
local = threading.local()
# Work between two changes: less in the first round, which shows that all of it can be done; then so much that
# stacks are true for 99 % of the time, or more with more of it, but then a round takes seconds.
UNITS = 3000
UNITS_THEN = int(sys.argv[4]) if len(sys.argv) > 4 else 120000


def number_of(stack, how):
    key = (how, tuple(stack))
    got = table.get(key)
    if got is None:
        with table_lock:
            got = table.setdefault(key, b"%s%d" % (PREFIX, len(table)))
    return got


def push(function):
    local.stack.append(function)
    return number_of(local.stack, "=" if local.whole else "...")


def pop():
    local.stack.pop()
    return number_of(local.stack, "=" if local.whole else "...")


# Each function changes the name itself: a function for that would be on the stack when it has changed.
def leaf():
    now = push("leaf")
    name_thread(PR_SET_NAME, now)
    x = 0
    for i in range(UNITS):
        x += i * i
    name_thread(PR_SET_NAME, CHANGING)
    pop()
    return x


def middle():
    now = push("middle")
    name_thread(PR_SET_NAME, now)
    x = 0
    for i in range(UNITS):
        x ^= i
    name_thread(PR_SET_NAME, CHANGING)
    leaf()
    name_thread(PR_SET_NAME, now)
    for i in range(UNITS):
        x ^= i
    name_thread(PR_SET_NAME, CHANGING)
    pop()


def recursion(depth):
    local.stack.append("recursion")
    if depth:
        recursion(depth - 1)
    else:
        leaf()
    local.stack.pop()


def numbers(n):
    for i in range(n):
        now = push("numbers")
        name_thread(PR_SET_NAME, now)
        x = 0
        for k in range(UNITS):
            x += k
        name_thread(PR_SET_NAME, CHANGING)
        pop()
        yield i


def delegated(n):
    it = numbers(n)
    push("delegated")
    for i in it:
        pop()
        yield i
        push("delegated")
    pop()


def inner_from(n):
    yield from numbers_from(n)


def numbers_from(n):
    for i in range(n):
        local.stack.append("inner_from")
        now = push("numbers_from")
        name_thread(PR_SET_NAME, now)
        x = 0
        for k in range(UNITS):
            x += k
        name_thread(PR_SET_NAME, CHANGING)
        local.stack.pop()
        pop()
        yield i


def generators():
    push("generators")
    for _ in numbers(3):
        pass
    for _ in delegated(2):
        pass
    for _ in inner_from(2):
        pass
    sum(numbers(2))
    pop()


class Odd:
    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        now = push("__lt__")
        name_thread(PR_SET_NAME, now)
        x = 0
        for i in range(UNITS):
            x += i
        name_thread(PR_SET_NAME, CHANGING)
        pop()
        return self.n < other.n

    @property
    def value(self):
        push("value")
        leaf()
        pop()
        return self.n

    def __getattr__(self, name):
        push("__getattr__")
        leaf()
        pop()
        return 1

    def __del__(self):
        local.stack.append("__del__")
        leaf()
        local.stack.pop()


def key_of(x):
    push("key_of")
    leaf()
    pop()
    return -x


def added(a, b):
    push("added")
    leaf()
    pop()
    return a + b


def replaced(match):
    push("replaced")
    leaf()
    pop()
    return match.group(0)


@COMPARE
def compared(a, b):
    push("compared")
    leaf()
    pop()
    return a[0] - b[0]


# Who calls this does not know when it begins, as the lock is taken again before that.
@COMPARE
def compared_apart(a, b):
    name_thread(PR_SET_NAME, CHANGING)
    push("compared_apart")
    leaf()
    pop()
    name_thread(PR_SET_NAME, local.apart)
    return a[0] - b[0]


# In a thread that Python has not begun, and which has a state as long as this runs.
@START
def foreign(arg):
    local.stack, local.whole = ["foreign"], True
    leaf()


def callbacks():
    push("callbacks")
    sorted(range(3), key=key_of)
    sorted([Odd(2), Odd(1)])
    functools.reduce(added, range(3))
    list(map(key_of, range(2)))
    re.compile("a").sub(replaced, "aa")
    operator.attrgetter("value")(Odd(3))
    Odd(1).missing
    array = (ctypes.c_int * 3)(3, 1, 2)
    libc.qsort(array, 3, ctypes.sizeof(ctypes.c_int), compared)
    pop()


def apart():
    now = push("apart")
    local.apart = number_of(local.stack, "=compared_apart")
    array = (ctypes.c_int * 3)(3, 1, 2)
    name_thread(PR_SET_NAME, local.apart)
    released.qsort(array, 3, ctypes.sizeof(ctypes.c_int), compared_apart)
    name_thread(PR_SET_NAME, CHANGING)
    thread = ctypes.c_ulong()
    if not local.threads and not libc.pthread_create(ctypes.byref(thread), None, foreign, None):
        name_thread(PR_SET_NAME, now)
        released.pthread_join(thread, None)
        name_thread(PR_SET_NAME, CHANGING)
    pop()


# In another interpreter of the same thread, which cannot change the name.
INSIDE = """
def inside():
    x = 0
    for i in range(%d):
        x += i
inside()
"""


def other_interpreter():
    if local.other is None:
        return
    push("other_interpreter")
    name_thread(PR_SET_NAME, number_of(local.stack, "=<module>;inside"))
    interpreters.run_string(local.other, INSIDE % UNITS)
    name_thread(PR_SET_NAME, CHANGING)
    pop()


def raises(depth):
    push("raises")
    try:
        if depth:
            raises(depth - 1)
        else:
            leaf()
            raise ValueError("as it should")
    finally:
        pop()


def exceptions():
    now = push("exceptions")
    try:
        raises(5)
    except ValueError:
        name_thread(PR_SET_NAME, now)
        x = 0
        for i in range(UNITS):
            x += i
        name_thread(PR_SET_NAME, CHANGING)
        leaf()
    pop()


def compiled():
    push("compiled")
    local.stack.append("<module>")
    exec(CODE, {"leaf": leaf})
    local.stack.pop()
    local.stack.append("<lambda>")
    (lambda: leaf())()
    local.stack.pop()
    pop()


async def awaited():
    local.stack[:] = ["task", "awaited"]
    leaf()
    await asyncio.sleep(0)
    local.stack[:] = ["task", "awaited"]
    leaf()


async def task():
    for _ in range(2):
        await awaited()
        local.stack[:] = ["task"]
        leaf()


def coroutines():
    before = local.stack
    local.stack, local.whole = [], False
    local.loop.run_until_complete(task())
    local.stack, local.whole = before, True


class Never(selectors.SelectSelector):
    """There is nothing to wait for, so the lock need not be let go for that either."""
    def select(self, timeout=None):
        return []


def rounds():
    global UNITS
    push("rounds")
    local.loop = asyncio.SelectorEventLoop(Never())
    local.other = None if local.threads else interpreters.create()
    first = True
    while first or is_there(STOP, os.F_OK):
        middle()
        recursion(25)
        recursion(150)
        generators()
        other_interpreter()
        callbacks()
        apart()
        other_interpreter()
        exceptions()
        compiled()
        other_interpreter()
        coroutines()
        if first and not local.threads:
            UNITS = UNITS_THEN
            print("ready", flush=True)
        first = False
    local.loop.close()
    if local.other is not None:
        interpreters.destroy(local.other)
    pop()


def thread():
    local.stack, local.whole, local.threads = ["_bootstrap", "_bootstrap_inner", "run", "thread"], True, True
    name_thread(PR_SET_NAME, CHANGING)
    rounds()


def main():
    local.stack, local.whole, local.threads = ["<module>", "main"], True, False
    others = [threading.Thread(target=thread) for _ in range(int(sys.argv[3]))]
    name_thread(PR_SET_NAME, CHANGING)
    for t in others:
        t.start()
    rounds()
    for t in others:
        t.join()
    with open(sys.argv[1], "w") as f:
        for (how, stack), number in table.items():
            f.write("%s %s %s\n" % (number.decode(), how, ";".join(stack)))


main()
