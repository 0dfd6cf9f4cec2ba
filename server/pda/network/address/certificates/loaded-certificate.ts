import { constants, createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { duplexPair } from 'node:stream';
import { connect, createSecureContext, getCACertificates, TLSSocket, type SecureContext } from 'node:tls';
import { hashSpki } from '../../../../platform/auth/signing-keys.ts';
import type { CertificateFacts } from './rules.ts';
import { renewalIdOf } from './renewal-info.ts';

const CHAIN_MAX_CERTIFICATES = 10;
const CHAIN_MAX_CHARACTERS = 100_000;

export type LoadedCertificate = {
  /** Key and chain in PEM. */
  text: string;
  context: SecureContext;
  facts: CertificateFacts;
  issuer: string;
  /** SHA-256 hash of the key's SubjectPublicKeyInfo in base64. */
  spki: string;
  /** Identifier for renewal information (RFC 9773). */
  renewalId: string | undefined;
};

const pemBlocks = (text: string, label: RegExp): string[] =>
  text.match(new RegExp(`-----BEGIN ${label.source}-----[A-Za-z0-9+/=\\s]+-----END ${label.source}-----`, 'gu')) ?? [];

const issuerOf = (leaf: X509Certificate): string => {
  const names = leaf.issuer.split('\n');
  const attributeOf = (kind: string): string | undefined =>
    names.find((line) => line.startsWith(`${kind}=`))?.slice(kind.length + 1);
  const [organization, name] = [attributeOf('O'), attributeOf('CN')];
  const text = organization === undefined || name === undefined ? (name ?? organization) : `${organization} (${name})`;
  return (text ?? 'unnamed').slice(0, 200);
};

/**
 * Loads a certificate for a host, even outside its validity period.
 * @returns the certificate, or the reason why it cannot be used
 */
export const loadCertificate = (key: string, chain: string, host: string): LoadedCertificate | string => {
  if (chain.length > CHAIN_MAX_CHARACTERS) return 'it is too large';
  const certificates = pemBlocks(chain, /CERTIFICATE/u);
  const [leafPem] = certificates;
  if (leafPem === undefined || certificates.length > CHAIN_MAX_CERTIFICATES) return 'it is not a certificate chain';
  try {
    const leaf = new X509Certificate(leafPem);
    const privateKey = createPrivateKey(key);
    if (!leaf.checkPrivateKey(privateKey)) return 'it belongs to a different key';
    if (leaf.checkHost(host, { subject: 'never' }) === undefined) return `it is not valid for ${host}`;
    if (leaf.ca) return 'it is the certificate of an authority, not of a server';
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
        trustProblem: undefined,
      },
      issuer: issuerOf(leaf),
      spki: hashSpki(leaf.publicKey, 'base64'),
      renewalId: renewalIdOf(leaf.raw),
    };
  } catch {
    return 'it cannot be read';
  }
};

export const loadCertificateFile = (text: string, host: string): LoadedCertificate | string => {
  const [key] = pemBlocks(text, /PRIVATE KEY/u);
  return key === undefined ? 'the file contains no key' : loadCertificate(key, text, host);
};

/**
 * TLS errors for a certificate that has expired or is not valid yet. `findTrustProblem` reports them only for the
 * authority's certificates; `validityOf` checks the certificate of the host.
 */
const VALIDITY_CODES = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
const HANDSHAKE_TIMEOUT_MS = 10_000;

const TRUST_PROBLEMS: Record<string, string> = {
  CERT_REVOKED: 'it was revoked',
  CERT_HAS_EXPIRED: 'a certificate of the authority has expired',
  CERT_NOT_YET_VALID: 'a certificate of the authority is not valid yet',
};

const trustCodeOf = (error: unknown): string =>
  typeof error === 'string' ? error : error instanceof Error && 'code' in error ? String(error.code) : 'unknown';

/**
 * Performs a TLS handshake within this process to check whether clients trust the certificate.
 * @param additionalAuthorities PEM certificates that are trusted in addition to the public authorities
 * @returns why clients do not trust the certificate; undefined if they trust it, or refuse it only because it has
 *   expired or is not valid yet
 * @throws Error if the handshake fails
 */
export const findTrustProblem = async (
  certificate: LoadedCertificate,
  host: string,
  additionalAuthorities: string | undefined,
): Promise<string | undefined> => {
  const [serverSide, clientSide] = duplexPair();
  const server = new TLSSocket(serverSide, { isServer: true, secureContext: certificate.context });
  server.on('error', () => undefined);
  const client = connect({
    socket: clientSide,
    servername: host,
    ca: [...getCACertificates('default'), ...(additionalAuthorities === undefined ? [] : [additionalAuthorities])],
    rejectUnauthorized: false,
    timeout: HANDSHAKE_TIMEOUT_MS,
  });
  try {
    const error = await new Promise<unknown>((resolve, reject) => {
      client.once('secureConnect', () => resolve(client.authorizationError));
      client.once('error', reject);
      client.once('timeout', () => reject(new Error('The handshake took too long.')));
      client.once('close', () => reject(new Error('The handshake was aborted.')));
    });
    if (error === undefined || error === null) return undefined;
    const code = trustCodeOf(error);
    const now = Date.now();
    const { facts, issuer } = certificate;
    if (VALIDITY_CODES.has(code) && (now < facts.from || now >= facts.until)) return undefined;
    const reason = TRUST_PROBLEMS[code] ?? `${issuer} is not a trusted authority`;
    return `Browsers would not trust the certificate: ${reason} (${code}).`;
  } finally {
    client.destroy();
    server.destroy();
  }
};
