import 'reflect-metadata';
import { AuthorityKeyIdentifierExtension, X509Certificate } from '@peculiar/x509';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { AcmeCalls } from './acme-client.ts';
import { AcmeProblem } from './acme-error.ts';
import type { CertificateFiles } from './files.ts';
import type { Held } from './loaded-certificate.ts';

/**
 * When the authority would have a certificate replaced (ACME Renewal Information, RFC 9773). It is how one hears that a certificate was revoked: its time is
 * over then. Asked a few times a day, believed only where it wants a renewal earlier, and remembered, so that a new start asks no sooner.
 */

const RENEWAL_FILE = 'renewal.json';
const HOUR = 3_600_000;
/** Milliseconds between two looks, whatever the authority says; and after one that came to nothing. */
const LEAST_PAUSE_MS = 6 * HOUR;
const LONGEST_PAUSE_MS = 24 * HOUR;
const FAILED_PAUSE_MS = HOUR;
/** Milliseconds that each certificate is good for us at least: one that finds fault with all of its own is not worked for. */
const LEAST_LIFE_MS = 24 * HOUR;

const windowSchema = z.object({ from: z.number(), until: z.number() });
const noteSchema = z.object({ id: z.string(), window: windowSchema.nullable(), next: z.number() });
type Note = z.infer<typeof noteSchema>;

const time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const answerSchema = z.object({ suggestedWindow: z.object({ start: time, end: time }) });

/** By what the authority knows a certificate (RFC 9773, 4.1): its own key and the serial number; undefined where it does not say its key. */
export const renewalIdOf = (certificate: Buffer): string | undefined => {
  try {
    const parsed = new X509Certificate(new Uint8Array(certificate));
    const key = parsed.getExtension(AuthorityKeyIdentifierExtension)?.keyId;
    if (key === undefined) return undefined;
    // As in DER: the library leaves out the zero byte before a first bit that is set.
    const serial = /^[89a-f]/iu.test(parsed.serialNumber) ? `00${parsed.serialNumber}` : parsed.serialNumber;
    return [key, serial].map((hex) => Buffer.from(hex, 'hex').toString('base64url')).join('.');
  } catch {
    // One that is not written as all others are: then it is replaced when its own time comes.
    return undefined;
  }
};

export type RenewalWish = {
  /** Unix milliseconds from which on it is to be replaced. */
  replaceFrom: number;
  /** All of the time for it is over. */
  isOverdue: boolean;
};

export const createRenewalInfo = ({ clock, log }: { clock: Clock; log: Log }) => {
  let note: Note | undefined;
  /** Unix milliseconds: not before, after a look that failed. */
  let retry = 0;

  const windowOf = ({ renewalId }: Held) =>
    renewalId === undefined || note?.id !== renewalId ? undefined : (note.window ?? undefined);

  const nextLook = ({ renewalId, facts }: Held, now: number): number => {
    // A new one has no need of it yet. What lies too far ahead was noted under a clock that was wrong.
    const next = note !== undefined && note.id === renewalId ? note.next : facts.from + LEAST_PAUSE_MS;
    return Math.max(next > now + LONGEST_PAUSE_MS ? 0 : next, retry > now + FAILED_PAUSE_MS ? 0 : retry);
  };

  return {
    load(files: CertificateFiles): void {
      const text = files.read(RENEWAL_FILE);
      try {
        note = text === undefined ? undefined : noteSchema.parse(JSON.parse(text));
      } catch {
        log.warn({ file: RENEWAL_FILE }, 'a file beside the certificate is damaged and is made anew');
      }
    },

    /** What the authority wants of this certificate; undefined: nothing, as far as is known. */
    wish(held: Held): RenewalWish | undefined {
      const found = windowOf(held);
      if (found === undefined) return undefined;
      const { from, until } = found;
      // Chance decides where in that time, the same each time it is looked at: all its certificates are not replaced at once.
      const chosen = from + (until - from) * held.facts.jitter;
      return {
        replaceFrom: Math.max(chosen, held.facts.from + LEAST_LIFE_MS),
        isOverdue: until <= clock.now(),
      };
    },

    isDue: (held: Held): boolean => held.renewalId !== undefined && nextLook(held, clock.now()) <= clock.now(),

    /** Asks the authority. What it does not answer changes nothing. @throws what the file system says */
    async look(held: Held, calls: AcmeCalls, files: CertificateFiles): Promise<void> {
      const id = held.renewalId;
      if (id === undefined) return;
      const now = clock.now();
      retry = now + FAILED_PAUSE_MS;
      try {
        const { renewalInfo } = await calls.directory();
        let pause = LONGEST_PAUSE_MS;
        let window: Note['window'] = null;
        if (renewalInfo !== undefined) {
          const answer = await calls.get(`${renewalInfo}/${id}`);
          const { start, end } = calls.read(answerSchema, answer).suggestedWindow;
          if (!(end > start))
            throw new AcmeProblem('authority', 'The certificate authority wants a time that is none.');
          window = { from: start, until: end };
          pause = Math.min(LONGEST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, answer.retryAfterMs ?? 0));
        }
        note = { id, window, next: now + pause };
      } catch (error) {
        if (!(error instanceof AcmeProblem)) throw error;
        log.info({ reason: error.message }, 'the authority did not say when it wants the certificate replaced');
        return;
      }
      await files.write(RENEWAL_FILE, JSON.stringify(note));
    },
  };
};
