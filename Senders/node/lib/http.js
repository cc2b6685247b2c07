import http from 'node:http';
import https from 'node:https';
import { setTimeout } from 'node:timers/promises';

/** Failures after which the same request may succeed. */
const lostConnections = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * Sends one request and reads its answer. Follows no redirect.
 *
 * @param {Function} ErrorClass of the errors: `connection`, `not-trusted`, `malformed-answer`, none with the URL
 * @param {object} request
 * @param {string} request.url
 * @param {Buffer | import('node:stream').Readable} [request.body]
 * @param {number} [request.stallTimeout] milliseconds without a byte
 * @param {number} [request.answerByteCountMax] 1 MiB
 * @param {number} [request.timeout] milliseconds for everything
 * @returns {Promise<{ status: number, headers: object, body: Buffer }>}
 */
export function exchange(ErrorClass, {
  url, method = 'GET', headers, body, ca, agent, signal, stallTimeout = 60_000, timeout, answerByteCountMax = 1 << 20,
}) {
  const { promise, resolve, reject } = withResolvers();
  const lost = (word) => new ErrorClass('connection', `the connection failed: ${word}`, { isRetryable: true });
  const request = (url.startsWith('https:') ? https : http).request(url, {
    method, headers, ca, agent, signal, timeout: stallTimeout, maxHeaderSize: 16_384,
  });
  const timer = timeout && globalThis.setTimeout(() => fail(lost('it took too long')), timeout);
  let hasAnswer = false;
  function fail(error) {
    reject(error);
    request.destroy();
    body?.destroy?.();
  }
  request.on('timeout', () => fail(lost('it stalled')));
  // A server may answer and hang up before it has read the body: its answer counts.
  request.on('error', (error) => { if (!hasAnswer) fail(failureOf(ErrorClass, error, lost)); });
  request.on('close', () => { if (!hasAnswer) reject(lost('it was closed')); });
  request.on('response', (response) => {
    hasAnswer = true;
    const parts = [];
    let byteCount = 0;
    response.on('data', (part) => {
      byteCount += part.length;
      parts.push(part);
      if (byteCount > answerByteCountMax) fail(new ErrorClass('malformed-answer', 'the answer is too long'));
    });
    response.on('error', (error) => fail(failureOf(ErrorClass, error, lost)));
    response.on('close', () => reject(lost('it was closed')));
    response.on('end', () => {
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) });
      if (!request.writableFinished) fail();
    });
  });
  if (typeof body?.pipe === 'function') {
    body.on('error', (error) => fail(new ErrorClass('system', `the file could not be read: ${error.code}`)));
    body.pipe(request);
  } else {
    request.end(body);
  }
  return promise.finally(() => clearTimeout(timer));
}

function failureOf(ErrorClass, error, lost) {
  if (error.name === 'AbortError') return error;
  const { code = '' } = error;
  if (lostConnections.has(code)) return lost(code);
  if (code.startsWith('HPE_')) {
    return new ErrorClass('malformed-answer', 'the answer is not HTTP', { systemCode: code });
  }
  if (/^(CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_)/.test(code)) {
    return new ErrorClass('not-trusted', `the server's certificate is not trusted: ${code}`, { systemCode: code });
  }
  return new ErrorClass('connection', `the connection failed: ${code}`, { isRetryable: false, systemCode: code });
}

function withResolvers() {
  const resolvers = {};
  resolvers.promise = new Promise((resolve, reject) => Object.assign(resolvers, { resolve, reject }));
  return resolvers;
}

/**
 * Tries again after errors with `isRetryable`, each time after twice the delay, with jitter, and never before the
 * server's `Retry-After` (`retryAfterSeconds` of the error). A longer one than `delayMax` ends it.
 *
 * @param {object} options delays in milliseconds
 */
export async function retrying({ attemptCountMax = 5, delay = 500, delayMax = 60_000, signal }, action) {
  for (let count = 1; ; count += 1) {
    try {
      return await action();
    } catch (error) {
      const least = (error.retryAfterSeconds ?? 0) * 1_000;
      if (!error.isRetryable || count >= attemptCountMax || least > delayMax) throw error;
      const backOff = Math.min(delay * 2 ** (count - 1), delayMax);
      await setTimeout(least + backOff * (0.5 + Math.random() / 2), undefined, { signal });
    }
  }
}
