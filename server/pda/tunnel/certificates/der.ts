/** The few forms of DER (ITU-T X.690) that certificates and requests for them are written in, and a reader of them. */

const lengthOf = (bytes: number): Buffer => {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits = Buffer.from(bytes.toString(16).padStart(bytes > 0xff_ff ? 6 : bytes > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 + digits.length]), digits]);
};

/** One value with its tag. */
export const tagged = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
};

export const sequence = (...content: Buffer[]): Buffer => tagged(0x30, ...content);
export const set = (...content: Buffer[]): Buffer => tagged(0x31, ...content);
export const octets = (content: Buffer): Buffer => tagged(0x04, content);
export const bits = (content: Buffer): Buffer => tagged(0x03, Buffer.from([0]), content);
export const yes = (): Buffer => tagged(0x01, Buffer.from([0xff]));
export const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));

/** A number that is not negative, from its bytes. */
export const integer = (value: Buffer): Buffer => {
  const first = value.findIndex((byte) => byte !== 0);
  const short = first === -1 ? Buffer.from([0]) : value.subarray(first);
  // A first bit that is set would make it negative.
  return tagged(0x02, (short[0] ?? 0) >= 0x80 ? Buffer.from([0]) : Buffer.alloc(0), short);
};

/** An object identifier, from its dotted form. */
export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const digits = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return tagged(0x06, Buffer.from(bytes));
};

/** A time in Unix milliseconds: two digits of the year until 2049, four from then on, as RFC 5280 wants it. */
export const time = (ms: number): Buffer => {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/gu, '');
  return Number(digits.slice(0, 4)) < 2050
    ? tagged(0x17, Buffer.from(digits.slice(2)))
    : tagged(0x18, Buffer.from(digits));
};

export type DerValue = { tag: number; content: Buffer };

/** The values that stand one after the other. @throws RangeError when they are no DER */
export const readDer = (bytes: Buffer): DerValue[] => {
  const found: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes.readUInt8(at);
    let length = bytes.readUInt8(at + 1);
    let start = at + 2;
    if (length >= 0x80) {
      const digits = length & 0x7f;
      length = bytes.readUIntBE(start, digits);
      start += digits;
    }
    if (start + length > bytes.length) throw new RangeError('A value is longer than what it stands in.');
    found.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
};
