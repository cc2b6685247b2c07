import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  BundleCache, BundleError, MemoryPins, PreparedMessage, Recipient, RelayClient, RelayError, seal, SenderIdentity,
} from '../index.js';
import { sha256 } from '../lib/primitives.js';
import { TestDevice } from './device.js';
import { startServer } from './server.js';
import { refused } from './setting.js';

const apiKey = `spk_${randomBytes(32).toString('base64url')}`;
const sender = SenderIdentity.generate();
const verified = (device, pins, bundle = device.bundle()) => Recipient.verify({
  bundle, identity: device.identity, topic: device.topic, pins,
});
const message = seal(sender, new PreparedMessage({ body: 'b' }), await verified(new TestDevice(), new MemoryPins()));
const bundles = new Map(['d0', 'd1', 'd2'].map((device) => [device, new TestDevice().bundle()]));

const unknown = {
  type: 'urn:sealedpush:problem:invalid-fields', title: 'Some fields are wrong', status: 422,
  detail: 'Correct the fields listed here, and send to this recipient in a separate request.',
  errors: [{ pointer: '/recipients/1/device', detail: 'no such device is registered' }],
};
const accepted = (device) => ({ device, id: `id of ${device}`, trace: 't' });
const current = (device, bundle = bundles.get(device), etag = `tag-${device}`) => ({
  device, state: 'current', etag, bundle,
});
const unchanged = (device) => ({ device, state: 'unchanged' });
const missing = (device) => ({ device, state: 'missing' });
const query = (...listed) => ({ status: 200, body: { bundles: listed } });

async function start(t, answers) {
  const server = await startServer(t, answers);
  const relay = new RelayClient({ url: server.url, apiKey, delay: 1, timeout: 300_000 }); // The machine may be busy.
  t.after(() => relay.close());
  return { relay, requests: server.requests, bodies: () => server.requests.map(({ body }) => JSON.parse(body)) };
}

async function submit(t, body, devices = ['d1', 'd2', 'd3'], options = { partial: true }) {
  const { relay, bodies } = await start(t, [{ status: 202, body }]);
  const recipients = devices.map((device) => ({ device, message }));
  const answer = await relay.send({ recipients, idempotencyKey: 'order-1', ...options });
  return { ...answer, sent: bodies()[0] };
}

test('each recipient of a partial submission has an id or a typed problem', async (t) => {
  const { notifications, rejected, sent } = await submit(t, {
    notifications: [accepted('d1'), accepted('d3')], rejected: [{ index: 1, device: 'd2', problem: unknown }],
  });
  assert.equal(sent.partial, true);
  assert.deepEqual(notifications, [accepted('d1'), accepted('d3')]);
  const [{ index, device, problem }] = rejected;
  assert.deepEqual([rejected.length, index, device], [1, 1, 'd2']);
  assert.ok(problem instanceof RelayError);
  const { code, status, type, detail, errors } = problem;
  assert.deepEqual({ code, status, type, detail, errors }, {
    code: 'refused', status: 422, type: unknown.type, detail: unknown.detail, errors: unknown.errors,
  });
});

test('a device that the relay could not read keeps its name', async (t) => {
  const body = { notifications: [accepted('d1')], rejected: [{ index: 1, problem: unknown }] };
  const { rejected } = await submit(t, body, ['d1', 'd2']);
  assert.equal(rejected[0].device, 'd2');
});

test('a submission that is not partial is whole, or refused', async (t) => {
  const whole = { notifications: [accepted('d1'), accepted('d2')] };
  const { notifications, rejected, sent } = await submit(t, whole, ['d1', 'd2'], {});
  assert.deepEqual([notifications.length, rejected, 'partial' in sent], [2, [], false]);
  const short = { notifications: [accepted('d1')], rejected: [{ index: 1, device: 'd2', problem: unknown }] };
  await refused(RelayError, 'malformed-answer', () => submit(t, short, ['d1', 'd2'], {}));
});

test('if none can be sent to, it is an error', async (t) => {
  const { relay, requests } = await start(t, [{ status: 422, body: unknown }]);
  const recipients = [{ device: 'd1', message }];
  await refused(RelayError, 'refused', () => relay.send({ recipients, partial: true }));
  assert.equal(requests.length, 1);
});

test('an answer that does not fit the recipients is malformed, and the error names the idempotency key', async (t) => {
  const left = { index: 1, device: 'd2', problem: unknown };
  const both = [accepted('d1'), accepted('d3')];
  const lists = [
    [both, undefined], [both, []], [both, {}], [both, [7]], [both, [null]], [both, [left, left]],
    [both, [{ ...left, device: 'd3' }]], [both, [{ ...left, device: null }]], [both, [{ ...left, index: '1' }]],
    [both, [{ ...left, index: -2 }]], [both, [{ ...left, index: 3 }]], [both, [{ ...left, problem: 'gone' }]],
    [both, [{ ...left, problem: { type: 'about:blank' } }]], [both, [{ ...left, problem: null }]],
    [[accepted('d3'), accepted('d1')], [left]], [[accepted('d1')], [left]],
    [[...both, accepted('d4')], [left]],
    [[accepted('d1'), accepted('d2'), accepted('d3')], [left]],
    [[{ ...accepted('d1'), id: 7 }, accepted('d3')], [left]],
  ];
  for (const [notifications, rejected] of lists) {
    const error = await refused(RelayError, 'malformed-answer', () => submit(t, { notifications, rejected }));
    assert.equal(error.idempotencyKey, 'order-1');
  }
});

test('the problem of a recipient is cleaned', async (t) => {
  const problem = { ...unknown, detail: `${apiKey}\u001b[31m${'d '.repeat(900)}`, title: 7 };
  const { rejected } = await submit(t, { notifications: [], rejected: [{ index: 0, problem }] }, ['d1']);
  const text = inspect(rejected, { depth: 9 });
  assert.ok(!text.includes(apiKey.slice(6, 30)) && !text.includes('\u001b'));
  assert.ok(rejected[0].problem.detail.length <= 500);
});

test('a query has the tags of what is there, and brings the changed bundles', async (t) => {
  const cache = new BundleCache();
  const newer = new TestDevice().bundle();
  const devices = [...bundles.keys()];
  const { relay, requests, bodies } = await start(t, [
    query(...devices.map((device) => current(device))),
    query(unchanged('d0'), current('d1', newer, 'tag-new'), missing('d2')),
    query(unchanged('d0'), unchanged('d1'), missing('d2')),
  ]);
  assert.deepEqual(await relay.bundles(devices, { cache }), bundles);
  const wanted = new Map([['d0', bundles.get('d0')], ['d1', newer], ['d2', null]]);
  assert.deepEqual(await relay.bundles(devices, { cache }), wanted);
  assert.deepEqual(await relay.bundles(devices, { cache }), wanted);
  assert.ok(requests.every(({ method, path }) => method === 'POST' && path === '/v1/bundles/query'));
  const [first, second, third] = bodies();
  assert.deepEqual(first, { devices: devices.map((device) => ({ device })) });
  assert.deepEqual(second, { devices: devices.map((device) => ({ device, etag: `tag-${device}` })) });
  assert.deepEqual(third.devices.slice(1), [{ device: 'd1', etag: 'tag-new' }, { device: 'd2' }]);
});

test('a device is asked for once, and a thousand at a time', async (t) => {
  const devices = Array.from({ length: 2_001 }, (_, i) => `d${i}`);
  const none = (count, first) => query(...devices.slice(first, first + count).map(missing));
  const busy = { status: 429, headers: { 'retry-after': '0' } };
  const { relay, bodies } = await start(t, [none(1_000, 0), busy, none(1_000, 1_000), none(1, 2_000)]);
  const found = await relay.bundles([...devices, ...devices.slice(0, 9)]);
  assert.deepEqual(found, new Map(devices.map((device) => [device, null])));
  assert.deepEqual(bodies().map((body) => body.devices.length), [1_000, 1_000, 1_000, 1]);

  const silent = await start(t, [query()]);
  assert.equal((await silent.relay.bundles([])).size, 0);
  await refused(RelayError, 'device', () => silent.relay.bundles(['d1', '../d2']));
  assert.equal(silent.requests.length, 0);
});

test('a copy that is forgotten meanwhile is still the answer', async (t) => {
  const cache = new BundleCache();
  cache.keep([['d0', { etag: 't', bundle: bundles.get('d0') }]]);
  const { relay } = await start(t, [(_, response) => {
    cache.forget('d0');
    response.end(JSON.stringify({ bundles: [unchanged('d0')] }));
  }]);
  assert.deepEqual(await relay.bundles(['d0'], { cache }), new Map([['d0', bundles.get('d0')]]));
});

test('one client asks one after the other, also after a failure', async (t) => {
  let overlaps = 0;
  let open = 0;
  let queryCount = 0;
  const { relay } = await start(t, [async ({ method }, response) => {
    if (method === 'GET') return response.end('{"bundle":"AA"}');
    open += 1;
    overlaps += open > 1 ? 1 : 0;
    queryCount += 1;
    if (queryCount === 1) response.writeHead(401);
    await relay.bundle('d9'); // While it is on its way, another query would come.
    open -= 1;
    return response.end(JSON.stringify({ bundles: [missing('d0')] }));
  }]);
  const results = await Promise.allSettled([1, 2, 3].map(() => relay.bundles(['d0'])));
  assert.deepEqual(results.map(({ status }) => status), ['rejected', 'fulfilled', 'fulfilled']);
  assert.deepEqual([overlaps, queryCount], [0, 3]);
});

test('whatever the relay answers to a query, nothing else is kept', async (t) => {
  const cache = new BundleCache();
  const kept = { etag: 't', bundle: bundles.get('d1') };
  cache.keep([['d1', kept]]);
  const [right, other] = [current('d0'), unchanged('d1')];
  const lists = [
    undefined, {}, [], [7], [right], [right, right], [right, null], [right, { device: 'd1' }], [unchanged('d0'), other],
    ...['lost', 'toString'].map((state) => [right, { device: 'd1', state }]),
    ...['', 'a b', 't'.repeat(65), undefined].map((etag) => [{ ...right, etag }, other]),
    ...[null, 'A', 'A'.repeat(3_786)].map((bundle) => [{ ...right, bundle }, other]),
  ];
  for (const listed of lists) {
    const { relay } = await start(t, [{ status: 200, body: { bundles: listed } }]);
    await refused(RelayError, 'malformed-answer', () => relay.bundles(['d0', 'd1'], { cache }));
    assert.deepEqual(cache.copies(['d0', 'd1']), new Map([['d1', kept]]));
  }
});

test('the longest answer to a query is read', async (t) => {
  const devices = Array.from({ length: 1_000 }, (_, i) => String(i).padStart(64, '0'));
  const bundle = Buffer.alloc(2_838).toString('base64url');
  const listed = devices.map((device) => ({ ...current(device, bundle, 't'.repeat(22)), language: 'l'.repeat(35) }));
  const { relay } = await start(t, [query(...listed)]);
  assert.deepEqual(await relay.bundles(devices), new Map(devices.map((device) => [device, bundle])));
});

test('a cache has a bound, and loses what was asked for longest ago', () => {
  const cache = new BundleCache({ countMax: 3 });
  const keep = (...devices) => cache.keep(devices.map((device) => [device, { etag: 't', bundle: 'AA' }]));
  keep('d0', 'd1', 'd2');
  keep('d0');
  keep('d3');
  assert.deepEqual([...cache.copies(['d0', 'd1', 'd2', 'd3']).keys()], ['d0', 'd2', 'd3']);
  keep(...Array.from({ length: 9 }, (_, i) => `e${i}`));
  assert.equal(cache.size, 3);
});

const withCheck = (content) => `${sha256(Buffer.from(content)).toString('hex')}\n${content}`;

test('a saved cache comes back as it was; a damaged text gives an empty one that works', () => {
  const cache = new BundleCache();
  const devices = Array.from({ length: 9 }, (_, i) => `d${i}`);
  const copy = (i) => ({ etag: `tag"\\${i}`, bundle: randomBytes(i).toString('base64url') });
  cache.keep(devices.map((device, i) => [device, copy(i)]));
  const { text } = cache;
  assert.deepEqual(BundleCache.parse(text).copies(devices), cache.copies(devices));
  assert.equal(BundleCache.parse(text).text, text);
  assert.deepEqual([...BundleCache.parse(text, { countMax: 2 }).copies(devices).keys()], ['d7', 'd8']);

  const damaged = ['', '\n', '{}', '\ud800', text.slice(0, -1), `${text} `, text.replace('d0', 'd9'), '['.repeat(9_000)];
  for (let place = 0; place < text.length; place += 1) {
    damaged.push(text.slice(0, place) + String.fromCharCode(text.charCodeAt(place) ^ 1) + text.slice(place + 1));
  }
  // Whole by its check, and no cache all the same.
  const wrong = [
    '["d0","t"]', '["d0",7,"AA"]', '[7,"t","AA"]', '["a/b","t","AA"]', '["d0","t","A"]', '7', '{}', 'null',
    '["d0","t","AA"],["d1","t","A"]',
  ];
  damaged.push(...wrong.map((each) => withCheck(`[${each}]`)), ...['7', '{}', '[{', 'null'].map(withCheck));
  for (const each of damaged) {
    const again = BundleCache.parse(each);
    assert.equal(again.size, 0, each);
    again.keep([['d0', { etag: 't', bundle: 'AA' }]]);
    assert.equal(again.size, 1);
  }
  assert.equal(BundleCache.parse(withCheck('[["d0","t","AA"]]')).size, 1);
});

test('a message to 1,000 devices is one query and one submission, and pins are checked each time', async (t) => {
  const keys = Array.from({ length: 10 }, () => new TestDevice()); // A thousand take seconds to make.
  const devices = new Map(Array.from({ length: 1_000 }, (_, i) => [`d${i}`, keys[i % 10]]));
  const [pins, cache] = [new MemoryPins(), new BundleCache()];
  const prepared = new PreparedMessage({ body: 'b' });
  const answer = (status, make) => async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts));
    received.push(body);
    response.writeHead(status).end(JSON.stringify(make(body)));
  };
  const received = [];
  const found = (element) => answer(200, (body) => ({ bundles: body.devices.map(({ device }) => element(device)) }));
  const taken = answer(202, ({ recipients: [first, ...others] }) => ({
    notifications: others.map(({ device }) => accepted(device)),
    rejected: [{ index: 0, device: first.device, problem: unknown }],
  }));
  const old = Date.now() - 1_000;
  const oldBundles = new Map(keys.map((device) => [device, device.bundle({ epoch: old })]));
  const whole = found((device) => current(device, oldBundles.get(devices.get(device))));
  const { relay, requests } = await start(t, [whole, taken, found(unchanged), taken]);

  /** What the README's example does. */
  const send = async (ids) => {
    const [recipients, refusals] = [[], []];
    for (const [device, bundle] of await relay.bundles(ids, { cache })) {
      try {
        recipients.push({ device, message: seal(sender, prepared, await verified(devices.get(device), pins, bundle)) });
      } catch (error) {
        assert.ok(error instanceof BundleError);
        refusals.push([device, error.code]);
      }
    }
    return { ...await relay.send({ recipients, partial: true }), refusals };
  };
  const ids = [...devices.keys()];
  const first = await send(ids);
  assert.deepEqual([first.notifications.length, first.rejected[0].device, first.refusals], [999, 'd0', []]);
  const sent = received[1].recipients;
  assert.equal(new Set(sent.map(({ sealed }) => sealed)).size, 1_000);
  for (const { device, sealed } of sent.slice(0, 10)) {
    assert.equal(devices.get(device).open(sealed).body.body, 'b');
  }
  // A newer bundle of one device was pinned elsewhere, so its copy is an old one.
  await verified(devices.get('d7'), pins);
  const second = await send(ids.slice(0, 10));
  assert.deepEqual([second.notifications.length, second.refusals], [8, [['d7', 'rolled-back']]]);
  const pair = ['/v1/bundles/query', '/v1/notifications'];
  assert.deepEqual(requests.map(({ path }) => path), [...pair, ...pair]);
  assert.ok(received[2].devices.every(({ device, etag }) => etag === `tag-${device}`));
});
