"""A back end that takes webhooks, on a port of 127.0.0.1 that is free."""

import hashlib
import hmac
import json
import re
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .programs import PATIENCE


class Receiver:
    def __init__(self):
        self.secret = secrets.token_bytes(32)
        self.change = threading.Condition()
        self.requests = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver.change:
                    signature = self.headers["sealedpush-signature"]
                    receiver.requests.append((str(self.headers), signature, body, time.time()))
                    receiver.change.notify_all()
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/hooks"

    def await_text(self, *texts):
        """Until one webhook has all of these in its body."""
        wanted = [text.encode() for text in texts]
        found = lambda: any(all(text in body for text in wanted) for _, _, body, _ in self.requests)
        with self.change:
            if not self.change.wait_for(found, PATIENCE):
                raise SystemExit(f"no webhook with {texts} came; {len(self.requests)} others did")

    def check_signatures(self):
        """docs/service.md, "Webhooks"."""
        for _, field, body, came in self.requests:
            parts = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", field or "")
            # When it came, not now: the run may take longer.
            if not parts or abs(int(parts[1]) - came) > 300:
                raise SystemExit(f"a webhook's signature has another form, or another time: {field!r}")
            expected = hmac.new(self.secret, parts[1].encode() + b"." + body, hashlib.sha256).hexdigest()
            if not hmac.compare_digest(expected, parts[2]):
                raise SystemExit("a webhook's signature is wrong")
            json.loads(body)
