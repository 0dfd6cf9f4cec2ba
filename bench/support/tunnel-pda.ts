import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { silentLog } from '../../server/platform/log.ts';
import { createPda } from '../../server/pda/pda.ts';
import type { CertificateManager } from '../../server/pda/network/address/service.ts';
import { hashSpki } from '../../server/platform/auth/signing-keys.ts';

// Starts a PDA with a tunnel. Every host name resolves to this machine, and the certificate is read from a file.
// Usage: node bench/support/tunnel-pda.ts HOME CERTIFICATE KEY

const [home = '', certFile = '', keyFile = ''] = process.argv.slice(2);
const cert = readFileSync(certFile, 'utf8');
const context = createSecureContext({ cert, key: readFileSync(keyFile, 'utf8') });
const { validFrom, validTo, publicKey } = new X509Certificate(cert);
const spki = hashSpki(publicKey, 'base64');

const certificates: CertificateManager = {
  context: () => context,
  challengeContext: () => undefined,
  spki: () => spki,
  view: () => ({
    state: 'good',
    issuer: 'bench',
    notBefore: new Date(validFrom).toISOString(),
    notAfter: new Date(validTo).toISOString(),
    problem: null,
    nextTry: null,
  }),
  onChange: () => () => undefined,
  start() {},
  wake() {},
  terms: () => Promise.resolve(null),
  close: () => Promise.resolve(),
};

const pda = await createPda({
  home,
  log: silentLog(),
  network: { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) },
  tunnel: { createCertificateManager: () => certificates },
});
const { url } = await pda.listen(0);
console.log(`pda listening on ${url}`);
await new Promise((resolve) => process.once('SIGTERM', resolve));
await pda.close();
