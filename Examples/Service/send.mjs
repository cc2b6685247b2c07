// The same as send.py, for Node 18 and later, without packages.

import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";

const { SEALEDPUSH_URL, SEALEDPUSH_KEY, TOPIC, DEVICE_TOKEN, DEVICE_BUNDLE, SEALED } = process.env;

// The answer's JSON. A refusal says in `detail` and `errors` what to mend.
async function call(method, path, body) {
    const headers = { authorization: `Bearer ${SEALEDPUSH_KEY}` };
    if (body) headers["content-type"] = "application/json";
    const response = await fetch(SEALEDPUSH_URL + path, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
}

const device = "example-node";

// At each launch of the app; saying the same again costs nothing.
await call("PUT", `/v1/devices/${device}`, {
    token: DEVICE_TOKEN, topic: TOPIC, environment: "sandbox", bundle: DEVICE_BUNDLE,
});

// A request repeated with the same key sends nothing twice.
const accepted = await call("POST", "/v1/notifications", {
    topic: TOPIC, class: "normal", "idempotency-key": randomUUID(), recipients: [{ device, sealed: SEALED }],
});
const id = accepted.notifications[0].id;

// A real back end takes the webhook instead of polling.
let state;
do {
    state = await call("GET", `/v1/notifications/${id}`);
    if (["queued", "sending", "parked"].includes(state.state)) await setTimeout(200);
} while (["queued", "sending", "parked"].includes(state.state));
console.log(id, state.state, state.status ?? "", state.reason ?? "");
