import 'reflect-metadata';
import { createPublicKey, X509Certificate as NodeCertificate, type KeyObject } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
  type Extension,
  type JsonGeneralNames,
} from '@peculiar/x509';
import {
  ECDSA,
  newKey,
  pemOfKey,
  toCryptoKeys,
  type KeyPair,
} from '../../server/pda/network/address/certificates/x509.ts';

/** What an authority does with certificates: signs them, and reads those and the requests of others. */

const ALTERNATIVE_NAME = '2.5.29.17';
const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31';

const namesIn = (extensions: readonly Extension[]): string[] =>
  extensions
    .filter(({ type }) => type === ALTERNATIVE_NAME)
    .flatMap(({ rawData }) => new SubjectAlternativeNameExtension(rawData).names.items.map(({ value }) => value));

/** Names and key of a request whose signature holds. @throws else */
export const readRequest = async (der: Buffer): Promise<{ names: string[]; publicKey: KeyObject }> => {
  const request = new Pkcs10CertificateRequest(new Uint8Array(der));
  if (!(await request.verify())) throw new Error('The signature of the request does not hold.');
  const publicKey = createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' });
  return { names: namesIn(request.extensions), publicKey };
};

/** What RFC 8737 wants of the certificate that is shown. @returns what is wrong with it, undefined when nothing is */
export const challengeProblem = (der: Buffer, host: string, digest: Buffer): string | undefined => {
  const shown = new NodeCertificate(der);
  if (!shown.verify(shown.publicKey)) return 'it is not signed by itself';
  const { extensions } = new X509Certificate(new Uint8Array(der));
  if (namesIn(extensions).join(' ') !== host) return `it is for ${namesIn(extensions).join(' ')}`;
  const found = extensions.filter(({ type }) => type === ACME_IDENTIFIER);
  if (found.length !== 1 || found[0]?.critical !== true) return 'it has not the one critical extension';
  // An OCTET STRING of 32 bytes within the value of the extension.
  const expected = Buffer.concat([Buffer.from([4, 32]), digest]);
  return Buffer.from(found[0].value).equals(expected) ? undefined : 'it shows another digest';
};

const YEAR_MS = 365 * 86_400_000;

export type Signing = {
  /** The root, in PEM. */
  root: string;
  /** A leaf and what leads from it to the root, in PEM. */
  sign(wish: { names: string[]; publicKey: KeyObject; from: number; until: number }): Promise<string>;
  /** Of the key that signs leaves, as it stands in them. */
  keyId: Buffer;
  /** Key and chain of a server at a loopback address. */
  server: { key: string; cert: string };
};

/** A root and an intermediate authority. */
export const createSigning = async (name: string): Promise<Signing> => {
  const [root, middle, ofServer] = await Promise.all([newKey(), newKey(), newKey()]);
  const signedBy = (issuer: string, keys: KeyPair) => ({
    issuer,
    signingKey: toCryptoKeys(keys).privateKey,
    signingAlgorithm: ECDSA,
  });
  const years = { notBefore: new Date(Date.now() - YEAR_MS), notAfter: new Date(Date.now() + 10 * YEAR_MS) };
  const byRoot = {
    ...signedBy(`CN=${name} Root`, root),
    ...years,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  };
  const authority = async (subject: string, keys: KeyPair): Promise<string> => {
    const { publicKey } = toCryptoKeys(keys);
    const certificate = await X509CertificateGenerator.create({ ...byRoot, subject, publicKey });
    return `${certificate.toString('pem')}\n`;
  };
  const rootPem = await authority(`CN=${name} Root`, root);
  const middlePem = await authority(`CN=${name}`, middle);
  const byKey = await AuthorityKeyIdentifierExtension.create(toCryptoKeys(middle).publicKey);

  const leaf = async (publicKey: KeyObject, names: JsonGeneralNames, notBefore: Date, notAfter: Date) => {
    const certificate = await X509CertificateGenerator.create({
      ...signedBy(`CN=${name}`, middle),
      notBefore,
      notAfter,
      publicKey: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        byKey,
        new SubjectAlternativeNameExtension(names),
      ],
    });
    return `${certificate.toString('pem')}\n${middlePem}`;
  };
  return {
    root: rootPem,
    keyId: Buffer.from(byKey.keyId ?? '', 'hex'),
    sign: ({ names, publicKey, from, until }) =>
      leaf(
        publicKey,
        names.map((value) => ({ type: 'dns' as const, value })),
        new Date(from),
        new Date(until),
      ),
    server: {
      cert: await leaf(ofServer.publicKey, [{ type: 'ip', value: '127.0.0.1' }], years.notBefore, years.notAfter),
      key: pemOfKey(ofServer.privateKey),
    },
  };
};
