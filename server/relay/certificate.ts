import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Failure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';

export type CertificatePair = { cert: string; key: string };
export type Certificate = ReturnType<typeof openCertificate>;

/** Milliseconds between two looks at the files. */
const LOOK_MS = 10_000;

const readPair = (certFile: string, keyFile: string): CertificatePair => {
  const cert = readFileSync(certFile, 'utf8');
  const key = readFileSync(keyFile, 'utf8');
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new Error('the key is not that of the certificate');
  return { cert, key };
};

const stampOf = (...files: string[]): string =>
  files.map((file) => `${statSync(file).mtimeMs} ${statSync(file).ino}`).join(' ');

/**
 * The operator's certificate, read anew when its files change. While they are being changed, or are wrong, the one before is used.
 *
 * @throws Failure invalid_input when there is none that can be used at the start
 */
export const openCertificate = (parts: { certFile: string; keyFile: string; log: Log; lookMs?: number }) => {
  const { certFile, keyFile, log, lookMs = LOOK_MS } = parts;
  const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));
  let stamp: string;
  let pair: CertificatePair;
  try {
    stamp = stampOf(certFile, keyFile);
    pair = readPair(certFile, keyFile);
  } catch (error) {
    throw new Failure('invalid_input', `The certificate ${certFile} cannot be used: ${reason(error)}`);
  }
  let tell: ((pair: CertificatePair) => void) | undefined;
  const timer = setInterval(() => {
    try {
      const now = stampOf(certFile, keyFile);
      if (now === stamp) return;
      pair = readPair(certFile, keyFile);
      stamp = now;
      tell?.(pair);
      log.info('the certificate was read anew');
    } catch (error) {
      log.warn({ err: error }, 'the certificate cannot be read anew; the one before is used');
    }
  }, lookMs);
  return {
    current: (): CertificatePair => pair,
    onChange(listener: (pair: CertificatePair) => void): void {
      tell = listener;
    },
    close: (): void => clearInterval(timer),
  };
};
