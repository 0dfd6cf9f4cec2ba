import { createSecureContext, type SecureContext } from 'node:tls';
import { z } from 'zod';
import { backoff } from '../../../../platform/async/backoff.ts';
import { isoTime, type Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import type { PdaCertificate } from '../../../../wire/exposure.ts';
import { codeOf } from '../../../../wire/values.ts';
import { openAcmeCalls, type AcmeCalls } from './acme-client.ts';
import { AcmeProblem } from './acme-error.ts';
import { PACE, type Pace } from './acme-order.ts';
import {
  AUTHORITY_BACKOFF,
  complaintOf,
  LEAST_PAUSE_MS,
  NETWORK_BACKOFF,
  NO_TRIES,
  nextTry,
  RATE_LIMIT_PAUSE_MS,
  stateOf,
  timeState,
  USELESS_PAUSE_MS,
  type Tries,
} from './rules.ts';
import { openCertificateFiles, type CertificateFiles } from './files.ts';
import { distrust, readHeld, readText, type Held } from './loaded-certificate.ts';
import { issue, ORDER_FILE } from './issuance.ts';
import { createRenewalInfo } from './renewal-info.ts';

/**
 * The certificate under which this PDA answers outside: kept in a folder, asked for where it is missing, renewed before it ends. Whatever fails, the
 * one that is there stays; where there is none that is good, visitors get none, and never plain HTTP.
 */

const CERTIFICATE_FILE = 'certificate.pem';
const TRIES_FILE = 'tries.json';
/** A look at the time, even when nothing is due: a machine that slept does not know by itself how long. */
const LOOK_MS = 60_000;
/** What OpenSSL thinks of the chain can change with the years of its authority. */
const TRUST_MS = 24 * 3_600_000;

const triesSchema = z.object({
  times: z.array(z.number()).max(20),
  failures: z.int().min(0),
  hold: z.number().nullable(),
  problem: z.string().max(2000).nullable(),
});

export type CertificateParts = {
  /** Made when it is missing; only the owner's account may look inside. */
  folder: string;
  host: string;
  /** Address of the authority's directory (RFC 8555). */
  directory: string;
  clock: Clock;
  log: Log;
  /** Certificates in PEM that are trusted beside those which everybody trusts. */
  trust?: string | undefined;
  /** Whether the owner agreed to the authority's terms: before that, nothing is asked for. */
  agreed: () => boolean;
  /** Whether the authority would find us under our name now; without it, from the first `wake` on. */
  up?: () => boolean;
  pace?: Pace;
  random?: () => number;
};

export type Certificates = {
  /** What is presented to visitors who ask for this name. */
  context(serverName: string): SecureContext | undefined;
  /** What is presented under acme-tls/1, while a challenge runs. */
  challengeContext(serverName: string): SecureContext | undefined;
  /** SHA-256 of the presented key's SubjectPublicKeyInfo, base64. */
  spki(): string | undefined;
  view(): PdaCertificate;
  /** @returns what ends it */
  onChange(listener: () => void): () => void;
  /** Reads what is there. Nothing is asked for before `wake`. @throws what the file system says of the folder */
  start(): void;
  /** The tunnel is up (again): what is due is tried now, unless the authority wants to be left alone. */
  wake(): void;
  /** Address of the authority's terms, null when it has none. @throws Failure unavailable */
  terms(): Promise<string | null>;
  close(): Promise<void>;
};

export const createCertificates = (parts: CertificateParts): Certificates => {
  const { clock, log, directory, random = Math.random } = parts;
  const host = parts.host.toLowerCase();
  const stop = new AbortController();
  const listeners = new Set<() => void>();
  let files: CertificateFiles | undefined;
  let held: Held | undefined;
  let trustSeen: number | undefined;
  let tries: Tries = NO_TRIES;
  /** Failures without the authority's doing, and when to try after them. */
  let misses = 0;
  let retry: number | undefined;
  let lastTry = -Infinity;
  let problem: string | undefined;
  let challenge: SecureContext | undefined;
  let awake = false;
  let asking = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let shown = '';

  const renewals = createRenewalInfo({ clock, log });
  const factsOf = (found: Held | undefined) => found && { ...found.facts, wish: renewals.wish(found) };

  const mayAsk = (): boolean => awake && parts.agreed() && (parts.up?.() ?? true);
  const next = (): number | undefined => nextTry(factsOf(held), tries, retry, clock.now());

  const view = (): PdaCertificate => {
    const now = clock.now();
    const facts = factsOf(held);
    const due = asking || !mayAsk() ? undefined : next();
    const unsaid = facts === undefined && !parts.agreed();
    const complaint = unsaid
      ? 'The terms of the certificate authority have not been agreed to.'
      : complaintOf(facts, now);
    const said = [complaint, problem].filter((part) => part !== undefined).join(' ');
    return {
      state: stateOf(facts, { now, asking, failed: problem !== undefined }),
      issuer: held?.issuer ?? null,
      notBefore: facts === undefined ? null : isoTime(facts.from),
      notAfter: facts === undefined ? null : isoTime(facts.until),
      problem: said === '' ? null : said,
      nextTry: due === undefined ? null : isoTime(Math.max(due, now)),
    };
  };

  /** Tells those who listen, when there is something to tell. A next try that is due at once moves with the time, and is none. */
  const changed = (): void => {
    const { nextTry: planned, ...rest } = view();
    const now = JSON.stringify([
      rest,
      planned !== null && Date.parse(planned) > clock.now() ? planned : '',
      held?.spki,
    ]);
    if (now === shown) return;
    shown = now;
    for (const listener of listeners) listener();
  };

  const remember = async (): Promise<void> =>
    files?.write(TRIES_FILE, JSON.stringify({ ...tries, problem: problem ?? null }));

  const seeTrust = async (found: Held): Promise<Held> => ({
    ...found,
    facts: { ...found.facts, untrusted: await distrust(found, host, parts.trust) },
  });

  /** @throws AcmeProblem when it is of no use, and what the file system says */
  const take = async (key: string, chain: string, store: CertificateFiles): Promise<void> => {
    const found = readHeld(key, chain, host);
    const useless = async (reason: string): Promise<never> => {
      await store.remove(ORDER_FILE);
      throw new AcmeProblem('authority', `The certificate authority gave a certificate of no use: ${reason}.`, {
        type: 'useless',
      });
    };
    if (typeof found === 'string') return useless(found);
    if (timeState(found.facts, clock.now()) === 'expired') return useless('it is good no longer');
    const seen = await seeTrust(found);
    const isGood =
      held !== undefined && held.facts.untrusted === undefined && timeState(held.facts, clock.now()) === 'good';
    const { untrusted } = seen.facts;
    if (untrusted !== undefined && isGood) return useless('nobody would trust it');
    if (isGood && timeState(found.facts, clock.now()) === 'notYet') return useless('it is not good yet');
    await store.write(CERTIFICATE_FILE, seen.text);
    held = seen;
    trustSeen = clock.now();
    await store.remove(ORDER_FILE);
    log.info({ issuer: seen.issuer, until: isoTime(seen.facts.until), untrusted }, 'there is a new certificate');
    // Taken for want of a better one, e.g. where the visitors know an authority that this machine does not.
    if (untrusted !== undefined)
      throw new AcmeProblem('authority', 'Another one is asked for in a day.', { type: 'useless' });
  };

  const failed = async (error: unknown): Promise<void> => {
    const now = clock.now();
    const told = error instanceof AcmeProblem ? error : undefined;
    const code = codeOf(error);
    problem = told?.message ?? `This machine could not ask for a certificate${code === '' ? '' : ` (${code})`}.`;
    if (told?.kind === 'authority') {
      const least = { useless: USELESS_PAUSE_MS, rateLimited: RATE_LIMIT_PAUSE_MS }[told.type ?? ''] ?? 0;
      const failures = tries.failures + 1;
      const pause = backoff(failures, { ...AUTHORITY_BACKOFF, random: random() });
      tries = { ...tries, failures, hold: now + Math.max(pause, least, told.retryAfterMs ?? 0) };
      await remember();
    } else {
      misses += 1;
      retry = now + backoff(misses, { ...NETWORK_BACKOFF, random: random() });
    }
    const details = { reason: problem, host, ...(told === undefined ? { err: error } : {}) };
    log[told === undefined ? 'error' : 'warn'](details, 'no certificate this time');
  };

  /** Something that is asked of the authority. */
  const withCalls = async <Found>(work: (calls: AcmeCalls) => Promise<Found>): Promise<Found> => {
    const calls = openAcmeCalls({ ...parts, signal: stop.signal });
    try {
      return await work(calls);
    } finally {
      await calls.close();
    }
  };

  const attempt = async (store: CertificateFiles): Promise<void> => {
    const { key, chain } = await withCalls((calls) =>
      issue({
        calls,
        files: store,
        directory,
        host,
        begin: async () => {
          tries = { ...tries, times: [...tries.times, clock.now()].slice(-10) };
          // On the disk before the authority hears of it: also who is started again and again must not ask again and again.
          await remember();
        },
        present: ({ cert, key: mine }) => {
          const context = createSecureContext({ cert, key: mine });
          challenge = context;
          return () => {
            if (challenge === context) challenge = undefined;
          };
        },
        signal: stop.signal,
        pace: parts.pace ?? PACE,
        log,
      }),
    );
    await take(key, chain, store);
    problem = undefined;
    retry = undefined;
    misses = 0;
    tries = { ...tries, failures: 0, hold: null };
    await remember();
  };

  const step = async (store: CertificateFiles): Promise<void> => {
    const now = clock.now();
    if (held !== undefined && (trustSeen === undefined || Math.abs(now - trustSeen) > TRUST_MS)) {
      trustSeen = now;
      held = await seeTrust(held);
    }
    const shownNow = held;
    if (shownNow !== undefined && mayAsk() && timeState(shownNow.facts, now) === 'good' && renewals.isDue(shownNow))
      await withCalls((calls) => renewals.look(shownNow, calls, store));
    const due = mayAsk() ? next() : undefined;
    if (due === undefined || due > clock.now()) return;
    asking = true;
    lastTry = clock.now();
    changed();
    try {
      await attempt(store);
      asking = false;
    } catch (error) {
      asking = false;
      if (!stop.signal.aborted) await failed(error);
    }
  };

  const schedule = (): void => {
    clearTimeout(timer);
    if (stop.signal.aborted || running !== undefined) return;
    const due = mayAsk() ? next() : undefined;
    const wait = due === undefined ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, due - clock.now()));
    timer = setTimeout(look, wait);
    timer.unref();
  };

  const look = (): void => {
    if (stop.signal.aborted || running !== undefined || files === undefined) return;
    running = step(files)
      .catch((error: unknown) => {
        misses += 1;
        retry = clock.now() + backoff(misses, { ...NETWORK_BACKOFF, random: random() });
        log.error({ err: error }, 'looking after the certificate failed');
      })
      .finally(() => {
        running = undefined;
        if (!stop.signal.aborted) changed();
        schedule();
      });
  };

  /** A certificate that is damaged, or of another name, is as good as none. */
  const load = (store: CertificateFiles): void => {
    const text = store.read(CERTIFICATE_FILE);
    const found = text === undefined ? undefined : readText(text, host);
    if (typeof found === 'string') log.warn({ reason: found }, 'the certificate in the folder is not used');
    else held = found;
    renewals.load(store);
    const noted = store.read(TRIES_FILE);
    if (noted === undefined) return;
    try {
      const { problem: last, ...found } = triesSchema.parse(JSON.parse(noted));
      tries = found;
      problem = last ?? undefined;
    } catch {
      log.warn({ file: TRIES_FILE }, 'a file beside the certificate is damaged and is made anew');
    }
  };

  return {
    context: (name) => (name.toLowerCase() === host ? held?.context : undefined),
    challengeContext: (name) => (name.toLowerCase() === host ? challenge : undefined),
    spki: () => held?.spki,
    view,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (files !== undefined) return;
      files = openCertificateFiles(parts.folder, log);
      load(files);
      look();
    },
    wake() {
      awake = true;
      // What stood in the way may be gone with the old connection.
      if (retry !== undefined) retry = Math.min(retry, lastTry + LEAST_PAUSE_MS);
      look();
      schedule();
      changed();
    },
    async terms() {
      try {
        return await withCalls(async (calls) => (await calls.directory()).meta?.termsOfService ?? null);
      } catch (error) {
        if (error instanceof AcmeProblem) throw new Failure('unavailable', error.message);
        throw error;
      }
    },
    async close() {
      stop.abort();
      clearTimeout(timer);
      await running;
      listeners.clear();
    },
  };
};
