// Sets bytes of its own in one value, as one of several processes that share a folder of pins.

import { FilePins } from '../lib/pins.js';

const [folder, start, count] = process.argv.slice(2);
const pins = new FilePins(folder);
for (let i = 0; i < Number(count); i += 1) {
  await pins.update('marks', (bytes) => {
    const next = Buffer.from(bytes ?? Buffer.alloc(240));
    next[Number(start) + i] = 1;
    return next;
  });
}
