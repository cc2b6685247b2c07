import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { BundleCache, bundleCopy, isDeviceID } from './bundle-cache.js';
import { RelayError } from './errors.js';
import { exchange, retrying } from './http.js';

const recipientCountMax = 1_000;
const queryCountMax = 1_000;
/** Room for 1,000 bundles in base64url, or 1,000 problems. */
const answerByteCountMax = 1 << 22;
const problemTextLengthMax = 500;

/** A client of `sealedpushd` for a back end (docs/service.md). Keeps its connections; `close` ends them. */
export class RelayClient {
  #apiKey;
  #agent;
  #base;
  #options;
  #lastQuery = Promise.resolve();

  /**
   * @param {object} options
   * @param {string} options.url the relay's address: `https`, or `http` on this machine's loopback port
   * @param {string} options.apiKey `spk_` and 43 characters, with the scopes `send` and `read`
   * @param {string | Buffer} [options.ca] authorities to trust in place of the system's (PEM)
   * @param {number} [options.timeout] milliseconds for one request
   * @param {number} [options.attemptCountMax] tries of one request
   * @param {number} [options.delay] milliseconds before the second try; twice as many before each further one
   * @param {number} [options.delayMax] the longest wait; a relay that asks for more ends the tries
   * @throws {RelayError} `url`, `api-key`
   */
  constructor({ url, apiKey, ca, timeout = 40_000, ...retries }) {
    if (!/^(https:\/\/[^/?#@]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)(\/[^?#]*)?$/.test(url)) {
      throw new RelayError('url', 'the relay\'s address is https, without user, query and fragment');
    }
    if (!/^spk_[A-Za-z0-9_-]{43}$/.test(apiKey)) {
      throw new RelayError('api-key', 'an API key is spk_ and 43 characters');
    }
    this.#base = url.replace(/\/$/, '');
    this.#apiKey = apiKey;
    this.#agent = new (url.startsWith('https:') ? https : http).Agent({ keepAlive: true, ca });
    this.#options = { timeout, retries };
  }

  /** Ends the connections that are kept. */
  close() { this.#agent.destroy(); }

  /**
   * Fetches a device's key bundle.
   *
   * @param {string} device the tenant's id for it
   * @returns {Promise<string>} untrusted: `Recipient.verify` judges it
   * @throws {RelayError}
   */
  async bundle(device, { signal } = {}) {
    checkDevice(device);
    const { bundle } = await this.#call('GET', `/v1/devices/${device}/bundle`, undefined, 200, signal);
    if (typeof bundle !== 'string') throw malformed();
    return bundle;
  }

  /**
   * Fetches the key bundles of many devices: one request for each 1,000, with the tags of what the cache has. The relay
   * sends the changed bundles alone. It answers one such request of a tenant at a time. This client asks one at a time,
   * too; another process may get 429, which is tried again.
   *
   * @param {Iterable<string>} devices the tenant's ids
   * @param {object} [options]
   * @param {BundleCache} [options.cache]
   * @returns {Promise<Map<string, string | null>>} untrusted: `Recipient.verify` judges each; null for a device that
   *   the relay does not have
   * @throws {RelayError}
   */
  async bundles(devices, { cache = new BundleCache(), signal } = {}) {
    const ids = [...new Set(devices)];
    ids.forEach(checkDevice);
    const bundles = new Map();
    for (let start = 0; start < ids.length; start += queryCountMax) {
      const part = ids.slice(start, start + queryCountMax);
      const query = this.#lastQuery.then(() => this.#query(part, cache, signal));
      this.#lastQuery = query.catch(() => {}); // The caller gets it.
      const copies = await query;
      for (const [device, copy] of copies) bundles.set(device, copy && copy.bundle);
    }
    return bundles;
  }

  async #query(devices, cache, signal) {
    // The cache may change meanwhile: `unchanged` means the copy whose tag was sent.
    const known = cache.copies(devices);
    const body = json({ devices: devices.map((device) => ({ device, etag: known.get(device)?.etag })) });
    const { bundles } = await this.#call('POST', '/v1/bundles/query', body, 200, signal);
    const copies = copiesOf(bundles, devices, known);
    cache.keep(copies);
    return copies;
  }

  /**
   * Submits sealed messages. All recipients are on the relay's disk afterwards, or none. Tries again, with the same
   * idempotency key, after 429, 500, 503 and a failed connection, so that nothing is sent twice.
   *
   * With `partial` a recipient that cannot be sent to, such as a device that is gone, does not refuse the others. Each
   * recipient is then in `notifications` or in `rejected`, both in the order of the recipients. If none can be sent to,
   * it is an error all the same.
   *
   * @param {object} submission
   * @param {{ device: string, message: object }[]} submission.recipients what `seal` returned for each device
   * @param {'call' | 'urgent' | 'normal' | 'background'} [submission.class] `normal`; `call` for a call
   * @param {number} [submission.expirySeconds] how long Apple keeps it: 0, 3600, 86400 or 604800, and not less than the
   *   message's life
   * @param {string} [submission.collapseId] a later notification with the same one replaces this on the device
   * @param {string} [submission.idempotencyKey] random if absent; give the same again after an error
   * @param {boolean} [submission.partial]
   * @returns {Promise<{
   *   idempotencyKey: string, notifications: { device: string, id: string, trace: string }[],
   *   rejected: { index: number, device: string, problem: RelayError }[],
   * }>} `rejected` is empty without `partial`; `index` is the place in `recipients`, from 0
   * @throws {RelayError} with `idempotencyKey`
   */
  async send({
    recipients, class: word, expirySeconds, collapseId, idempotencyKey = randomUUID(), partial = false, signal,
  }) {
    if (!Array.isArray(recipients) || recipients.length < 1 || recipients.length > recipientCountMax) {
      throw new RelayError('recipients', `a submission has 1 to ${recipientCountMax} recipients`);
    }
    const { topic, isCall } = recipients[0].message;
    const body = json({
      topic, class: word ?? (isCall ? 'call' : 'normal'), expiry: expirySeconds, 'collapse-id': collapseId,
      'idempotency-key': idempotencyKey, partial: partial || undefined,
      recipients: recipients.map(({ device, message }) => ({
        device, sealed: message.sealed, trace: message.trace, 'receipt-hash': message.receiptHash,
      })),
    });
    try {
      const answer = await this.#call('POST', '/v1/notifications', body, 202, signal);
      return { idempotencyKey, ...resultsOf(answer, recipients.map(({ device }) => device), partial) };
    } catch (error) {
      if (error instanceof RelayError) error.idempotencyKey = idempotencyKey;
      throw error;
    }
  }

  #call(method, path, body, expected, signal) {
    const { timeout, retries } = this.#options;
    const headers = { authorization: `Bearer ${this.#apiKey}`, accept: 'application/json, application/problem+json' };
    if (body) Object.assign(headers, { 'content-type': 'application/json', 'content-length': body.length });
    return retrying({ ...retries, signal }, async () => {
      const answer = await exchange(RelayError, {
        url: this.#base + path, method, headers, body, agent: this.#agent, signal, timeout, answerByteCountMax,
      });
      if (answer.status !== expected) {
        throw refusal(answer.status, jsonObject(answer.body) ?? {}, retryAfter(answer.headers['retry-after']));
      }
      return jsonObject(answer.body) ?? (() => { throw malformed(); })();
    });
  }
}

/** The relay's problem (RFC 9457), without control characters and without what a foreign server may have echoed. */
function refusal(status, problem, retryAfterSeconds) {
  const clean = (text) => (typeof text === 'string' ? text : '').slice(0, problemTextLengthMax)
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ').replace(/spk_[\w-]*|[\w-]{40,}/g, '…');
  const [type, title, detail] = [problem.type, problem.title, problem.detail].map(clean);
  const errors = (Array.isArray(problem.errors) ? problem.errors : []).slice(0, 32)
    .map((each) => ({ pointer: clean(each?.pointer), detail: clean(each?.detail) }));
  const sentence = `the relay answered ${status}: ${title || 'without a problem'}. ${detail}`.trim();
  return new RelayError('refused', sentence, {
    status, type: type || 'about:blank', title, detail, errors,
    isRetryable: [429, 500, 502, 503, 504].includes(status), retryAfterSeconds,
  });
}

/** The answer to a query: each device's copy, or null. */
function copiesOf(listed, devices, known) {
  if (!Array.isArray(listed) || listed.length !== devices.length) throw malformed();
  return new Map(devices.map((device, i) => {
    const { device: named, state, etag, bundle } = listed[i] ?? {};
    if (named !== device || !['current', 'unchanged', 'missing'].includes(state)) throw malformed();
    if (state === 'missing') return [device, null];
    const copy = state === 'current' ? bundleCopy(etag, bundle) : known.get(device);
    if (!copy) throw malformed();
    return [device, copy];
  }));
}

/** The answer to a submission: each recipient in one of two lists. */
function resultsOf(answer, devices, isPartial) {
  const accepted = objects(answer.notifications);
  const left = isPartial ? objects(answer.rejected) : [];
  const [notifications, rejected] = [[], []];
  devices.forEach((device, index) => {
    if (left[rejected.length]?.index === index) {
      rejected.push(rejectedOf(left[rejected.length], device));
      return;
    }
    const { device: named, id, trace } = accepted[notifications.length] ?? {};
    if (named !== device || typeof id !== 'string' || typeof trace !== 'string') throw malformed();
    notifications.push({ device, id, trace });
  });
  if (notifications.length !== accepted.length || rejected.length !== left.length) throw malformed();
  return { notifications, rejected };
}

function rejectedOf({ index, device: named, problem }, device) {
  // The relay leaves out a device that it could not read.
  if ((named !== undefined && named !== device) || !Number.isInteger(problem?.status)) throw malformed();
  return { index, device, problem: refusal(problem.status, problem) };
}

function objects(listed) {
  if (!Array.isArray(listed) || listed.some((each) => typeof each !== 'object' || each === null)) throw malformed();
  return listed;
}

function checkDevice(device) {
  if (!isDeviceID(device)) throw new RelayError('device', 'a device\'s id has 1 to 64 letters, digits, - and _');
}

const json = (value) => Buffer.from(JSON.stringify(value));

const malformed = () => new RelayError('malformed-answer', 'the relay\'s answer is not what docs/openapi.yaml says');

/** Seconds of a `Retry-After`, which may be a date (RFC 9110 section 10.2.3). */
function retryAfter(text = '') {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1_000));
}

function jsonObject(bytes) {
  try {
    const value = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
