# SPDX-License-Identifier: BSD-2-Clause
"""push_store.py - a store of profiles that answers as it is told.

usage: push_store.py [--tls CERTIFICATE KEY] LOG ANSWER...

Prints its port. ANSWER is a status, STATUS@SECONDS with a Retry-After, STATUS@dSECONDS with one that
is a date so far from now, "slow": a 200 in small pieces, or "reset": the connection is reset in the midst
of the body. The last one goes on. Each request is a line of LOG: a JSON object with path, headers, answer and body, in
which profiles are base64 still, as is all of a body that is no JSON.
"""
import base64
import email.utils
import http.server
import json
import socket
import ssl
import struct
import sys
import time

tls = sys.argv[1] == "--tls" and sys.argv[2:4]
if tls:
    del sys.argv[1:4]
log = open(sys.argv[1], "w", buffering=1)
answers = sys.argv[2:]


class Store(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length // 2 if answer == "reset" else length)
        binary = "protobuf" in self.headers["Content-Type"]
        print(json.dumps({"path": self.path, "headers": dict(self.headers), "answer": answer,
                          "body": None if answer == "reset" else
                          base64.b64encode(body).decode() if binary else json.loads(body)}), file=log)
        self.close_connection = True
        if answer == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        status, _, seconds = answer.replace("slow", "200").partition("@")
        if answer == "slow":
            for byte in b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n":
                self.wfile.write(bytes([byte]))
                time.sleep(0.01)
            return
        self.send_response(int(status))
        if seconds.startswith("d"):
            seconds = email.utils.formatdate(time.time() + float(seconds[1:]), usegmt=True)
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
if tls:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*tls)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_port, flush=True)
server.serve_forever()
