const byteCountMax = 200;
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const name = new RegExp(`^(?:${label}\\.)+(?=[a-z])${label}$`);
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = new RegExp(`^(?:${octet}\\.){3}${octet}$`);
const parts = /^https:\/\/([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([1-9]\d{0,4}))?(\/[^?]*)(?:\?(.*))?$/;
const segments = /^(?:[A-Za-z0-9\-._~!$&()*+,;=:@/]|%[0-9A-Fa-f]{2})*$/;
const query = /^(?:[A-Za-z0-9\-._~!$&()*+,;=:@/?]|%(?!00)[0-9A-Fa-f]{2})*$/;

function isIPv6(text) {
  const groups = (side) => (side === '' ? [] : side.split(':'));
  const sides = text.split('::');
  const all = sides.flatMap(groups);
  return sides.length <= 2 && all.every((group) => /^[0-9a-f]{1,4}$/.test(group))
    && (sides.length === 2 ? all.length <= 7 : all.length === 8);
}

function isHost(text) {
  if (text.startsWith('[')) return isIPv6(text.slice(1, -1));
  return text === 'localhost' || name.test(text) || ipv4.test(text);
}

const isSegment = (text) => !/%(?:00|2F|5C)/i.test(text) && !/^(?:\.|%2E){1,2}$/i.test(text);

/**
 * Reads an attachment's URL by the one grammar in which all readers see the same host.
 *
 * @returns {{ host: string, port: number, path: string } | null} null for anything else
 * @source docs/protocol.md, section 6.
 */
export function attachmentURL(text) {
  if (typeof text !== 'string' || text.length > byteCountMax) return null;
  const [, host, portText = '443', path, queryText = ''] = parts.exec(text) ?? [];
  if (host === undefined || !isHost(host) || Number(portText) > 65_535) return null;
  if (!segments.test(path) || !path.slice(1).split('/').every(isSegment) || !query.test(queryText)) return null;
  return { host, port: Number(portText), path };
}
