import { randomBytes } from 'node:crypto';
import { areAttachments } from './attachment-pointer.js';
import { fromBase64url } from './bytes.js';
import { SealingError } from './errors.js';

const idByteCount = 16;

/** 16 random bytes as 22 characters: a message id, a trace, or a receipt capability. */
export const randomID = () => randomBytes(idByteCount).toString('base64url');

/** True for 22 characters that stand for 16 bytes. */
export const isID = (text) => typeof text === 'string' && text.length === 22 && fromBase64url(text) !== null;

const isText = (value) => typeof value === 'string';
const areTexts = (value) => Array.isArray(value) && value.every(isText);
const isArguments = (value) => areTexts(value) && value.length <= 8;
const isDecimal = (value) => isText(value) && /^(0|1|0\.\d{1,4}|1\.0{1,4})$/.test(value);
const isBadge = (value) => Number.isInteger(value) && value >= 0 && value <= 9_999;
const isOneOf = (...words) => (value) => words.includes(value);
const isInfo = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
  && Object.keys(value).length <= 16 && Object.entries(value).every(([name, each]) => /^[!-~]{1,64}$/.test(name)
    && (isText(each) || typeof each === 'boolean' || Number.isSafeInteger(each)));

/** A body's members in the order in which they are written (docs/protocol.md, section 6). */
const members = new Map(Object.entries({
  op: isOneOf('show', 'replace', 'remove', 'badge', 'call', 'test'),
  target: isID,
  call: isText,
  badge: isBadge,
  title: isText,
  subtitle: isText,
  body: isText,
  'title-loc-key': isText,
  'title-loc-args': isArguments,
  'subtitle-loc-key': isText,
  'subtitle-loc-args': isArguments,
  'loc-key': isText,
  'loc-args': isArguments,
  'thread-id': isText,
  category: isText,
  sound: isText,
  'sound-volume': isDecimal,
  level: isOneOf('passive', 'active', 'time-sensitive', 'critical'),
  'relevance-score': isDecimal,
  'target-content-id': isText,
  sender: isText,
  'user-info': isInfo,
  attachments: areAttachments,
  receipt: isID,
  crit: (value) => areTexts(value) && value.every((name) => members.has(name)),
}));

/** `thread-id` is `threadId` here. */
const nameInCode = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
const memberNames = new Map([...members.keys()].map((name) => [nameInCode(name), name]));

const isEmpty = (value) => value === undefined || value === ''
  || (typeof value === 'object' && Object.keys(value).length === 0);
const invalid = (member, message) => new SealingError('invalid-member', message, { member });

/** The members that are there, by their names in the body, checked one by one and against each other. */
function bodyOf(message) {
  for (const name of Object.keys(message)) {
    if (!memberNames.has(name)) throw invalid(undefined, 'a message has a member that the protocol does not have');
  }
  const body = {};
  for (const [inCode, name] of memberNames) {
    const value = message[inCode];
    if (value === undefined) continue;
    if (!members.get(name)(value)) throw invalid(inCode, `'${inCode}' has not the type or range of the protocol`);
    if (!isEmpty(value) && !(name === 'op' && value === 'show')) body[name] = value;
  }
  checkTexts(body);
  checkPartners(body);
  return body;
}

/** Strings in names and values, at any depth, must be Unicode without U+0000. */
function checkTexts(value) {
  if (isText(value)) {
    if (value.includes('\0')) throw new SealingError('contains-nul', 'a text contains U+0000');
    if (/\p{Surrogate}/u.test(value)) throw new SealingError('not-unicode', 'a text contains half a surrogate pair');
  } else if (typeof value === 'object') {
    Object.values(value).forEach(checkTexts);
  }
}

function checkPartners(body) {
  const { op = 'show' } = body;
  const hasTarget = op === 'replace' || op === 'remove';
  const partners = [
    ['target', ('target' in body) === hasTarget],
    ['call', ('call' in body) === (op === 'call')],
    ['badge', 'badge' in body || op !== 'badge'],
    ['titleLocArgs', !('title-loc-args' in body) || 'title-loc-key' in body],
    ['subtitleLocArgs', !('subtitle-loc-args' in body) || 'subtitle-loc-key' in body],
    ['locArgs', !('loc-args' in body) || 'loc-key' in body],
    ['soundVolume', !('sound-volume' in body) || 'sound' in body],
    ['attachments', !('attachments' in body) || showsText(body)],
  ];
  for (const [member, isRight] of partners) {
    if (!isRight) throw invalid(member, `'${member}' is missing, or stands where the protocol does not have it`);
  }
  if (showsText(body) && !hasText(body)) throw new SealingError('no-text', 'iOS ignores a notification without text');
}

const hasText = (body) => ['title', 'body', 'title-loc-key', 'loc-key'].some((name) => name in body);
const showsText = ({ op = 'show' }) => op === 'show' || op === 'replace';
const byteCountOf = (value) => Buffer.byteLength(JSON.stringify(value));

/**
 * Encodes a message as a body.
 *
 * @param {object} message members of docs/protocol.md, section 6, in camel case
 * @param {(isCall: boolean) => number} byteCountMaxOf the room in bytes
 * @param {'shorten' | 'refuse'} overflow
 * @returns {{ bytes: Buffer, isTruncated: boolean, isCall: boolean, receipt: string | undefined }}
 * @throws {SealingError}
 */
export function encodeMessage(message, byteCountMaxOf, overflow) {
  const body = bodyOf(message);
  const isCall = body.op === 'call';
  const excess = byteCountOf(body) - byteCountMaxOf(isCall);
  if (excess > 0) shorten(body, excess, overflow);
  return { bytes: Buffer.from(JSON.stringify(body)), isTruncated: excess > 0, isCall, receipt: body.receipt };
}

/** Cuts the text at the end of a grapheme cluster: half a flag or a letter without its accent is another text. */
function shorten(body, excess, overflow) {
  const tooLong = (excessByteCount) => new SealingError(
    'too-long', `the message is ${excessByteCount} bytes of JSON too long`, { excessByteCount },
  );
  if (overflow !== 'shorten' || !('body' in body)) throw tooLong(excess);
  const whole = body.body;
  let room = byteCountOf(whole) - 2 - excess;
  let end = 0;
  for (const { segment, index } of new Intl.Segmenter('en').segment(whole)) {
    room -= byteCountOf(segment) - 2;
    if (room < 0) break;
    end = index + segment.length;
  }
  const before = byteCountOf(body);
  if (end === 0) delete body.body;
  else body.body = whole.slice(0, end);
  const left = excess - (before - byteCountOf(body));
  if (left > 0 || (showsText(body) && !hasText(body))) throw tooLong(Math.max(left, 1));
}
