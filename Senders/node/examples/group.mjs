import { readFile, writeFile } from 'node:fs/promises';
import {
  BundleCache, BundleError, FilePins, IdentityKey, PreparedMessage, Recipient, RelayClient, seal, SenderIdentity,
} from 'sealedpush';

const { RELAY_URL, RELAY_KEY, RELAY_CA } = process.env;
const relay = new RelayClient({ url: RELAY_URL, apiKey: RELAY_KEY, ca: RELAY_CA && await readFile(RELAY_CA) });
const sender = await SenderIdentity.load('sender.key');
const cache = BundleCache.parse(await readFile('bundles.txt', 'utf8').catch(() => ''));
const identities = JSON.parse(await readFile('group.json', 'utf8')); // {"d1": "sealedpush-identity-1:…"}, your own table

const message = new PreparedMessage({ title: 'Anna', body: 'To all of you' });
const pins = new FilePins('pins');
const recipients = [];
for (const [device, bundle] of await relay.bundles(Object.keys(identities), { cache })) {
  if (bundle === null) {
    console.log(`${device}: the relay does not have it`);
    continue;
  }
  try {
    const identity = IdentityKey.parse(identities[device]);
    const recipient = await Recipient.verify({ bundle, identity, topic: 'com.example.chat', pins });
    recipients.push({ device, message: seal(sender, message, recipient) });
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    console.log(`${device}: ${error.code}`);
  }
}
await writeFile('bundles.txt', cache.text);
if (recipients.length > 0) {
  const { notifications, rejected } = await relay.send({ recipients, partial: true });
  for (const { device, id } of notifications) console.log(`${device}: ${id}`);
  for (const { device, problem } of rejected) console.log(`${device}: ${problem.message}`);
}
relay.close();
