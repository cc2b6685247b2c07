// Starts simulator, device, relay and a host of files; every program's keys are made here and go with the folder.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:https';
import { access, constants, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  attachmentPointer, BundleCache, FilePins, IdentityKey, PreparedMessage, randomID, Recipient, RelayClient, safetyNumber,
  seal, sealAttachment, SenderIdentity, uploadAttachment,
} from '../index.js';
import { exchange } from '../lib/http.js';
import { checkout } from './setting.js';

const topic = 'com.example.chat';
const placeholder = { body: 'You have a new message' };
const patience = 300_000; // Late is wrong only when it is very late: the machine may be busy.
const sealedpush = process.env.SEALEDPUSH || `${checkout}.build/debug/sealedpush`;
const sealedpushd = process.env.SEALEDPUSHD || `${checkout}.build/debug/sealedpushd`;
for (const program of [sealedpush, sealedpushd]) {
  await access(program, constants.X_OK).catch(() => {
    console.error(`no program '${program}': run 'scripts/swift build', or set SEALEDPUSH and SEALEDPUSHD`);
    process.exit(1);
  });
}
const folder = await mkdtemp(join(tmpdir(), 'sealedpush-shown-'));
const children = [];

async function run(program, ...words) {
  const { stdout } = await promisify(execFile)(program, words, { cwd: folder, timeout: patience });
  return stdout;
}

/** A process whose lines of JSON are waited for, each one once and in order. */
class Child {
  constructor(program, ...words) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SEALEDPUSH')));
    this.process = spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
    children.push(this.process);
  }

  async await(what, found) {
    const late = setTimeout(patience, { done: true }, { ref: false });
    for (;;) {
      const { value, done } = await Promise.race([this.lines.next(), late]);
      if (done) throw new Error(`${what} did not come`);
      let event;
      try { event = JSON.parse(value); } catch { continue; }
      if (found(event)) return event;
    }
  }

  awaitNamed(name) { return this.await(name, ({ event }) => event === name); }

  awaitShown(words) {
    return this.await(`'${words}' on the screen`, ({ event, body }) => event === 'shown' && body === words);
  }
}

/** A certificate that the simulator's authority signs. */
async function certify(name, host) {
  await run('openssl', 'req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-subj', `/CN=${host}`,
    '-addext', `subjectAltName=DNS:${host},DNS:localhost`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
  await run('openssl', 'x509', '-req', '-in', `${name}.csr`, '-CA', 'sim/ca.pem', '-CAkey', 'sim/ca.key', '-days', '2',
    '-copy_extensions', 'copy', '-out', `${name}.pem`);
}

/** A host of files, as S3 is one: PUT, and GET with a range. */
async function startFiles() {
  const files = new Map();
  const [cert, key] = await Promise.all(['files.pem', 'files.key'].map((name) => readFile(`${folder}/${name}`)));
  const server = createServer({ cert, key }, async (request, response) => {
    const [path] = request.url.split('?');
    if (request.method === 'PUT') {
      files.set(path, await buffer(request));
      return response.writeHead(201).end();
    }
    const file = files.get(path);
    if (!file) return response.writeHead(404).end();
    const [, first] = /^bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
    const part = file.subarray(Number(first ?? 0));
    response.setHeader('content-length', part.length);
    if (first) response.setHeader('content-range', `bytes ${first}-${file.length - 1}/${file.length}`);
    return response.writeHead(first ? 206 : 200).end(part);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  server.unref();
  return server.address().port;
}

async function startRelay(pushPort) {
  const words = await run(sealedpushd, 'make-api-key');
  const [apiKey] = /spk_[\w-]{43}/.exec(words);
  const hash = /(?<![\w-])[\w-]{43}(?![\w-])/.exec(words)[0];
  await run(sealedpushd, 'make-key', 'token.key');
  await writeFile(`${folder}/service.json`, JSON.stringify({
    listen: [{ address: '127.0.0.1', port: 0 }],
    tls: { 'certificate-file': `${folder}/relay.pem`, 'key-file': `${folder}/relay.key` },
    'database-file': `${folder}/store.sqlite`,
    'token-key-file': `${folder}/token.key`,
    tenants: [{
      id: 'acme',
      keys: [{ name: 'back-end', hash, scopes: ['send', 'manage', 'read'] }],
      apps: [{
        'bundle-id': topic,
        environment: 'sandbox',
        credential: { 'key-file': `${folder}/sim/provider.p8`, 'key-id': 'SIMULATED1', 'team-id': 'SIMULATEAM' },
        endpoint: { host: 'localhost', port: pushPort, 'authorities-file': `${folder}/sim/ca.pem` },
        placeholder,
      }],
    }],
  }));
  const relay = new Child(sealedpushd, '--config', `${folder}/service.json`);
  const { port } = await relay.awaitNamed('listening');
  await relay.awaitNamed('ready');
  return { address: `https://localhost:${port}`, apiKey };
}

async function main() {
  const simulator = new Child(
    sealedpush, 'simulate', '--json', '--port', '0', '--device-port', '0', '--folder', 'sim', '--app', topic,
  );
  const ports = await simulator.awaitNamed('ready');
  await simulator.awaitNamed('keys');
  const ca = await readFile(`${folder}/sim/ca.pem`);
  await certify('files', 'files.example.com');
  await certify('relay', 'push.example.com');
  const filesPort = await startFiles();

  // Each reads the other's files.
  await run(sealedpush, 'keygen', 'device', '--topic', topic, '--out', '.');
  await run(sealedpush, 'keygen', 'sender', '--out', 'other');
  const theirs = await SenderIdentity.load(`${folder}/other/sender.key`);
  assert.equal(`${theirs.publicKey.text}\n`, await readFile(`${folder}/other/sender.pub`, 'utf8'));
  const sender = SenderIdentity.generate();
  await sender.save(`${folder}/sender.key`);
  await writeFile(`${folder}/sender.pub`, `${sender.publicKey.text}\n`);
  const contact = `${sender.publicKey.text} service call Node`;
  await writeFile(`${folder}/contacts`, `sealedpush-contacts-1\nunknown-senders refuse\n${contact}\n`);
  const identity = await IdentityKey.load(`${folder}/identity.pub`);
  const number = await run(sealedpush, 'safety-number', 'identity.pub', 'sender.pub');
  assert.ok(number.includes(safetyNumber(identity, sender.publicKey)), number);
  await run(sealedpush, 'seal', `${checkout}keys-example/message.json`, '--sender-key', 'sender.key',
    '--bundle', 'device.bundle', '--identity', 'identity.pub', '--topic', topic, '--out', 'theirs.json');

  const device = new Child(sealedpush, 'device', '--json', '--server', `localhost:${ports['device-port']}`,
    '--ca', 'sim/ca.pem', '--device-key', 'device.key', '--senders', 'contacts', '--bundle-out', 'device.bundle', '--token-out', 'token',
    '--register', 'voip=voip', '--files', `localhost:${filesPort}`);
  await device.awaitNamed('ready');
  const push = (file, isCall = false) => run(sealedpush, 'send', file, '--to-file', isCall ? 'voip' : 'token',
    '--topic', isCall ? `${topic}.voip` : topic, '--provider-key', 'sim/provider.p8', '--key-id', 'SIMULATED1',
    '--team-id', 'SIMULATEAM', '--server', `localhost:${ports['push-port']}`, '--ca', 'sim/ca.pem');
  const pushSealed = async (sealed) => {
    await writeFile(`${folder}/push.json`, sealed.payload(placeholder));
    await push('push.json', sealed.isCall);
  };

  await push('theirs.json');
  await device.awaitNamed('shown');
  await run(process.execPath, fileURLToPath(new URL('../examples/send.mjs', import.meta.url)));
  await push('push.json');
  const first = await device.awaitShown('See you at eight');
  assert.deepEqual([first.title, first['thread-id']], ['Anna', 'conversation 7']);
  console.log('shown: a message (examples/send.mjs)');

  const bundle = (await readFile(`${folder}/device.bundle`, 'utf8')).trim();
  const recipient = await Recipient.verify({ bundle, identity, topic, pins: new FilePins(`${folder}/pins`) });
  const show = (message) => pushSealed(seal(sender, new PreparedMessage(message), recipient));

  await show({ title: 'Long', body: 'ä'.repeat(4_000) });
  const long = await device.await('a shortened text', ({ event, title }) => event === 'shown' && title === 'Long');
  assert.match(long.body, /^ä{1200,}/);
  console.log('shown: a shortened text');

  const prepared = new PreparedMessage({ body: 'Once' });
  await pushSealed(seal(sender, prepared, recipient));
  await device.awaitShown('Once');
  await pushSealed(seal(sender, prepared, recipient));
  const again = await device.awaitNamed('shown');
  assert.notEqual(again.body, 'Once');
  await show({ op: 'remove', target: prepared.messageId });
  await show({ body: 'Last' });
  const { screen } = await device.awaitShown('Last');
  assert.ok(!screen.includes('Once'), String(screen));
  console.log('shown: a message that was sealed twice, once; and it is removed');

  await mkdir(`${folder}/out`);
  const sealedFile = await sealAttachment(`${checkout}keys-example/picture.png`, `${folder}/out/picture`);
  const path = '/v1/blobs/picture';
  await uploadAttachment(`${folder}/out/picture`, `https://localhost:${filesPort}${path}?signature=s`, { ca });
  const url = `https://files.example.com${path}`;
  const attachments = [attachmentPointer(sealedFile, { url, type: 'image/png' })];
  await show({ body: 'A picture', attachments });
  const picture = await device.awaitShown('A picture');
  assert.equal(picture.attachments.length, 1, JSON.stringify(picture));
  console.log('shown: an attachment');

  await show({ op: 'call', call: 'room 1' });
  assert.equal((await device.awaitNamed('call')).rings, true);
  console.log('rings: a call');

  const { address, apiKey } = await startRelay(ports['push-port']);
  await register(address, apiKey, ca, bundle);
  Object.assign(process.env, { RELAY_URL: address, RELAY_KEY: apiKey, RELAY_CA: `${folder}/sim/ca.pem` });
  const example = fileURLToPath(new URL('../examples/relay.mjs', import.meta.url));
  const id = (await run(process.execPath, example)).trim();
  assert.equal((await device.awaitShown('The table is at the window'))['apns-id'], id.toLowerCase());
  console.log('shown: a message by way of the relay (examples/relay.mjs)');

  const relay = new RelayClient({ url: address, apiKey, ca });
  await showGroup(device, relay, identity, (message) => seal(sender, message, recipient));
  const sealed = seal(sender, new PreparedMessage({ op: 'call', call: 'room 2' }), recipient);
  const submission = { recipients: [{ device: 'd1', message: sealed }], idempotencyKey: randomID() };
  const [one, other] = [await relay.send(submission), await relay.send(submission)];
  assert.deepEqual(one, other);
  assert.equal((await device.awaitNamed('call')).rings, true);
  const error = await relay.send({ ...submission, collapseId: 'c' }).catch((thrown) => thrown);
  assert.ok([409, 422].includes(error.status) && error.detail, String(error));
  assert.match(error.type, /^urn:sealedpush:problem:/);
  relay.close();
  console.log('rings: a call by way of the relay, submitted twice under one idempotency key');
}

/** The real relay answers a query with tags, and leaves out of a partial submission what it cannot send to. */
async function showGroup(device, relay, identity, sealed) {
  await writeFile(`${folder}/group.json`, JSON.stringify({ d1: identity.text, nobody: identity.text }));
  const example = fileURLToPath(new URL('../examples/group.mjs', import.meta.url));
  for (let i = 0; i < 2; i += 1) {
    const lines = (await run(process.execPath, example)).trim().toLowerCase().split('\n');
    const { 'apns-id': id } = await device.awaitShown('To all of you');
    assert.deepEqual(lines, ['nobody: the relay does not have it', `d1: ${id}`]);
  }
  const cache = BundleCache.parse(await readFile(`${folder}/bundles.txt`, 'utf8'));
  assert.equal((await relay.bundles(['d1'], { cache })).get('d1'), await relay.bundle('d1'));
  cache.keep([['d1', { ...cache.copies(['d1']).get('d1'), bundle: 'marked' }]]);
  assert.equal((await relay.bundles(['d1'], { cache })).get('d1'), 'marked');

  const message = new PreparedMessage({ body: 'To a group' });
  const recipients = ['d1', 'nobody'].map((each) => ({ device: each, message: sealed(message) }));
  const { notifications, rejected } = await relay.send({ recipients, partial: true });
  assert.equal((await device.awaitShown('To a group'))['apns-id'], notifications[0].id.toLowerCase());
  const [{ index, device: name, problem }] = rejected;
  assert.deepEqual([index, name, problem.status, problem.errors[0].pointer], [1, 'nobody', 422, '/recipients/1/device']);
  console.log('shown: a message to a group (examples/group.mjs), without the device that the relay does not have');
}

/** What an app's back end does at each launch; no sender does it. */
async function register(address, apiKey, ca, bundle) {
  const text = async (name) => (await readFile(`${folder}/${name}`, 'utf8')).trim();
  const tokens = { token: await text('token'), 'voip-token': await text('voip') };
  const body = Buffer.from(JSON.stringify({ ...tokens, topic, environment: 'sandbox', bundle }));
  const { status, body: answer } = await exchange(Error, {
    url: `${address}/v1/devices/d1`, method: 'PUT', ca, body,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'content-length': body.length },
  });
  assert.equal(status, 201, String(answer));
}

try {
  await main();
} finally {
  for (const child of children) {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  await rm(folder, { recursive: true });
}
