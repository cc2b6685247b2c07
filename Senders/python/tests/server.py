"""A real HTTP server on this machine, in the relay's place."""

import http.server
import json
import ssl
import threading

KEY = "spk_" + "K" * 43


class Server:
    """A real server on this machine that answers as its script says, one entry for each request.

    An entry is (status, fields, body), `drop` to close the connection without an answer, or a function that makes an
    entry of the request's JSON.
    """

    def __init__(self, *script, certificate=None):
        self.script, self.requests = list(script), []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                server.requests.append((self.command, self.path, dict(self.headers), body))
                entry = server.script.pop(0) if server.script else (500, {}, b"")
                entry = entry(json.loads(body)) if callable(entry) else entry
                self.close_connection = True
                if entry == "drop":
                    return
                status, fields, content = entry
                content = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {"content-length": str(len(content)), **fields}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            trust.load_cert_chain(certificate)
            self.server.socket = trust.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
