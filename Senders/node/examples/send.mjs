import { readFile, writeFile } from 'node:fs/promises';
import { FilePins, IdentityKey, PreparedMessage, Recipient, seal, SenderIdentity } from 'sealedpush';

const sender = await SenderIdentity.load('sender.key');
const recipient = await Recipient.verify({
  bundle: (await readFile('device.bundle', 'utf8')).trim(),
  identity: await IdentityKey.load('identity.pub'),
  topic: 'com.example.chat',
  pins: new FilePins('pins'),
});
const message = new PreparedMessage({ title: 'Anna', body: 'See you at eight', threadId: 'conversation 7' });
const sealed = seal(sender, message, recipient);
await writeFile('push.json', sealed.payload({ body: 'You have a new message' }));
