import { generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { bits, integer, octets, oid, sequence, set, tagged, time, utf8, yes } from './der.ts';

/** Requests for certificates (RFC 2986), and certificates that are signed here (RFC 5280). All keys are ECDSA P-256. */

export type KeyPair = { publicKey: KeyObject; privateKey: KeyObject };

const generate = promisify(generateKeyPair);

export const newKey = async (): Promise<KeyPair> => generate('ec', { namedCurve: 'P-256' });

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const COMMON_NAME = oid('2.5.4.3');
const ALTERNATIVE_NAME = '2.5.29.17';
const EXTENSION_REQUEST = oid('1.2.840.113549.1.9.14');
/** `id-pe-acmeIdentifier` (RFC 8737). */
const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31';

/** What is to be signed, its signature beside it. */
const signed = (content: Buffer, key: KeyObject): Buffer =>
  sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, key)));

/** A private key in PEM. */
export const pemOfKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

export const commonName = (name: string): Buffer => sequence(set(sequence(COMMON_NAME, utf8(name))));

export const extension = (id: string, value: Buffer, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [yes()] : []), octets(value));

/** The names that a certificate is for. */
export const alternativeNames = (...hosts: string[]): Buffer =>
  extension(ALTERNATIVE_NAME, sequence(...hosts.map((host) => tagged(0x82, Buffer.from(host, 'latin1')))));

const pem = (label: string, der: Buffer): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64').replaceAll(/.{1,64}/gu, '$&\n')}-----END ${label}-----\n`;

/** The request for a certificate of `host`, in DER. The name stands where all look for it: as the subject, a long one would not fit. */
export const certificateRequest = (host: string, key: KeyPair): Buffer => {
  const wanted = sequence(EXTENSION_REQUEST, set(sequence(alternativeNames(host))));
  const version = integer(Buffer.from([0]));
  return signed(sequence(version, sequence(), spkiOf(key.publicKey), tagged(0xa0, wanted)), key.privateKey);
};

export type CertificateWish = {
  subject: Buffer;
  publicKey: KeyObject;
  issuer: Buffer;
  issuerKey: KeyObject;
  /** Unix milliseconds. */
  from: number;
  until: number;
  extensions: readonly Buffer[];
};

/** A certificate in PEM, signed with the issuer's key. */
export const signCertificate = (wish: CertificateWish): string => {
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    wish.issuer,
    sequence(time(wish.from), time(wish.until)),
    wish.subject,
    spkiOf(wish.publicKey),
    tagged(0xa3, sequence(...wish.extensions)),
  );
  return pem('CERTIFICATE', signed(content, wish.issuerKey));
};

const DAY_MS = 86_400_000;

/**
 * The certificate by which a challenge of TLS-ALPN-01 is met: signed by itself, for this one name, with the digest of the key authorization.
 * It proves nothing to anybody but the authority that asked.
 */
export const challengeCertificate = async (host: string, digest: Buffer): Promise<{ cert: string; key: string }> => {
  const { publicKey, privateKey } = await newKey();
  const name = commonName('acme challenge');
  const cert = signCertificate({
    subject: name,
    publicKey,
    issuer: name,
    issuerKey: privateKey,
    // Whatever this machine's clock says of today.
    from: Date.now() - DAY_MS,
    until: Date.now() + DAY_MS,
    extensions: [alternativeNames(host), extension(ACME_IDENTIFIER, octets(digest), true)],
  });
  return { cert, key: pemOfKey(privateKey) };
};
