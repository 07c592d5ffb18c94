# SPDX-License-Identifier: BSD-2-Clause
# busy.py - calls, JSON and regular expressions, for ever.
import json, re
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
while True:
    fib(18)
    json.loads(json.dumps({str(i): [i] * 20 for i in range(300)}))
    re.sub(r"(\w+)\s(\w+)", r"\2 \1", "hello world " * 200)
