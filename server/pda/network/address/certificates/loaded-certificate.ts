import { constants, createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { duplexPair } from 'node:stream';
import { connect, createSecureContext, getCACertificates, TLSSocket, type SecureContext } from 'node:tls';
import { spkiHash } from '../../../../platform/auth/signing-keys.ts';
import type { Facts } from './rules.ts';
import { renewalIdOf } from './renewal-info.ts';

/** A certificate with its key, as one text: key and chain in PEM, so that neither is ever without the other. */

const MAX_CHAIN = 10;
const MAX_TEXT = 100_000;

export type Held = {
  text: string;
  context: SecureContext;
  facts: Facts;
  issuer: string;
  /** SHA-256 of the key's SubjectPublicKeyInfo, base64. */
  spki: string;
  /** By what its authority is asked when it is to be replaced. */
  renewalId: string | undefined;
};

const pieces = (text: string, label: RegExp): string[] =>
  text.match(new RegExp(`-----BEGIN ${label.source}-----[A-Za-z0-9+/=\\s]+-----END ${label.source}-----`, 'gu')) ?? [];

const issuerOf = (leaf: X509Certificate): string => {
  const names = leaf.issuer.split('\n');
  const named = (kind: string): string | undefined =>
    names.find((line) => line.startsWith(`${kind}=`))?.slice(kind.length + 1);
  const [organisation, name] = [named('O'), named('CN')];
  const text = organisation === undefined || name === undefined ? (name ?? organisation) : `${organisation} (${name})`;
  return (text ?? 'unnamed').slice(0, 200);
};

/** Takes a certificate that is for this host and this key, whatever its dates. @returns why it cannot be taken, else. */
export const readHeld = (key: string, chain: string, host: string): Held | string => {
  if (chain.length > MAX_TEXT) return 'it is far too large';
  const certificates = pieces(chain, /CERTIFICATE/u);
  const [first] = certificates;
  if (first === undefined || certificates.length > MAX_CHAIN) return 'it is no chain of certificates';
  try {
    const leaf = new X509Certificate(first);
    const privateKey = createPrivateKey(key);
    if (!leaf.checkPrivateKey(privateKey)) return 'it is for another key';
    if (leaf.checkHost(host, { subject: 'never' }) === undefined) return `it is for another name than ${host}`;
    if (leaf.ca) return 'it is that of an authority, not of a server';
    if (!Number.isFinite(leaf.validFromDate.getTime()) || !Number.isFinite(leaf.validToDate.getTime()))
      return 'its dates cannot be read';
    const text = `${key.trim()}\n${certificates.join('\n')}\n`;
    const context = createSecureContext({
      key,
      cert: certificates.join('\n'),
      minVersion: 'TLSv1.2',
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    });
    const digest = createHash('sha256').update(leaf.raw).digest();
    return {
      text,
      context,
      facts: {
        from: leaf.validFromDate.getTime(),
        until: leaf.validToDate.getTime(),
        jitter: digest.readUInt32BE(0) / 2 ** 32,
        untrusted: undefined,
      },
      issuer: issuerOf(leaf),
      spki: spkiHash(leaf.publicKey, 'base64'),
      renewalId: renewalIdOf(leaf.raw),
    };
  } catch {
    return 'it cannot be read';
  }
};

/** The same from the text of the file. */
export const readText = (text: string, host: string): Held | string => {
  const [key] = pieces(text, /PRIVATE KEY/u);
  return key === undefined ? 'there is no key beside it' : readHeld(key, text, host);
};

/** What OpenSSL says where only the time is wrong, of which `timeState` tells better. */
const OF_TIME = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
/** Milliseconds for a handshake within this process. */
const HANDSHAKE_MS = 10_000;

const REASONS: Record<string, string> = {
  CERT_REVOKED: 'it was revoked',
  CERT_HAS_EXPIRED: 'a certificate of the authority has expired',
  CERT_NOT_YET_VALID: 'a certificate of the authority is not good yet',
};

const codeOf = (error: unknown): string =>
  typeof error === 'string' ? error : error instanceof Error && 'code' in error ? String(error.code) : 'unknown';

/**
 * Why a visitor would not trust it, in words; undefined when they would. Found out as a visitor does, by shaking hands.
 * @param trust certificates in PEM that are trusted beside those which everybody trusts.
 */
export const distrust = async (held: Held, host: string, trust: string | undefined): Promise<string | undefined> => {
  const [here, there] = duplexPair();
  const server = new TLSSocket(here, { isServer: true, secureContext: held.context });
  server.on('error', () => undefined);
  const client = connect({
    socket: there,
    servername: host,
    ca: [...getCACertificates('default'), ...(trust === undefined ? [] : [trust])],
    rejectUnauthorized: false,
    timeout: HANDSHAKE_MS,
  });
  try {
    const error = await new Promise<unknown>((resolve, reject) => {
      client.once('secureConnect', () => resolve(client.authorizationError));
      client.once('error', reject);
      client.once('timeout', () => reject(new Error('The handshake took too long.')));
      client.once('close', () => reject(new Error('The handshake was broken off.')));
    });
    if (error === undefined || error === null) return undefined;
    const code = codeOf(error);
    const now = Date.now();
    if (OF_TIME.has(code) && (now < held.facts.from || now >= held.facts.until)) return undefined;
    return `Visitors would not trust the certificate: ${REASONS[code] ?? `nobody vouches for ${held.issuer}`} (${code}).`;
  } finally {
    client.destroy();
    server.destroy();
  }
};
