import { writeFile } from 'node:fs/promises';
import { Announcement, SenderIdentity } from 'sealedpush';

const topic = 'com.example.chat'; // Each app needs its own announcement.
const old = await SenderIdentity.load('sender.key');
const successor = SenderIdentity.generate();
await successor.save('sender-new.key'); // Throws if it exists: never announce a second successor.
await writeFile('succession', Announcement.succession(old, successor, topic).bytes);
// Keep this one: your app gets it only if the old key is stolen. It ends the key at once.
await writeFile('revocation', Announcement.revocation(old, topic).bytes);
