import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { messageOf } from '../../wire/values.ts';

type CertificatePair = { cert: string; key: string };
export type Certificate = ReturnType<typeof openCertificate>;

const POLL_INTERVAL_MS = 10_000;

const readPair = (certFile: string, keyFile: string): CertificatePair => {
  const cert = readFileSync(certFile, 'utf8');
  const key = readFileSync(keyFile, 'utf8');
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the key does not match the certificate');
  return { cert, key };
};

const versionOf = (...files: string[]): string =>
  files.map((file) => `${statSync(file).mtimeMs} ${statSync(file).ino}`).join(' ');

/**
 * Opens the operator's certificate and reloads it when its files change. Changed files that are invalid are ignored.
 * @throws Failure invalid_input if the files are unusable at the start
 */
export const openCertificate = (parts: { certFile: string; keyFile: string; log: Log; pollMs?: number }) => {
  const { certFile, keyFile, log, pollMs = POLL_INTERVAL_MS } = parts;
  let version: string;
  let pair: CertificatePair;
  try {
    version = versionOf(certFile, keyFile);
    pair = readPair(certFile, keyFile);
  } catch (error) {
    throw new Failure('invalid_input', `The certificate ${certFile} cannot be used: ${messageOf(error)}`);
  }
  let notify: ((pair: CertificatePair) => void) | undefined;
  const timer = setInterval(() => {
    try {
      const currentVersion = versionOf(certFile, keyFile);
      if (currentVersion === version) return;
      pair = readPair(certFile, keyFile);
      version = currentVersion;
      notify?.(pair);
      log.info('certificate reloaded');
    } catch (error) {
      log.warn({ err: error }, 'could not reload the certificate; the previous one stays in use');
    }
  }, pollMs);
  return {
    currentPair: (): CertificatePair => pair,
    onChange(listener: (pair: CertificatePair) => void): void {
      notify = listener;
    },
    close: (): void => clearInterval(timer),
  };
};
