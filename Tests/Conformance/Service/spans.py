"""A running sealedpushd sends spans to a collector that decodes them by PyPI's opentelemetry-proto.

Two submissions of a sampled trace, of which one dies at APNs, give a span each and one for each attempt, as children of
the caller's span. One that is not sampled, and one without a trace, give none. A collector that refuses holds up no
notification, and what was refused is counted.

    Tests/Conformance/Service/spans
"""

import os
import re
import secrets
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sys.dont_write_bytecode = True

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest  # noqa: E402
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status  # noqa: E402

from black_box.programs import PATIENCE  # noqa: E402
from black_box.service import APP, Sender, Service, Simulator  # noqa: E402


class Collector(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.status = 200
        self.requests = []
        self.change = threading.Condition()
        self.url = f"http://127.0.0.1:{self.server_port}/v1/traces"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def spans(self):
        with self.change:
            return [
                span
                for request in self.requests
                for resource in request.resource_spans
                for scope in resource.scope_spans
                for span in scope.spans
            ]

    def await_spans(self, count):
        with self.change:
            if not self.change.wait_for(lambda: len(self.spans()) >= count, PATIENCE):
                sys.exit(f"spans: {len(self.spans())} of {count} spans came in {PATIENCE} s")
        return self.spans()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if (self.path, self.headers["content-type"]) != ("/v1/traces", "application/x-protobuf"):
            sys.exit(f"spans: a request for {self.path} with {self.headers['content-type']}")
        request = ExportTraceServiceRequest.FromString(body)
        # Unknown fields would be lost here.
        assert len(request.SerializeToString()) == len(body), "a field that OpenTelemetry does not know"
        with self.server.change:
            if self.server.status == 200:
                self.server.requests.append(request)
            self.server.change.notify_all()
        self.send_response(self.server.status)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Caller:
    """A caller's span."""

    def __init__(self, sampled):
        self.trace_id, self.span_id = secrets.token_bytes(16), secrets.token_bytes(8)
        self.traceparent = f"00-{self.trace_id.hex()}-{self.span_id.hex()}-0{int(sampled)}"


def attributes(span):
    values = {}
    for pair in span.attributes:
        kind = pair.value.WhichOneof("value")
        values[pair.key] = getattr(pair.value, kind)
    return values


def expect(expected, found, what):
    if expected != found:
        sys.exit(f"spans: {what}: expected {expected!r}, found {found!r}")


def send(service, sender, device, caller):
    body = {"topic": APP, "class": "urgent", "recipients": [{"device": device, "sealed": sender.seal("hello")}]}
    fields = {"traceparent": caller.traceparent} if caller else {}
    return service.expect(202, "POST", "/v1/notifications", body, fields=fields).body["notifications"][0]["id"]


def await_state(service, id, state):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if service.expect(200, "GET", f"/v1/notifications/{id}").body["state"] == state:
            return
        time.sleep(0.1)
    sys.exit(f"spans: {id} did not become {state} in {PATIENCE} s")


def check(spans, caller, id, status, began):
    own = [span for span in spans if span.trace_id == caller.trace_id]
    expect({"submission", "attempt"}, {span.name for span in own}, "the names")
    expect([caller.span_id] * 2, [span.parent_span_id for span in own], "the parents")
    for span in own:
        if not began <= span.start_time_unix_nano <= span.end_time_unix_nano <= time.time_ns() + 10**9:
            sys.exit(f"spans: {span.name} has times that cannot be: {span}")
    submission, attempt = sorted(own, key=lambda span: span.name, reverse=True)
    expect((Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CLIENT), (submission.kind, attempt.kind), "the kinds")
    values = attributes(submission)
    expect(("POST", "/v1/notifications"), (values["http.request.method"], values["http.route"]), "the request")
    expect((202, "acme"), (values["http.response.status_code"], values["sealedpush.tenant"]), "the answer")
    values = attributes(attempt)
    expect((id, APP), (values["sealedpush.apns_id"], values["sealedpush.topic"]), "the notification")
    expect((status, 1), (values["http.response.status_code"], values["sealedpush.attempt"]), "the attempt")
    code = Status.STATUS_CODE_UNSET if status == 200 else Status.STATUS_CODE_ERROR
    expect((code, status == 200), (attempt.status.code, "error.type" not in values), "the result")


def main():
    began = time.time_ns() - 10**9
    collector = Collector()
    with tempfile.TemporaryDirectory() as folder:
        simulator = Simulator(folder)
        sender = Sender(folder)
        service = Service(folder, simulator)
        service.configuration["spans"] = {"url": collector.url}
        service.start()
        try:
            for device in ("d1", "gone"):
                number, token = simulator.enrol()
                if service.register(device, token, sender).status != 201:
                    sys.exit("spans: the device is not registered")
            simulator.remove_app(number)
            unsampled = Caller(sampled=False)
            for caller in (unsampled, None):
                await_state(service, send(service, sender, "d1", caller), "accepted")
            good, bad = Caller(sampled=True), Caller(sampled=True)
            ids = [send(service, sender, "d1", good), send(service, sender, "gone", bad)]
            for id, state in zip(ids, ("accepted", "dead")):
                await_state(service, id, state)
            spans = collector.await_spans(4)
            expect(4, len(spans), "the number of spans")
            expect(4, len({span.span_id for span in spans if len(span.span_id) == 8}), "the number of span ids")
            check(spans, good, ids[0], 200, began)
            check(spans, bad, ids[1], 410, began)
            resource = {pair.key: pair.value.string_value for pair in collector.requests[0].resource_spans[0].resource.attributes}
            expect("sealedpushd", resource["service.name"], "the resource")
            collector.status = 503
            await_state(service, send(service, sender, "d1", Caller(sampled=True)), "accepted")
            service.child.await_named("spans-failed")
            metrics = service.expect(200, "GET", "/v1/metrics").raw.decode()
            if not re.search(r'^sealedpush_spans_total\{outcome="sent"\} 4$', metrics, re.MULTILINE):
                sys.exit("spans: the metrics do not have four spans sent")
            if not re.search(r'^sealedpush_spans_total\{outcome="dropped"\} [12]$', metrics, re.MULTILINE):
                sys.exit("spans: the metrics do not have the spans that were refused")
        finally:
            service.child.stop()
            simulator.child.stop()
    print("spans: four of two submissions are decoded, none of what is not sampled, and a refusal is counted")


if __name__ == "__main__":
    main()
