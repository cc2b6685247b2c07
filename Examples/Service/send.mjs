// The same as send.py, for Node 18 and later, with the package of Senders/node.

import { setTimeout } from "node:timers/promises";
import {
    FilePins, IdentityKey, PreparedMessage, Recipient, RelayClient, seal, SenderIdentity,
} from "../../Senders/node/index.js";

const {
    SEALEDPUSH_URL, SEALEDPUSH_KEY, TOPIC, DEVICE_TOKEN, DEVICE_BUNDLE, DEVICE_IDENTITY, SENDER_KEY, PINS,
} = process.env;

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

// The package repeats a request under one idempotency key: nothing is sent twice.
const relay = new RelayClient({ url: SEALEDPUSH_URL, apiKey: SEALEDPUSH_KEY });
const recipient = await Recipient.verify({
    bundle: await relay.bundle(device), identity: IdentityKey.parse(DEVICE_IDENTITY), topic: TOPIC,
    pins: new FilePins(PINS),
});
const message = new PreparedMessage({ title: "Anna", body: "See you at eight" });
const sealed = seal(await SenderIdentity.load(SENDER_KEY), message, recipient);
const { notifications } = await relay.send({ recipients: [{ device, message: sealed }] });
relay.close();
const id = notifications[0].id;

// A real back end takes the webhook instead of polling.
let state;
do {
    state = await call("GET", `/v1/notifications/${id}`);
    if (["queued", "sending", "parked"].includes(state.state)) await setTimeout(200);
} while (["queued", "sending", "parked"].includes(state.state));
console.log(id, state.state, state.status ?? "", state.reason ?? "");
