// Pushes with what comes with Node. The simulator's address, the key and a device token are in the environment.

import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { text } from 'node:stream/consumers';

/// One for the life of the process: Apple takes many connections for an attack.
class Provider {
  constructor({ server, authority, key, keyID, teamID, topic }) {
    Object.assign(this, { key: createPrivateKey(key), keyID, teamID, topic, issuedAt: 0 });
    this.session = http2.connect(`https://${server}`, { ca: authority });
    this.session.on('error', (error) => console.error(error.message));
  }

  /// Apple takes it for an hour, and wants a new one every 20 minutes at most.
  token() {
    const now = Math.floor(Date.now() / 1000);
    if (now - this.issuedAt > 40 * 60) {
      const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const signed = `${part({ alg: 'ES256', kid: this.keyID })}.${part({ iss: this.teamID, iat: now })}`;
      // Without the encoding Node writes DER, which is not what a JWT has.
      const signature = sign('sha256', Buffer.from(signed), { key: this.key, dsaEncoding: 'ieee-p1363' });
      this.bearer = `${signed}.${signature.toString('base64url')}`;
      this.issuedAt = now;
    }
    return this.bearer;
  }

  async push(deviceToken, payload) {
    const stream = this.session.request({
      ':method': 'POST',
      ':path': `/3/device/${deviceToken}`,
      authorization: `bearer ${this.token()}`,
      'apns-id': randomUUID(),
      'apns-push-type': 'alert',
      'apns-topic': this.topic,
    });
    stream.end(JSON.stringify(payload));
    const [headers] = await once(stream, 'response');
    const body = await text(stream);
    return { status: headers[':status'], id: headers['apns-id'], ...(body ? JSON.parse(body) : {}) };
  }

  close() {
    this.session.close();
  }
}

/// A back end's action for an answer.
function actOn({ status, reason, timestamp }) {
  if (status === 200) return 'accepted';
  if (status === 410) return `the app is gone: delete the token, unless it was registered after ${timestamp}`;
  if (reason === 'BadDeviceToken') return 'not a token of this environment: do not send again';
  return 'not expected';
}

const { env } = process;
const provider = new Provider({
  server: env.APNS_SERVER,
  authority: readFileSync(env.APNS_AUTHORITY),
  key: readFileSync(env.APNS_KEY),
  keyID: env.APNS_KEY_ID,
  teamID: env.APNS_TEAM_ID,
  topic: env.APNS_TOPIC,
});
const payload = { aps: { alert: { title: 'Hello', body: 'from Node' }, sound: 'default' } };
const tries = [[env.DEVICE_TOKEN, 200, undefined], ['ab'.repeat(32), 400, 'BadDeviceToken']];
if (env.GONE_TOKEN) tries.push([env.GONE_TOKEN, 410, 'Unregistered']);
for (const [deviceToken, status, reason] of tries) {
  const answer = await provider.push(deviceToken, payload);
  console.log(answer.status, 'apns-id', answer.id, answer.reason ?? '', actOn(answer));
  if (answer.status !== status || answer.reason !== reason) {
    console.error(`expected ${status} ${reason ?? ''}`);
    process.exitCode = 1;
  }
}
provider.close();
