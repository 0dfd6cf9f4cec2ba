import 'reflect-metadata';
import { AuthorityKeyIdentifierExtension, X509Certificate } from '@peculiar/x509';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { AcmeClient } from './acme-client.ts';
import { AcmeProblem } from './acme-error.ts';
import type { CertificateFiles } from './files.ts';
import type { LoadedCertificate } from './loaded-certificate.ts';

/**
 * ACME Renewal Information (RFC 9773): the window in which the authority suggests to replace a certificate. A revoked
 * certificate has a window in the past. The window is requested a few times a day, applied only if it is earlier than
 * the regular renewal, and stored, so that restarts do not cause more requests.
 */

const RENEWAL_FILE = 'renewal.json';
const HOUR_MS = 3_600_000;
/** Bounds of the milliseconds between two requests, and the pause after a failed request. */
const REQUEST_INTERVAL_MIN_MS = 6 * HOUR_MS;
const REQUEST_INTERVAL_MAX_MS = 24 * HOUR_MS;
const FAILURE_PAUSE_MS = HOUR_MS;
/** Minimum milliseconds for which each certificate is used, so that an authority cannot demand continuous renewals. */
const USE_MIN_MS = 24 * HOUR_MS;

const windowSchema = z.object({ from: z.number(), until: z.number() });
const storedSchema = z.object({ id: z.string(), window: windowSchema.nullable(), next: z.number() });
type StoredInfo = z.infer<typeof storedSchema>;

const timeSchema = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const responseSchema = z.object({ suggestedWindow: z.object({ start: timeSchema, end: timeSchema }) });

/**
 * Returns the identifier of a certificate (RFC 9773, section 4.1): authority key identifier and serial number;
 * undefined if it has no key identifier.
 */
export const renewalIdOf = (certificate: Buffer): string | undefined => {
  try {
    const parsed = new X509Certificate(new Uint8Array(certificate));
    const key = parsed.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
    if (key === undefined) return undefined;
    // DER has a zero byte before a leading set bit. The library omits it.
    const serial = /^[89a-f]/iu.test(parsed.serialNumber) ? `00${parsed.serialNumber}` : parsed.serialNumber;
    return [key, serial].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
  } catch {
    // The library cannot parse it. Then the certificate is renewed at its regular time only.
    return undefined;
  }
};

/** Renewal that the authority suggests. */
export type SuggestedRenewal = {
  /** Time from which the certificate should be replaced (Unix milliseconds). */
  replaceFrom: number;
  /** True if the suggested window has passed. */
  isOverdue: boolean;
};

/** Creates the store of renewal information. */
export const createRenewalInfo = ({ clock, log }: { clock: Clock; log: Log }) => {
  let storedInfo: StoredInfo | undefined;
  /** Time of the next request after a failed request (Unix milliseconds). */
  let retryAt = 0;

  const windowOf = ({ renewalId }: LoadedCertificate) =>
    renewalId === undefined || storedInfo?.id !== renewalId ? undefined : (storedInfo.window ?? undefined);

  const nextRequestAt = ({ renewalId, facts }: LoadedCertificate, now: number): number => {
    // A new certificate needs no information yet. Times too far in the future were stored under a wrong clock.
    const next =
      storedInfo !== undefined && storedInfo.id === renewalId ? storedInfo.next : facts.from + REQUEST_INTERVAL_MIN_MS;
    return Math.max(next > now + REQUEST_INTERVAL_MAX_MS ? 0 : next, retryAt > now + FAILURE_PAUSE_MS ? 0 : retryAt);
  };

  return {
    /** Reads the stored information. */
    load(files: CertificateFiles): void {
      const text = files.read(RENEWAL_FILE);
      try {
        storedInfo = text === undefined ? undefined : storedSchema.parse(JSON.parse(text));
      } catch {
        log.warn({ file: RENEWAL_FILE }, 'replacing a damaged file in the certificates folder');
      }
    },

    /** Returns the renewal that the authority suggests for this certificate; undefined if none is known. */
    suggestedRenewal(certificate: LoadedCertificate): SuggestedRenewal | undefined {
      const window = windowOf(certificate);
      if (window === undefined) return undefined;
      const { from, until } = window;
      // A constant random time within the window, so that the authority's certificates are not all replaced at once.
      const chosenTime = from + (until - from) * certificate.facts.jitter;
      return {
        replaceFrom: Math.max(chosenTime, certificate.facts.from + USE_MIN_MS),
        isOverdue: until <= clock.now(),
      };
    },

    /** Returns true if the information should be requested now. */
    isRequestDue: (certificate: LoadedCertificate): boolean =>
      certificate.renewalId !== undefined && nextRequestAt(certificate, clock.now()) <= clock.now(),

    /** Requests the information and stores it. A failed request changes nothing. @throws file system errors */
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
