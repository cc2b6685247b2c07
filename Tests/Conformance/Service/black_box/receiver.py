"""A back end that takes webhooks, on a free port of 127.0.0.1."""

import base64
import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

from .programs import PATIENCE


class Receiver:
    def __init__(self):
        # The line's end does not belong to it.
        self.secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode() + "\n"
        webhook = Webhook(self.secret.strip())
        self.faults = []
        self.change = threading.Condition()
        self.requests = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with receiver.change:
                    try:
                        webhook.verify(body, dict(self.headers))
                    except (WebhookVerificationError, json.JSONDecodeError) as error:
                        receiver.faults.append(error)
                    receiver.requests.append((str(self.headers), body))
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
        """Waits until one webhook has all of these in its body."""
        wanted = [text.encode() for text in texts]
        found = lambda: any(all(text in body for text in wanted) for _, body in self.requests)
        with self.change:
            if not self.change.wait_for(found, PATIENCE):
                raise SystemExit(f"no webhook with {texts} came; {len(self.requests)} others did")

    def check_signatures(self):
        """Checks signatures by another library of Standard Webhooks, as they came."""
        if self.faults:
            raise SystemExit(f"{len(self.faults)} of {len(self.requests)} webhooks are not signed: {self.faults[0]!r}")
