import { constants } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';

/** Forces a folder's names to disk, so that a power loss takes no new file along. */
export async function syncFolder(path) {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Writes a new file of mode 0600, durably: it is there whole or not at all, and never replaces another.
 *
 * @throws the system's EEXIST if there is a file
 */
export async function writeNewFile(path, bytes) {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.new`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, path);
  } finally {
    await unlink(temporary);
  }
  await syncFolder(dirname(path));
}

/**
 * Reads a regular file of `byteCountMax` bytes at most.
 *
 * @returns {Promise<{ bytes: Buffer, mode: number } | null>} null for any other file, an empty one too
 */
export async function readSmallFile(path, byteCountMax) {
  // O_NONBLOCK: a pipe must not hold the caller.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const status = await file.stat();
    if (!status.isFile() || status.size === 0 || status.size > byteCountMax) return null;
    const bytes = Buffer.alloc(status.size);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytesRead === bytes.length ? { bytes, mode: status.mode & 0o777 } : null;
  } finally {
    await file.close();
  }
}
