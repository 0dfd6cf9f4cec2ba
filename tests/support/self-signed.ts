import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate that vouches for itself, for servers of tests: the few lines of DER that it takes, so that no program outside is needed. */

const tag = (type: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  if (body.length < 128) return Buffer.concat([Buffer.from([type, body.length]), body]);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(body.length);
  return Buffer.concat([Buffer.from([type, 0x82]), size, body]);
};
const sequence = (...parts: Buffer[]): Buffer => tag(0x30, ...parts);
const oid = (hex: string): Buffer => tag(0x06, Buffer.from(hex, 'hex'));
const time = (date: Date): Buffer =>
  tag(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/gu, '').slice(0, 14)}Z`));

const COMMON_NAME = '550403';
const ECDSA_SHA256 = '2a8648ce3d040302';
const ALTERNATIVE_NAMES = '551d11';
const DAY_MS = 86_400_000;

/** PEM for these names, good from yesterday until tomorrow. */
export const selfSigned = (...names: string[]): { cert: string; key: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const who = sequence(tag(0x31, sequence(oid(COMMON_NAME), tag(0x0c, Buffer.from(names[0] ?? '')))));
  const algorithm = sequence(oid(ECDSA_SHA256));
  const alternatives = sequence(...names.map((name) => tag(0x82, Buffer.from(name))));
  const toSign = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    // A positive number: its first bit is not set.
    tag(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    who,
    sequence(time(new Date(Date.now() - DAY_MS)), time(new Date(Date.now() + DAY_MS))),
    who,
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(sequence(oid(ALTERNATIVE_NAMES), tag(0x04, alternatives)))),
  );
  const signature = sign('sha256', toSign, privateKey);
  const der = sequence(toSign, algorithm, tag(0x03, Buffer.from([0]), signature));
  const lines = der.toString('base64').replaceAll(/.{64}(?=.)/gu, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
};
