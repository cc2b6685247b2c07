import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as library from '../index.js';
import { TestDevice } from './device.js';
import { temporaryFolder } from './setting.js';

const file = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const readme = await readFile(file('README.md'), 'utf8');

test('the examples are the README\'s blocks, byte for byte', async () => {
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block]) => block);
  for (const [i, name] of ['send.mjs', 'relay.mjs'].entries()) {
    assert.equal(blocks[i], await readFile(file(`examples/${name}`), 'utf8'), name);
  }
});

test('the first example seals what its device opens', async (t) => {
  const folder = await temporaryFolder(t);
  const device = new TestDevice();
  await library.SenderIdentity.generate().save(`${folder}/sender.key`);
  await writeFile(`${folder}/identity.pub`, `${device.identity.text}\n`);
  await writeFile(`${folder}/device.bundle`, `${device.bundle()}\n`);
  await promisify(execFile)(process.execPath, [file('examples/send.mjs')], { cwd: folder });
  const payload = JSON.parse(await readFile(`${folder}/push.json`, 'utf8'));
  assert.deepEqual(payload.aps, { alert: { body: 'You have a new message' }, 'mutable-content': 1 });
  assert.equal(device.open(payload.sealed).body.body, 'See you at eight');
});

test('the README names every export and every code of an error', async () => {
  for (const name of Object.keys(library)) assert.ok(readme.includes(name), name);
  const { readdir } = await import('node:fs/promises');
  for (const name of await readdir(file('lib'))) {
    const source = await readFile(file(`lib/${name}`), 'utf8');
    for (const [, code] of source.matchAll(/(?:Error|refused|ErrorClass)\(\s*'([a-z-]+)',/g)) {
      assert.ok(readme.includes(`\`${code}\``), `${name}: ${code}`);
    }
  }
});
