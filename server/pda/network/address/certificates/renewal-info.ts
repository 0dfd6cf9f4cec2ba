import 'reflect-metadata';
import { AuthorityKeyIdentifierExtension, X509Certificate } from '@peculiar/x509';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { AcmeClient } from './acme-client.ts';
import { AcmeProblem } from './acme-error.ts';
import type { CertificateFiles } from './files.ts';
import type { LoadedCertificate } from './loaded-certificate.ts';

// ACME Renewal Information (RFC 9773): the period in which the authority suggests renewing a certificate. It is stored,
// so that restarts do not cause requests.

const RENEWAL_FILE = 'renewal.json';
const HOUR_MS = 3_600_000;
const REQUEST_INTERVAL_MIN_MS = 6 * HOUR_MS;
const REQUEST_INTERVAL_MAX_MS = 24 * HOUR_MS;
const FAILURE_PAUSE_MS = HOUR_MS;
/** Minimum age of a certificate at a suggested renewal, so that an authority cannot demand continuous renewals. */
const RENEWAL_AGE_MIN_MS = 24 * HOUR_MS;

const windowSchema = z.object({ from: z.number(), until: z.number() });
const storedSchema = z.object({ id: z.string(), window: windowSchema.nullable(), next: z.number() });
type StoredInfo = z.infer<typeof storedSchema>;

const timeSchema = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const responseSchema = z.object({ suggestedWindow: z.object({ start: timeSchema, end: timeSchema }) });

/**
 * Returns the identifier of a certificate (RFC 9773, section 4.1): authority key identifier and serial number. Returns
 * undefined if the certificate has no key identifier or cannot be read.
 */
export const renewalIdOf = (certificate: Buffer): string | undefined => {
  try {
    const x509 = new X509Certificate(new Uint8Array(certificate));
    const key = x509.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
    if (key === undefined) return undefined;
    // The library omits the zero byte that DER puts before a leading set bit.
    const serial = /^[89a-f]/iu.test(x509.serialNumber) ? `00${x509.serialNumber}` : x509.serialNumber;
    return [key, serial].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
  } catch {
    return undefined;
  }
};

export type SuggestedRenewal = {
  /** Unix milliseconds from which the certificate should be replaced. */
  replaceFrom: number;
  isOverdue: boolean;
};

export const createRenewalInfo = ({ clock, log }: { clock: Clock; log: Log }) => {
  let storedInfo: StoredInfo | undefined;
  /** Earliest time of the request after a failed one, in Unix milliseconds. */
  let retryAt = 0;

  const windowOf = ({ renewalId }: LoadedCertificate) =>
    renewalId === undefined || storedInfo?.id !== renewalId ? undefined : (storedInfo.window ?? undefined);

  const nextRequestAt = ({ renewalId, facts }: LoadedCertificate, now: number): number => {
    // A new certificate needs no information yet. Times that are too far in the future come from a wrong clock.
    const next =
      storedInfo !== undefined && storedInfo.id === renewalId ? storedInfo.next : facts.from + REQUEST_INTERVAL_MIN_MS;
    return Math.max(next > now + REQUEST_INTERVAL_MAX_MS ? 0 : next, retryAt > now + FAILURE_PAUSE_MS ? 0 : retryAt);
  };

  return {
    load(files: CertificateFiles): void {
      const text = files.read(RENEWAL_FILE);
      try {
        storedInfo = text === undefined ? undefined : storedSchema.parse(JSON.parse(text));
      } catch {
        log.warn({ file: RENEWAL_FILE }, 'ignoring a damaged file in the certificates folder');
      }
    },

    suggestedRenewal(certificate: LoadedCertificate): SuggestedRenewal | undefined {
      const window = windowOf(certificate);
      if (window === undefined) return undefined;
      const { from, until } = window;
      // Distributes renewals over the window, so that the authority's certificates are not all replaced at once.
      const chosenTime = from + (until - from) * certificate.facts.jitter;
      return {
        replaceFrom: Math.max(chosenTime, certificate.facts.from + RENEWAL_AGE_MIN_MS),
        isOverdue: until <= clock.now(),
      };
    },

    isRequestDue: (certificate: LoadedCertificate): boolean =>
      certificate.renewalId !== undefined && nextRequestAt(certificate, clock.now()) <= clock.now(),

    async update(certificate: LoadedCertificate, client: AcmeClient, files: CertificateFiles): Promise<void> {
      const id = certificate.renewalId;
      if (id === undefined) return;
      const now = clock.now();
      retryAt = now + FAILURE_PAUSE_MS;
      try {
        const { renewalInfo } = await client.directory();
        let pauseMs = REQUEST_INTERVAL_MAX_MS;
        let window: StoredInfo['window'] = null;
        if (renewalInfo !== undefined) {
          const response = await client.get(`${renewalInfo}/${id}`);
          const { start, end } = client.parse(responseSchema, response).suggestedWindow;
          if (!(end > start))
            throw new AcmeProblem('authority', 'The certificate authority suggests an invalid renewal window.');
          window = { from: start, until: end };
          pauseMs = Math.min(REQUEST_INTERVAL_MAX_MS, Math.max(REQUEST_INTERVAL_MIN_MS, response.retryAfterMs ?? 0));
        }
        storedInfo = { id, window, next: now + pauseMs };
      } catch (error) {
        if (!(error instanceof AcmeProblem)) throw error;
        log.info({ reason: error.message }, 'could not read the renewal information of the authority');
        return;
      }
      await files.write(RENEWAL_FILE, JSON.stringify(storedInfo));
    },
  };
};
