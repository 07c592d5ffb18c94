# SPDX-License-Identifier: BSD-2-Clause
"""push_store.py - a store of profiles that answers as it is told.

usage: push_store.py LOG ANSWER...

Prints its port. ANSWER is a status, STATUS@SECONDS with a Retry-After, or "reset": the connection is reset in the midst
of the body. The last one goes on. Each request is a line of LOG: a JSON object with path, headers, answer and body, in
which profiles are base64 still.
"""
import http.server
import json
import socket
import struct
import sys

log = open(sys.argv[1], "w", buffering=1)
answers = sys.argv[2:]


class Store(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length // 2 if answer == "reset" else length)
        print(json.dumps({"path": self.path, "headers": dict(self.headers), "answer": answer,
                          "body": None if answer == "reset" else json.loads(body)}), file=log)
        self.close_connection = True
        if answer == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        status, _, seconds = answer.partition("@")
        self.send_response(int(status))
        if seconds:
            self.send_header("Retry-After", seconds)
        text = b"{}" if status == "200" else b"not\x1b[2J today"
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def finish(self):
        try:
            super().finish()
        except (OSError, ValueError):
            pass

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Store)
print(server.server_port, flush=True)
server.serve_forever()
