import { createSecureContext, type SecureContext } from 'node:tls';
import { z } from 'zod';
import { backoffMsOf } from '../../../../platform/async/backoff.ts';
import { isoTime, isoTimeOrNull, type Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import type { PdaCertificate } from '../../../../wire/exposure.ts';
import { codeOf } from '../../../../wire/values.ts';
import type { CertificateManager } from '../service.ts';
import { createAcmeClient, type AcmeClient } from './acme-client.ts';
import { AcmeProblem } from './acme-error.ts';
import { DEFAULT_POLLING, type PollingOptions } from './acme-order.ts';
import {
  ATTEMPT_PAUSE_MIN_MS,
  AUTHORITY_BACKOFF,
  certificateProblemOf,
  certificateStateOf,
  NETWORK_BACKOFF,
  nextAttemptAt,
  NO_ATTEMPTS,
  RATE_LIMIT_PAUSE_MS,
  UNUSABLE_PAUSE_MS,
  validityOf,
  type AttemptHistory,
} from './rules.ts';
import { openCertificateFiles, type CertificateFiles } from './files.ts';
import {
  findTrustProblem,
  loadCertificate,
  loadCertificateFile,
  type LoadedCertificate,
} from './loaded-certificate.ts';
import { issueCertificate, ORDER_FILE } from './issuance.ts';
import { createRenewalInfo } from './renewal-info.ts';

/** Contains the key and the chain, so that they always match. */
const CERTIFICATE_FILE = 'certificate.pem';
const ATTEMPTS_FILE = 'tries.json';
/** Checks also run when no attempt is due, because timers do not run while the computer sleeps. */
const CHECK_INTERVAL_MS = 60_000;
/** A chain can become untrusted later, for example when a certificate of the authority expires. */
const TRUST_CHECK_INTERVAL_MS = 24 * 3_600_000;

const attemptsSchema = z.object({
  times: z.array(z.number()).max(20),
  failures: z.int().min(0),
  hold: z.number().nullable(),
  problem: z.string().max(2000).nullable(),
});

export type CertificateParts = {
  folder: string;
  host: string;
  directory: string;
  clock: Clock;
  log: Log;
  /** PEM certificates that are trusted in addition to the public authorities. */
  trust?: string | undefined;
  hasAgreed: () => boolean;
  /** Returns true if the authority can reach this PDA by its name. Default: always true. Not called before `wake`. */
  isReachable?: () => boolean;
  polling?: PollingOptions;
  random?: () => number;
};

export const createCertificateManager = (parts: CertificateParts): CertificateManager => {
  const { clock, log, directory, random = Math.random } = parts;
  const host = parts.host.toLowerCase();
  const abortController = new AbortController();
  const listeners = new Set<() => void>();
  let files: CertificateFiles | undefined;
  let certificate: LoadedCertificate | undefined;
  let trustCheckedAt: number | undefined;
  let attempts: AttemptHistory = NO_ATTEMPTS;
  /** Number of consecutive failures that the authority did not cause but, for example, an unreachable network. */
  let networkFailures = 0;
  /** Earliest time of the next attempt after these failures. */
  let retryAt: number | undefined;
  let lastAttemptAt = -Infinity;
  let problem: string | undefined;
  let challenge: SecureContext | undefined;
  let isAwake = false;
  let isRequesting = false;
  let currentUpdate: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let announcedView = '';

  const renewals = createRenewalInfo({ clock, log });
  const factsOf = (loadedCertificate: LoadedCertificate | undefined) =>
    loadedCertificate && { ...loadedCertificate.facts, suggestedRenewal: renewals.suggestedRenewal(loadedCertificate) };

  const mayRequest = (): boolean => isAwake && parts.hasAgreed() && (parts.isReachable?.() ?? true);
  const nextAttempt = (): number | undefined =>
    mayRequest() ? nextAttemptAt(factsOf(certificate), attempts, retryAt, clock.now()) : undefined;

  const view = (): PdaCertificate => {
    const now = clock.now();
    const facts = factsOf(certificate);
    const nextAttemptTime = isRequesting ? undefined : nextAttempt();
    const needsAgreement = facts === undefined && !parts.hasAgreed();
    const certificateProblem = needsAgreement
      ? 'The terms of the certificate authority have not been agreed to.'
      : certificateProblemOf(facts, now);
    const problems = [certificateProblem, problem].filter((part) => part !== undefined).join(' ');
    return {
      state: certificateStateOf(facts, { now, isRequesting, hasFailed: problem !== undefined }),
      issuer: certificate?.issuer ?? null,
      notBefore: isoTimeOrNull(facts?.from),
      notAfter: isoTimeOrNull(facts?.until),
      problem: problems === '' ? null : problems,
      nextTry: nextAttemptTime === undefined ? null : isoTime(Math.max(nextAttemptTime, now)),
    };
  };

  /** Notifies the listeners of a changed view or key. Ignores a planned time that has passed. */
  const notify = (): void => {
    const { nextTry: plannedTime, ...viewWithoutTime } = view();
    const currentView = JSON.stringify([
      viewWithoutTime,
      plannedTime !== null && Date.parse(plannedTime) > clock.now() ? plannedTime : '',
      certificate?.spki,
    ]);
    if (currentView === announcedView) return;
    announcedView = currentView;
    for (const listener of listeners) listener();
  };

  const storeAttempts = async (): Promise<void> =>
    files?.write(ATTEMPTS_FILE, JSON.stringify({ ...attempts, problem: problem ?? null }));

  const checkTrust = async (loadedCertificate: LoadedCertificate): Promise<LoadedCertificate> => ({
    ...loadedCertificate,
    facts: { ...loadedCertificate.facts, trustProblem: await findTrustProblem(loadedCertificate, host, parts.trust) },
  });

  const install = async (key: string, chain: string, store: CertificateFiles): Promise<void> => {
    const loadedCertificate = loadCertificate(key, chain, host);
    const reject = async (reason: string): Promise<never> => {
      await store.remove(ORDER_FILE);
      throw new AcmeProblem('authority', `The certificate authority issued an unusable certificate: ${reason}.`, {
        type: 'unusable',
      });
    };
    if (typeof loadedCertificate === 'string') return reject(loadedCertificate);
    if (validityOf(loadedCertificate.facts, clock.now()) === 'expired') return reject('it has expired');
    const issuedCertificate = await checkTrust(loadedCertificate);
    const hasGoodCertificate =
      certificate !== undefined &&
      certificate.facts.trustProblem === undefined &&
      validityOf(certificate.facts, clock.now()) === 'good';
    const { trustProblem } = issuedCertificate.facts;
    if (trustProblem !== undefined && hasGoodCertificate) return reject('browsers would not trust it');
    if (hasGoodCertificate && validityOf(loadedCertificate.facts, clock.now()) === 'notYet')
      return reject('it is not valid yet');
    await store.write(CERTIFICATE_FILE, issuedCertificate.text);
    certificate = issuedCertificate;
    trustCheckedAt = clock.now();
    await store.remove(ORDER_FILE);
    log.info(
      { issuer: issuedCertificate.issuer, until: isoTime(issuedCertificate.facts.until), trustProblem },
      'new certificate installed',
    );
    // Without a better certificate, an untrusted one is presented: clients may trust an authority that this computer
    // does not trust.
    if (trustProblem !== undefined)
      throw new AcmeProblem('authority', 'Another certificate will be requested later.', { type: 'unusable' });
  };

  const handleFailure = async (error: unknown): Promise<void> => {
    const now = clock.now();
    const acmeProblem = error instanceof AcmeProblem ? error : undefined;
    const code = codeOf(error);
    problem =
      acmeProblem?.message ?? `This computer could not request a certificate${code === '' ? '' : ` (${code})`}.`;
    if (acmeProblem?.kind === 'authority') {
      const minimum = { unusable: UNUSABLE_PAUSE_MS, rateLimited: RATE_LIMIT_PAUSE_MS }[acmeProblem.type ?? ''] ?? 0;
      const failures = attempts.failures + 1;
      const pauseMs = backoffMsOf(failures, { ...AUTHORITY_BACKOFF, random: random() });
      attempts = { ...attempts, failures, hold: now + Math.max(pauseMs, minimum, acmeProblem.retryAfterMs ?? 0) };
      await storeAttempts();
    } else {
      networkFailures += 1;
      retryAt = now + backoffMsOf(networkFailures, { ...NETWORK_BACKOFF, random: random() });
    }
    const details = { reason: problem, host, ...(acmeProblem === undefined ? { err: error } : {}) };
    log[acmeProblem === undefined ? 'error' : 'warn'](details, 'requesting a certificate failed');
  };

  const withClient = async <Result>(work: (client: AcmeClient) => Promise<Result>): Promise<Result> => {
    const client = createAcmeClient({ ...parts, signal: abortController.signal });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  };

  const attempt = async (store: CertificateFiles): Promise<void> => {
    const { key, chain } = await withClient((client) =>
      issueCertificate({
        client,
        files: store,
        directory,
        host,
        onBegin: async () => {
          attempts = { ...attempts, times: [...attempts.times, clock.now()].slice(-10) };
          // The attempt is stored before it begins, so that the hourly limit also applies after a crash.
          await storeAttempts();
        },
        present: ({ cert, key: challengeKey }) => {
          const context = createSecureContext({ cert, key: challengeKey });
          challenge = context;
          return () => {
            if (challenge === context) challenge = undefined;
          };
        },
        signal: abortController.signal,
        polling: parts.polling ?? DEFAULT_POLLING,
        log,
      }),
    );
    await install(key, chain, store);
    problem = undefined;
    retryAt = undefined;
    networkFailures = 0;
    attempts = { ...attempts, failures: 0, hold: null };
    await storeAttempts();
  };

  const update = async (store: CertificateFiles): Promise<void> => {
    const now = clock.now();
    if (
      certificate !== undefined &&
      (trustCheckedAt === undefined || Math.abs(now - trustCheckedAt) > TRUST_CHECK_INTERVAL_MS)
    ) {
      trustCheckedAt = now;
      certificate = await checkTrust(certificate);
    }
    const currentCertificate = certificate;
    if (
      currentCertificate !== undefined &&
      mayRequest() &&
      validityOf(currentCertificate.facts, now) === 'good' &&
      renewals.isRequestDue(currentCertificate)
    )
      await withClient((client) => renewals.update(currentCertificate, client, store));
    const nextAttemptTime = nextAttempt();
    if (nextAttemptTime === undefined || nextAttemptTime > clock.now()) return;
    isRequesting = true;
    lastAttemptAt = clock.now();
    notify();
    try {
      await attempt(store);
      isRequesting = false;
    } catch (error) {
      isRequesting = false;
      if (!abortController.signal.aborted) await handleFailure(error);
    }
  };

  const schedule = (): void => {
    clearTimeout(timer);
    if (abortController.signal.aborted || currentUpdate !== undefined) return;
    const nextAttemptTime = nextAttempt();
    const waitMs =
      nextAttemptTime === undefined
        ? CHECK_INTERVAL_MS
        : Math.min(CHECK_INTERVAL_MS, Math.max(0, nextAttemptTime - clock.now()));
    timer = setTimeout(runUpdate, waitMs);
    timer.unref();
  };

  const runUpdate = (): void => {
    if (abortController.signal.aborted || currentUpdate !== undefined || files === undefined) return;
    currentUpdate = update(files)
      .catch((error: unknown) => {
        networkFailures += 1;
        retryAt = clock.now() + backoffMsOf(networkFailures, { ...NETWORK_BACKOFF, random: random() });
        log.error({ err: error }, 'managing the certificate failed');
      })
      .finally(() => {
        currentUpdate = undefined;
        if (!abortController.signal.aborted) notify();
        schedule();
      });
  };

  const load = (store: CertificateFiles): void => {
    const text = store.read(CERTIFICATE_FILE);
    const loadedCertificate = text === undefined ? undefined : loadCertificateFile(text, host);
    if (typeof loadedCertificate === 'string')
      log.warn({ reason: loadedCertificate }, 'the certificate in the folder is not used');
    else certificate = loadedCertificate;
    renewals.load(store);
    const storedAttempts = store.read(ATTEMPTS_FILE);
    if (storedAttempts === undefined) return;
    try {
      const { problem: lastProblem, ...history } = attemptsSchema.parse(JSON.parse(storedAttempts));
      attempts = history;
      problem = lastProblem ?? undefined;
    } catch {
      log.warn({ file: ATTEMPTS_FILE }, 'ignoring a damaged file in the certificates folder');
    }
  };

  return {
    context: (name) => (name.toLowerCase() === host ? certificate?.context : undefined),
    challengeContext: (name) => (name.toLowerCase() === host ? challenge : undefined),
    spki: () => certificate?.spki,
    view,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (files !== undefined) return;
      files = openCertificateFiles(parts.folder, log);
      load(files);
      runUpdate();
    },
    wake() {
      isAwake = true;
      // The new connection may have removed the cause of the last failure.
      if (retryAt !== undefined) retryAt = Math.min(retryAt, lastAttemptAt + ATTEMPT_PAUSE_MIN_MS);
      runUpdate();
      schedule();
      notify();
    },
    async terms() {
      try {
        return await withClient(async (client) => (await client.directory()).meta?.termsOfService ?? null);
      } catch (error) {
        if (error instanceof AcmeProblem) throw new Failure('unavailable', error.message);
        throw error;
      }
    },
    async close() {
      abortController.abort();
      clearTimeout(timer);
      await currentUpdate;
      listeners.clear();
    },
  };
};
