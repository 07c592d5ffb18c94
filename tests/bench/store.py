# SPDX-License-Identifier: BSD-2-Clause
"""store.py - a store that takes every profile, for benches of agents that push.

Prints its port. The file "pushed" of the folder that it was started in has a line with the bytes of each request.
"""
import http.server


class Store(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open("pushed", "a") as f:
            f.write("%d\n" % len(body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *a):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
print(server.server_port, flush=True)
server.serve_forever()
