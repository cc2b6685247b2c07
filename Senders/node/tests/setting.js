// What several tests need: a temporary folder, and a promise's refusal.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const checkout = fileURLToPath(new URL('../../../', import.meta.url));

export async function temporaryFolder(t) {
  const folder = await mkdtemp(join(tmpdir(), 'sealedpush-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** Runs an action that has to fail with an error of this class and code, and gives the error. */
export async function refused(ErrorClass, code, action) {
  let error;
  try {
    await action();
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof ErrorClass, `expected a ${ErrorClass.name} '${code}', and got ${error}`);
  assert.equal(error.code, code);
  return error;
}
