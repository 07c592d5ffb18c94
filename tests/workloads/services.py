# SPDX-License-Identifier: BSD-2-Clause
# services.py - threads as services have them: a server of HTTP, an event loop, a queue, a pool that works deep in generators.
# Each waits for most of the time, always in the same places.
import asyncio
import concurrent.futures
import http.server
import json
import queue
import threading
import time

items = queue.Queue()


def consume():
    while True:
        json.dumps(items.get())


def serve():
    http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler).serve_forever(0.05)


class Walker:
    def __init__(self, steps):
        self.steps = steps

    def __iter__(self):
        for i in range(self.steps):
            yield self.step(i)

    def step(self, i):
        time.sleep(0.03)
        return i


def walk(depth):
    if depth:
        return walk(depth - 1)
    return sum(x for x in Walker(5))


def pool():
    with concurrent.futures.ThreadPoolExecutor(1) as workers:
        while True:
            workers.submit(walk, 8).result()


async def tick():
    await asyncio.sleep(0.02)


async def ticks():
    while True:
        await asyncio.gather(*(tick() for _ in range(3)))


for service in (consume, serve, pool, lambda: asyncio.run(ticks())):
    threading.Thread(target=service, daemon=True).start()
print("ready", flush=True)
while True:
    items.put({"a": list(range(200))})
    time.sleep(0.02)
