import { createHash, createPublicKey, generateKeyPairSync, verify, X509Certificate, type KeyObject } from 'node:crypto';
import { oid, sequence, tagged, yes } from '../../server/pda/tunnel/certificates/der.ts';
import { alternativeNames, commonName, extension, signCertificate } from '../../server/pda/tunnel/certificates/x509.ts';

/** What an authority does with certificates: signs them, and reads those and the requests of others, with a reader of its own. */

type Node = { tag: number; content: Buffer; whole: Buffer };

/** The values that stand one after the other. @throws when they are no DER */
export const readDer = (bytes: Buffer): Node[] => {
  const found: Node[] = [];
  for (let at = 0; at < bytes.length;) {
    let length = bytes.readUInt8(at + 1);
    let start = at + 2;
    if (length >= 0x80) {
      const digits = length & 0x7f;
      length = bytes.readUIntBE(start, digits);
      start += digits;
    }
    if (start + length > bytes.length) throw new Error('A value is longer than what it stands in.');
    found.push({
      tag: bytes.readUInt8(at),
      content: bytes.subarray(start, start + length),
      whole: bytes.subarray(at, start + length),
    });
    at = start + length;
  }
  return found;
};

const inside = (bytes: Buffer, ...path: number[]): Node => {
  let found: Node | undefined;
  for (const step of path) {
    found = readDer(found?.content ?? bytes)[step];
    if (found === undefined) throw new Error('Something is missing in it.');
  }
  if (found === undefined) throw new Error('Nothing was looked for.');
  return found;
};

export type Extension = { id: string; critical: boolean; value: Buffer };

const readExtensions = (list: Buffer): Extension[] =>
  readDer(list).map(({ content }) => {
    const [id, ...rest] = readDer(content);
    const value = rest.at(-1);
    if (id === undefined || value === undefined) throw new Error('An extension is not whole.');
    return { id: id.whole.toString('hex'), critical: rest.length > 1, value: value.content };
  });

const idOf = (dotted: string): string => oid(dotted).toString('hex');
const ALTERNATIVE_NAME = idOf('2.5.29.17');
const ACME_IDENTIFIER = idOf('1.3.6.1.5.5.7.1.31');

const namesIn = (extensions: Extension[]): string[] => {
  const found = extensions.filter(({ id }) => id === ALTERNATIVE_NAME);
  return found.flatMap(({ value }) =>
    readDer(inside(value, 0).content).map(({ content }) => content.toString('latin1')),
  );
};

/** Names and key of a request whose signature holds. @throws else */
export const readRequest = (der: Buffer): { names: string[]; publicKey: KeyObject } => {
  const info = inside(der, 0, 0);
  const publicKey = createPublicKey({ key: inside(info.content, 2).whole, format: 'der', type: 'spki' });
  const signature = inside(der, 0, 2).content.subarray(1);
  if (!verify('sha256', info.whole, publicKey, signature))
    throw new Error('The signature of the request does not hold.');
  const attribute = inside(inside(info.content, 3).content, 0);
  return { names: namesIn(readExtensions(inside(attribute.content, 1, 0).content)), publicKey };
};

/** What RFC 8737 wants of the certificate that is shown. @returns what is wrong with it, undefined when nothing is */
export const challengeProblem = (der: Buffer, host: string, digest: Buffer): string | undefined => {
  const certificate = new X509Certificate(der);
  if (!certificate.verify(certificate.publicKey)) return 'it is not signed by itself';
  const extensions = readExtensions(inside(inside(der, 0, 0, 7).content, 0).content);
  if (namesIn(extensions).join(' ') !== host) return `it is for ${namesIn(extensions).join(' ')}`;
  const found = extensions.filter(({ id }) => id === ACME_IDENTIFIER);
  if (found.length !== 1 || found[0]?.critical !== true) return 'it has not the one critical extension';
  return inside(found[0].value, 0).content.equals(digest) ? undefined : 'it shows another digest';
};

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const YEAR_MS = 365 * 86_400_000;
const IS_AUTHORITY = extension('2.5.29.19', sequence(yes()), true);
const IS_SERVER = extension('2.5.29.19', sequence(), true);
const FOR_SERVERS = extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1')));

export type Signing = {
  /** The root, in PEM. */
  root: string;
  /** A leaf and what leads from it to the root, in PEM. */
  sign(wish: { names: string[]; publicKey: KeyObject; from: number; until: number }): string;
  /** Of the key that signs leaves, as it stands in them. */
  keyId: Buffer;
  /** Key and chain of a server at a loopback address. */
  server(): { key: string; cert: string };
};

/** A root and an intermediate authority. */
export const createSigning = (name: string): Signing => {
  const [root, middle] = [newKeys(), newKeys()];
  const [rootName, middleName] = [commonName(`${name} Root`), commonName(name)];
  const years = { from: Date.now() - YEAR_MS, until: Date.now() + 10 * YEAR_MS };
  const issuedByRoot = { issuer: rootName, issuerKey: root.privateKey, extensions: [IS_AUTHORITY], ...years };
  const rootPem = signCertificate({ ...issuedByRoot, subject: rootName, publicKey: root.publicKey });
  const middlePem = signCertificate({ ...issuedByRoot, subject: middleName, publicKey: middle.publicKey });
  const keyId = createHash('sha1')
    .update(middle.publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  const byKey = extension('2.5.29.35', sequence(tagged(0x80, keyId)));
  const leaf = (publicKey: KeyObject, names: Buffer, from: number, until: number): string =>
    signCertificate({
      subject: sequence(),
      publicKey,
      issuer: middleName,
      issuerKey: middle.privateKey,
      from,
      until,
      extensions: [IS_SERVER, FOR_SERVERS, byKey, names],
    }) + middlePem;
  return {
    root: rootPem,
    keyId,
    sign: ({ names, publicKey, from, until }) => leaf(publicKey, alternativeNames(...names), from, until),
    server() {
      const { publicKey, privateKey } = newKeys();
      const address = extension('2.5.29.17', sequence(tagged(0x87, Buffer.from([127, 0, 0, 1]))));
      const cert = leaf(publicKey, address, years.from, years.until);
      return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
};
