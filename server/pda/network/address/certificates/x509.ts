import 'reflect-metadata';
import { generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import {
  Extension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

export type KeyPair = { publicKey: KeyObject; privateKey: KeyObject };

const generate = promisify(generateKeyPair);

export const generateEcKeyPair = async (): Promise<KeyPair> => generate('ec', { namedCurve: 'P-256' });

export const pemOfKey = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

export const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

// The casts are needed because Node's types have more key usages than the browser's.
export const toCryptoKeys = ({ publicKey, privateKey }: KeyPair): CryptoKeyPair => ({
  publicKey: publicKey.toCryptoKey(ECDSA, true, ['verify']) as CryptoKey,
  privateKey: privateKey.toCryptoKey(ECDSA, true, ['sign']) as CryptoKey,
});

/**
 * Returns a certificate signing request in DER. Its subject is empty: authorities read the extension with the host, and
 * a long name would not fit into the common name.
 */
export const createCertificateRequest = async (host: string, keys: KeyPair): Promise<Buffer> => {
  const request = await Pkcs10CertificateRequestGenerator.create({
    keys: toCryptoKeys(keys),
    signingAlgorithm: ECDSA,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
  });
  return Buffer.from(request.rawData);
};

/** OID of `id-pe-acmeIdentifier` (RFC 8737). */
const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31';
const OCTET_STRING = 0x04;
const DAY_MS = 86_400_000;

export const createChallengeCertificate = async (
  host: string,
  digest: Buffer,
): Promise<{ cert: string; key: string }> => {
  const keys = await generateEcKeyPair();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=acme challenge',
    keys: toCryptoKeys(keys),
    signingAlgorithm: ECDSA,
    // Tolerates a clock that is wrong by up to a day.
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    extensions: [
      new SubjectAlternativeNameExtension([{ type: 'dns', value: host }]),
      new Extension(ACME_IDENTIFIER, true, Buffer.from([OCTET_STRING, digest.length, ...digest])),
    ],
  });
  return { cert: certificate.toString('pem'), key: pemOfKey(keys.privateKey) };
};
