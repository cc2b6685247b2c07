import { fromBase64url } from './bytes.js';
import { AttachmentError } from './errors.js';
import { attachmentURL } from './attachment-url.js';

const byteCountMax = 2 ** 40;
const chunkByteCount = 16_384;
const restrictedName = '[a-z0-9][a-z0-9!#$&^_.+-]*';
const mediaType = new RegExp(`^(?=.{1,64}$)${restrictedName}/${restrictedName}$`);

const isBytes = (text, byteCount) => typeof text === 'string' && fromBase64url(text)?.length === byteCount;

/** Padmé: at most 12 % more, so that a length tells its magnitude and a few bits (docs/protocol.md, section 6). */
export function paddedByteCount(size) {
  if (size < 2) return size;
  const exponent = Math.floor(Math.log2(size));
  const step = 2 ** (exponent - (Math.floor(Math.log2(exponent || 1)) + 1));
  return step < 1 ? size : Math.ceil(size / step) * step;
}

/** The encrypted file's length: head, padded file, and a tag for each chunk. */
export function storedByteCount(size) {
  const padded = paddedByteCount(size);
  return 56 + padded + 16 * (Math.floor(padded / chunkByteCount) + 1);
}

/**
 * Makes a pointer: the member of a message that names a file and has its key.
 *
 * @param {object} sealed what `sealAttachment` returned
 * @param {object} options
 * @param {string} options.url where devices fetch the encrypted file
 * @param {string} options.type its media type, in lower case and without parameters
 * @param {string} [options.name] for display, 64 bytes at most
 * @param {boolean} [options.thumbnail] true for a file that stands in for the attachment behind it
 * @throws {AttachmentError} `invalid-pointer`
 */
export function attachmentPointer({ id, key, size, stored }, { url, type, name, thumbnail }) {
  const pointer = { id, url, key, size, stored, type };
  if (name !== undefined && name !== '') pointer.name = name;
  if (thumbnail) pointer.thumbnail = true;
  if (!isPointer(pointer)) throw new AttachmentError('invalid-pointer', 'the url, the type or the name is not one');
  return pointer;
}

function isPointer(value) {
  const { id, url, key, size, stored, type, name = '', thumbnail = false, ...others } = value ?? {};
  return Object.keys(others).length === 0 && isBytes(id, 16) && isBytes(key, 32) && attachmentURL(url) !== null
    && Number.isInteger(size) && size >= 0 && size <= byteCountMax && stored === storedByteCount(size)
    && typeof type === 'string' && mediaType.test(type) && typeof thumbnail === 'boolean'
    && typeof name === 'string' && Buffer.byteLength(name) <= 64 && !name.includes('\0');
}

/** True for at most four pointers with ids and keys of their own, and a file behind each thumbnail. */
export function areAttachments(value) {
  if (!Array.isArray(value) || value.length > 4 || !value.every(isPointer)) return false;
  const isAlone = (name) => new Set(value.map((pointer) => pointer[name])).size === value.length;
  return isAlone('id') && isAlone('key')
    && value.every(({ thumbnail }, i) => !thumbnail || (i + 1 < value.length && !value[i + 1].thumbnail));
}
