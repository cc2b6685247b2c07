// Adds to one counter, as one of several processes that share a folder of pins.

import { FilePins } from '../lib/pins.js';

const [folder, count] = process.argv.slice(2);
const pins = new FilePins(folder);
for (let i = 0; i < Number(count); i += 1) {
  await pins.update('counter', (bytes) => {
    const next = Buffer.alloc(4);
    next.writeUInt32BE((bytes?.readUInt32BE(0) ?? 0) + 1);
    return next;
  });
}
