import 'reflect-metadata';
import { isIP } from 'node:net';
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';
import {
  ECDSA,
  generateEcKeyPair,
  pemOfKey,
  toCryptoKeys,
} from '../../server/pda/network/address/certificates/x509.ts';

const DAY_MS = 86_400_000;

/** Creates a self-signed certificate for test servers, in PEM. It is valid from yesterday until tomorrow. */
export const createSelfSigned = async (...names: string[]): Promise<{ cert: string; key: string }> => {
  const keys = await generateEcKeyPair();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${names[0] ?? ''}`,
    keys: toCryptoKeys(keys),
    signingAlgorithm: ECDSA,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    extensions: [
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  });
  return { cert: `${certificate.toString('pem')}\n`, key: pemOfKey(keys.privateKey) };
};
