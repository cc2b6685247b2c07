// The same as cost.py, in Node.

import { readFile } from 'node:fs/promises';
import { FilePins, IdentityKey, PreparedMessage, Recipient, seal, SenderIdentity } from '../node/index.js';

const [key, file, folder, rounds] = process.argv.slice(2);
const sender = await SenderIdentity.load(key);
const pins = new FilePins(folder);
const devices = (await readFile(file, 'utf8')).trim().split('\n').map((line) => line.split(' '));

function print(start, count) {
  const { user, system } = process.cpuUsage(start);
  console.log(Math.round((user + system) * 1_000 / count));
}

const begin = process.cpuUsage();
const recipients = [];
for (const [, identity, bundle] of devices) {
  const device = { bundle, identity: IdentityKey.parse(identity), topic: 'com.example.chat', pins };
  recipients.push(await Recipient.verify(device));
}
print(begin, devices.length);
for (let round = 0; round < Number(rounds); round++) {
  const start = process.cpuUsage();
  const prepared = new PreparedMessage({ title: 'Anna', body: 'See you at eight' });
  const sealed = recipients.map((recipient) => seal(sender, prepared, recipient).sealed);
  print(start, sealed.length);
}
