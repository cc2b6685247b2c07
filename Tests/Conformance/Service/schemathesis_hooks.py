"""Values that schemathesis cannot draw from a pattern: existing ones. SEALEDPUSH_CONTRACT names a file of them."""

import json
import os

import schemathesis
from hypothesis import strategies as st

with open(os.environ["SEALEDPUSH_CONTRACT"]) as file:
    known = json.load(file)

for name in ("app", "device-token", "key-bundle", "sealed-field", "sealed-call-field", "web-push-record", "registration", "block-id"):
    schemathesis.openapi.format(name, st.sampled_from(known[name]))

# Most exist; the others make as many different ones as a document may need.
others = st.from_regex("[A-Za-z0-9_-]{1,64}", fullmatch=True)
for name in ("device-id", "notification-id"):
    schemathesis.openapi.format(name, st.sampled_from(known[name]) | others)
schemathesis.openapi.format("endpoint-id", st.sampled_from(known["endpoint-id"]))
schemathesis.openapi.format("record-name", st.sampled_from(known["record-name"]))
schemathesis.openapi.format("endpoint-secret", st.sampled_from(known["endpoint-secret"]))
# For the relay a record is bytes of that length.
schemathesis.openapi.media_type("application/octet-stream", st.sampled_from([bytes(range(256)), bytes(2_000)]))
other_traces = st.from_regex("[A-Za-z0-9_-]{21}[AQgw]", fullmatch=True)
schemathesis.openapi.format("notification-trace", st.sampled_from(known["notification-trace"]) | other_traces)
