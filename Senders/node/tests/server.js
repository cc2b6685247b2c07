// A local server that answers each request with the next of its answers, and keeps what it got.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { checkout } from './setting.js';

const example = (name) => readFileSync(`${checkout}keys-example/${name}`);
const tls = (name) => ({ cert: example(`${name}.pem`), key: example(`${name}.key`) });
export const ca = example('ca.pem');

/**
 * @param {(object | Function | 'reset')[]} answers `{ status, headers, body }`, a function that takes request and
 *   response, or a connection that is cut; the last one stays
 */
export async function startServer(t, answers, { certificate, address = '127.0.0.1' } = {}) {
  const requests = [];
  const handle = async (request, response) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    const record = { method: request.method, path: request.url, headers: request.headers, at: Date.now() };
    requests.push(record);
    if (answer === 'reset') return request.socket.destroy();
    if (typeof answer === 'function') return answer(request, response);
    record.body = await buffer(request).catch(() => null);
    const { status, headers = {}, body = '' } = answer;
    response.writeHead(status, headers);
    return response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  };
  const server = certificate ? https.createServer(tls(certificate), handle) : http.createServer(handle);
  await once(server.listen(0, address), 'listening');
  t.after(() => { server.close(); server.closeAllConnections?.(); });
  const { port } = server.address();
  return { requests, port, url: certificate ? `https://localhost:${port}` : `http://${address}:${port}` };
}
