# SPDX-License-Identifier: BSD-2-Clause
"""locks_channels.py - a process that reads a pipe and a socket, each in a thread, and another one that writes.

Says "reader PID" and "writer PID".
"""
import os
import socket
import threading
import time

pipe_out, pipe_in = os.pipe()
server = socket.create_server(("127.0.0.1", 0))

parent = os.getpid()
child = os.fork()
if child == 0:
    os.close(pipe_out)
    to_server = socket.create_connection(server.getsockname())
    try:
        while True:
            time.sleep(0.01)
            os.write(pipe_in, b"x")
            time.sleep(0.01)
            to_server.send(b"x")
    except OSError:
        os._exit(0)


def reads(channel):
    while os.read(channel.fileno() if isinstance(channel, socket.socket) else channel, 1):
        pass


os.close(pipe_in)
for channel in pipe_out, server.accept()[0]:
    threading.Thread(target=reads, args=(channel,), daemon=True).start()
print("reader %d\nwriter %d" % (parent, child), flush=True)
os.waitpid(child, 0)
