import { generateKeyPairSync } from 'node:crypto';
import { alternativeNames, commonName, pemOfKey, signCertificate } from '../../server/pda/tunnel/certificates/x509.ts';

const DAY_MS = 86_400_000;

/** A certificate that vouches for itself, for servers of tests: PEM for these names, good from yesterday until tomorrow. */
export const selfSigned = (...names: string[]): { cert: string; key: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = commonName(names[0] ?? '');
  const cert = signCertificate({
    subject: name,
    publicKey,
    issuer: name,
    issuerKey: privateKey,
    from: Date.now() - DAY_MS,
    until: Date.now() + DAY_MS,
    extensions: [alternativeNames(...names)],
  });
  return { cert, key: pemOfKey(privateKey) };
};
