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
  generateEcKeyPair,
  pemOfKey,
  toCryptoKeys,
  type KeyPair,
} from '../../server/pda/network/address/certificates/x509.ts';

// X.509 operations of a certificate authority: signs certificates and reads certificates and requests.

const SUBJECT_ALTERNATIVE_NAME_OID = '2.5.29.17';
const ACME_IDENTIFIER_OID = '1.3.6.1.5.5.7.1.31';

const namesIn = (extensions: readonly Extension[]): string[] =>
  extensions
    .filter(({ type }) => type === SUBJECT_ALTERNATIVE_NAME_OID)
    .flatMap(({ rawData }) => new SubjectAlternativeNameExtension(rawData).names.items.map(({ value }) => value));

/**
 * Returns the names and the public key of a certificate request.
 * @throws {Error} if it is malformed or its signature is invalid
 */
export const readRequest = async (der: Buffer): Promise<{ names: string[]; publicKey: KeyObject }> => {
  const request = new Pkcs10CertificateRequest(new Uint8Array(der));
  if (!(await request.verify())) throw new Error('The signature of the request is invalid.');
  const publicKey = createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' });
  return { names: namesIn(request.extensions), publicKey };
};

/** Checks a challenge certificate (RFC 8737). @returns the problem; undefined if the certificate is correct */
export const findChallengeProblem = (der: Buffer, host: string, digest: Buffer): string | undefined => {
  const certificate = new NodeCertificate(der);
  if (!certificate.verify(certificate.publicKey)) return 'it is not self-signed';
  const { extensions } = new X509Certificate(new Uint8Array(der));
  if (namesIn(extensions).join(' ') !== host) return `it is for ${namesIn(extensions).join(' ')}`;
  const acmeExtensions = extensions.filter(({ type }) => type === ACME_IDENTIFIER_OID);
  if (acmeExtensions.length !== 1 || acmeExtensions[0]?.critical !== true)
    return 'it does not have exactly one critical ACME extension';
  // An OCTET STRING of 32 bytes within the value of the extension.
  const expected = Buffer.concat([Buffer.from([4, 32]), digest]);
  return Buffer.from(acmeExtensions[0].value).equals(expected) ? undefined : 'it contains a different digest';
};

const YEAR_MS = 365 * 86_400_000;

type CertificateSigner = {
  /** The root certificate, in PEM. */
  root: string;
  /**
   * Issues a certificate that is valid from `from` until `until`, in Unix milliseconds.
   * @returns the leaf and intermediate certificates, in PEM
   */
  sign(request: { names: string[]; publicKey: KeyObject; from: number; until: number }): Promise<string>;
  /** Identifier of the key that signs leaf certificates, as written into them. */
  keyId: Buffer;
  /** Private key and certificate chain of a server at 127.0.0.1, in PEM. */
  server: { key: string; cert: string };
};

/** Creates a root and an intermediate authority, and the certificate of a server. */
export const createSigner = async (name: string): Promise<CertificateSigner> => {
  const [rootKeys, intermediateKeys, serverKeys] = await Promise.all([
    generateEcKeyPair(),
    generateEcKeyPair(),
    generateEcKeyPair(),
  ]);
  const issuerOf = (issuer: string, keys: KeyPair) => ({
    issuer,
    signingKey: toCryptoKeys(keys).privateKey,
    signingAlgorithm: ECDSA,
  });
  const validity = { notBefore: new Date(Date.now() - YEAR_MS), notAfter: new Date(Date.now() + 10 * YEAR_MS) };
  const rootIssuer = {
    ...issuerOf(`CN=${name} Root`, rootKeys),
    ...validity,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  };
  const issueAuthority = async (subject: string, keys: KeyPair): Promise<string> => {
    const { publicKey } = toCryptoKeys(keys);
    const certificate = await X509CertificateGenerator.create({ ...rootIssuer, subject, publicKey });
    return `${certificate.toString('pem')}\n`;
  };
  const rootPem = await issueAuthority(`CN=${name} Root`, rootKeys);
  const intermediatePem = await issueAuthority(`CN=${name}`, intermediateKeys);
  const authorityKeyIdentifier = await AuthorityKeyIdentifierExtension.create(toCryptoKeys(intermediateKeys).publicKey);

  const issueLeaf = async (publicKey: KeyObject, names: JsonGeneralNames, notBefore: Date, notAfter: Date) => {
    const certificate = await X509CertificateGenerator.create({
      ...issuerOf(`CN=${name}`, intermediateKeys),
      notBefore,
      notAfter,
      publicKey: new Uint8Array(publicKey.export({ type: 'spki', format: 'der' })),
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        authorityKeyIdentifier,
        new SubjectAlternativeNameExtension(names),
      ],
    });
    return `${certificate.toString('pem')}\n${intermediatePem}`;
  };
  return {
    root: rootPem,
    keyId: Buffer.from(authorityKeyIdentifier.keyId ?? '', 'hex'),
    sign: ({ names, publicKey, from, until }) =>
      issueLeaf(
        publicKey,
        names.map((value) => ({ type: 'dns' as const, value })),
        new Date(from),
        new Date(until),
      ),
    server: {
      cert: await issueLeaf(
        serverKeys.publicKey,
        [{ type: 'ip', value: '127.0.0.1' }],
        validity.notBefore,
        validity.notAfter,
      ),
      key: pemOfKey(serverKeys.privateKey),
    },
  };
};
