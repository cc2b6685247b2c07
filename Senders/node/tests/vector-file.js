import { readFileSync } from 'node:fs';

/** One test vector: `name: value` lines, an empty line, and the input's bytes (Tests/Conformance/Vectors/README.md). */
export class VectorFile {
  constructor(path) {
    const bytes = readFileSync(path);
    const end = bytes.indexOf('\n\n');
    this.lines = bytes.subarray(0, end).toString('utf8').split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
    this.input = bytes.subarray(end + 2);
  }

  all(name) { return this.lines.filter(([each]) => each === name).map(([, value]) => value); }

  /** The one value of a name. */
  one(name) {
    const found = this.all(name);
    if (found.length !== 1) throw new Error(`${found.length} values of '${name}'`);
    return found[0];
  }

  bytes(name) { return Buffer.from(this.one(name), 'base64url'); }

  number(name) { return Number(this.one(name)); }

  /** The input's lines, as text of single bytes. */
  inputs() { return this.input.toString('latin1').split('\n'); }
}
