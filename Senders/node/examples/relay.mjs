import { readFile } from 'node:fs/promises';
import { FilePins, IdentityKey, PreparedMessage, Recipient, RelayClient, seal, SenderIdentity } from 'sealedpush';

const { RELAY_URL, RELAY_KEY, RELAY_CA } = process.env;
const relay = new RelayClient({ url: RELAY_URL, apiKey: RELAY_KEY, ca: RELAY_CA && await readFile(RELAY_CA) });
const sender = await SenderIdentity.load('sender.key');
const recipient = await Recipient.verify({
  bundle: await relay.bundle('d1'),
  identity: await IdentityKey.load('identity.pub'),
  topic: 'com.example.chat',
  pins: new FilePins('pins'),
});
const message = new PreparedMessage({ title: 'Anna', body: 'The table is at the window' });
const { notifications } = await relay.send({
  recipients: [{ device: 'd1', message: seal(sender, message, recipient) }],
  idempotencyKey: 'order-4711',
});
console.log(notifications[0].id);
relay.close();
