import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { MemoryPins, PreparedMessage, Recipient, RelayClient, RelayError, seal, SenderIdentity } from '../index.js';
import { TestDevice } from './device.js';
import { ca, startServer } from './server.js';
import { refused } from './setting.js';

const apiKey = `spk_${randomBytes(32).toString('base64url')}`;
const sender = SenderIdentity.generate();
const words = 'words that nobody else may see';

const device = new TestDevice();
const recipient = await Recipient.verify({
  bundle: device.bundle(), identity: device.identity, topic: device.topic, pins: new MemoryPins(),
});
const message = seal(sender, new PreparedMessage({ title: words, receipt: randomBytes(16).toString('base64url') }), recipient);
const submission = { recipients: [{ device: 'd1', message }] };
const accepted = { status: 202, body: { notifications: [{ device: 'd1', id: 'i', trace: message.trace }] } };
const problem = (status, word, more = {}, headers = {}) => ({
  status, headers: { 'content-type': 'application/problem+json', ...headers },
  body: { type: `urn:sealedpush:problem:${word}`, title: 'A title', status, detail: 'What to do.', ...more },
});

async function start(t, answers, options = {}, serverOptions = {}) {
  const server = await startServer(t, answers, serverOptions);
  const relay = new RelayClient({ url: server.url, apiKey, delay: 1, ...options });
  t.after(() => relay.close());
  return { server, relay };
}

test('a submission is what the relay takes', async (t) => {
  const { server, relay } = await start(t, [accepted]);
  const options = { collapseId: 'c', expirySeconds: 0, class: 'urgent' };
  const { idempotencyKey, notifications } = await relay.send({ ...submission, ...options });
  assert.deepEqual(notifications, accepted.body.notifications);
  const [{ method, path, headers, body }] = server.requests;
  assert.deepEqual([method, path, headers.authorization], ['POST', '/v1/notifications', `Bearer ${apiKey}`]);
  assert.deepEqual(JSON.parse(body), {
    topic: 'com.example.chat', class: 'urgent', expiry: 0, 'collapse-id': 'c', 'idempotency-key': idempotencyKey,
    recipients: [{ device: 'd1', sealed: message.sealed, trace: message.trace, 'receipt-hash': message.receiptHash }],
  });
});

test('429, 500, 503 and a lost connection are tried again, with the same key and body', async (t) => {
  const { server, relay } = await start(t, ['reset', problem(503, 'draining'), problem(429, 'too-many-requests'),
    problem(500, 'internal-error'), accepted]);
  await relay.send(submission);
  assert.equal(server.requests.length, 5);
  const bodies = server.requests.slice(1).map(({ body }) => String(body));
  assert.equal(new Set(bodies).size, 1);
});

test('the idempotency key that is given is the one that is used, and the error names it', async (t) => {
  const { server, relay } = await start(t, [problem(503, 'draining')], { attemptCountMax: 3 });
  const error = await refused(RelayError, 'refused', () => relay.send({ ...submission, idempotencyKey: 'order-1' }));
  assert.deepEqual([error.idempotencyKey, error.status, server.requests.length], ['order-1', 503, 3]);
  assert.ok(server.requests.every(({ body }) => JSON.parse(body)['idempotency-key'] === 'order-1'));
});

test('Retry-After is waited for; one that is too long ends the tries', async (t) => {
  const { server, relay } = await start(t, [problem(429, 'too-many-requests', {}, { 'retry-after': '1' }), accepted]);
  await relay.send(submission);
  const [first, second] = server.requests;
  assert.ok(second.at - first.at >= 990, `${second.at - first.at} ms`);

  const other = await start(t, [problem(429, 'quota-exceeded', {}, { 'retry-after': '3600' })]);
  const error = await refused(RelayError, 'refused', () => other.relay.send(submission));
  assert.deepEqual([error.retryAfterSeconds, other.server.requests.length], [3_600, 1]);
});

test('no other 4xx is tried again', async (t) => {
  for (const status of [400, 401, 403, 404, 408, 409, 413, 415, 422]) {
    const { server, relay } = await start(t, [problem(status, 'bad-request')]);
    const error = await refused(RelayError, 'refused', () => relay.send(submission));
    assert.deepEqual([error.status, server.requests.length], [status, 1]);
  }
});

test('a redirect is not followed', async (t) => {
  const { server, relay } = await start(t, [{ status: 307, headers: { location: '/elsewhere' } }]);
  const { status } = await refused(RelayError, 'refused', () => relay.bundle('d1'));
  assert.deepEqual([status, server.requests.length], [307, 1]);
});

test('a problem is typed', async (t) => {
  const errors = [{ pointer: '/recipients/0/device', detail: 'no such device' }];
  const { relay } = await start(t, [problem(422, 'invalid-fields', { errors })]);
  const error = await refused(RelayError, 'refused', () => relay.send(submission));
  assert.deepEqual(
    { ...error, idempotencyKey: undefined, retryAfterSeconds: undefined },
    {
      name: 'RelayError', code: 'refused', status: 422, type: 'urn:sealedpush:problem:invalid-fields', title: 'A title',
      detail: 'What to do.', errors, isRetryable: false, idempotencyKey: undefined, retryAfterSeconds: undefined,
    },
  );
});

test('neither key nor words nor token stand in an error, even if the server repeats them', async (t) => {
  const echo = async (request, response) => {
    response.writeHead(400);
    const { authorization } = request.headers;
    const detail = `${apiKey} ${message.sealed}\u001b[2J`;
    response.end(JSON.stringify({ title: authorization, detail, type: [apiKey], errors: [{ detail: apiKey }] }));
  };
  for (const answer of [echo, 'reset', { status: 202, body: 'no JSON' }]) {
    const { relay } = await start(t, [answer], { attemptCountMax: 1 });
    const error = await relay.send(submission).then(() => null, (thrown) => thrown);
    assert.ok(error instanceof RelayError);
    const options = { depth: 9, showHidden: true };
    for (const text of [inspect(error, options), JSON.stringify(error), error.stack, inspect(relay, options)]) {
      const secrets = [apiKey.slice(6, 30), message.sealed.slice(100, 120), '\u001b'];
      assert.ok(!secrets.some((secret) => text.includes(secret)), text);
    }
  }
  const error = await refused(RelayError, 'api-key', () => new RelayClient({ url: 'https://a', apiKey: `${apiKey}x` }));
  assert.ok(!inspect(error).includes(apiKey.slice(4, 20)));
});

test('whatever the relay answers, the error is typed', async (t) => {
  const deep = ['['.repeat(1_000_000), '{"a":'.repeat(200_000)];
  const bodies = ['', 'null', '[]', '1', '{"bundle":1}', '{', '\xff', ...deep, randomBytes(1_000)];
  for (const body of bodies) {
    const { relay } = await start(t, [{ status: 200, body: Buffer.from(body) }]);
    await refused(RelayError, 'malformed-answer', () => relay.bundle('d1'));
  }
  for (const notifications of [undefined, null, [], [null], [{}], [{ device: 1 }], {}]) {
    const { relay } = await start(t, [{ status: 202, body: { notifications } }]);
    await refused(RelayError, 'malformed-answer', () => relay.send(submission));
  }
  const long = await start(t, [{ status: 200, body: { bundle: 'A'.repeat(1 << 22) } }]);
  await refused(RelayError, 'malformed-answer', () => long.relay.bundle('d1'));
  const noHTTP = await start(t, [(request) => request.socket.end('hello\r\n\r\n')]);
  await refused(RelayError, 'malformed-answer', () => noHTTP.relay.bundle('d1'));
  const cut = await start(t, [(_, response) => {
    response.writeHead(200, { 'content-length': 9 }).write('{');
    response.destroy();
  }]);
  await refused(RelayError, 'connection', () => cut.relay.bundle('d1'));
});

test('a relay that is silent, and one that is not there, end in time', async (t) => {
  const silent = await start(t, [() => {}], { timeout: 500, attemptCountMax: 2 });
  await refused(RelayError, 'connection', () => silent.relay.bundle('d1'));
  assert.equal(silent.server.requests.length, 2);
  const nobody = new RelayClient({ url: 'http://127.0.0.1:1', apiKey, delay: 1 });
  await refused(RelayError, 'connection', () => nobody.bundle('d1'));
});

test('a caller can end the tries', async (t) => {
  const { relay } = await start(t, [problem(503, 'draining')], { delay: 60_000 });
  await assert.rejects(relay.send({ ...submission, signal: AbortSignal.timeout(50) }), { name: 'AbortError' });
});

test('an authority of one\'s own is trusted, and no other', async (t) => {
  const answer = { status: 200, body: { bundle: 'b' } };
  const { server, relay } = await start(t, [answer], { ca }, { certificate: 'relay' });
  assert.equal(await relay.bundle('d1'), 'b');
  const stranger = new RelayClient({ url: server.url, apiKey });
  const { isRetryable } = await refused(RelayError, 'not-trusted', () => stranger.bundle('d1'));
  assert.ok(!isRetryable);
  // Of another name than the certificate's.
  const { port } = await startServer(t, [answer], { certificate: 'relay', address: '127.0.0.2' });
  const otherName = new RelayClient({ url: `https://127.0.0.2:${port}`, apiKey, ca });
  await refused(RelayError, 'not-trusted', () => otherName.bundle('d1'));
});

test('addresses, devices and recipients that are none are refused before anything is sent', async (t) => {
  const plain = ['http://push.example.com', 'http://127.0.0.1.example.com'];
  for (const url of [...plain, 'https://a@b', 'https://a?b', 'https://', '', undefined]) {
    await refused(RelayError, 'url', () => new RelayClient({ url, apiKey }));
  }
  const { server, relay } = await start(t, [accepted]);
  await refused(RelayError, 'device', () => relay.bundle('../x'));
  await refused(RelayError, 'recipients', () => relay.send({ recipients: [] }));
  assert.equal(server.requests.length, 0);
});
