import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import { signPdaToken } from '../../../../platform/auth/pda-token.ts';
import { createRateLimit } from '../../../../platform/limits/rate-limit.ts';
import type { SigningKey } from '../../../../platform/auth/tokens.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import { problemOf, type ExchangeClient, type ExchangeIdentity } from './client.ts';
import { isRequestDue, toExchange, registrationStateOf, retryDelayMs } from '../rules.ts';
import type { Exchange } from '../service.ts';
import type { ExchangeSettings } from './settings.ts';
import type { ExchangeStore, RegistrationRow } from '../store.ts';

const REFRESH_INTERVAL_MS = 7 * 86_400_000;
/**
 * Limit of signed proofs for all callers. A registration in progress adds an allowance, because other callers may have
 * reached the limit.
 */
const PROOFS_PER_MINUTE = 30;
const PROOFS_PER_REGISTRATION = 100;
const REGISTRATION_PROOF_WINDOW_MS = 60_000;
/** Long, because the exchange requests the proof from this PDA before it responds. */
const REGISTRATION_TIMEOUT_MS = 20_000;
/**
 * After this many failed attempts to register or leave, a refusal is taken to mean that the exchange does not know this
 * PDA.
 */
const LEAVE_ATTEMPTS_MAX = 5;

export type Registration = {
  /** Returns undefined unless this PDA participates in the exchange and is registered with its address and key. */
  identity(): ExchangeIdentity | undefined;
  row(): RegistrationRow | undefined;
  state(): ReturnType<typeof registrationStateOf>;
  /**
   * Signs a challenge as proof that this PDA owns its address. The token names the chosen exchange, so it is useless to
   * any other caller. `previous` is signed with the key that the exchange has verified, if that is an older key.
   * @throws Failure wrong_state | rate_limited
   */
  prove(challenge: string): Promise<{ token: string; previous?: string }>;
  /** Registers, refreshes or leaves when due. @param force registers and leaves even if that is not due */
  reconcile(force: boolean, signal: AbortSignal): Promise<void>;
  /** Makes a refresh due. Called after the exchange rejected this PDA's token. */
  markForRefresh(): Promise<void>;
};

export const createRegistration = (parts: {
  store: ExchangeStore;
  writer: Writer;
  client: ExchangeClient;
  settings: ExchangeSettings;
  keys: () => readonly SigningKey[];
  address: () => string | undefined;
  publish: (tx: Transaction) => void;
  clock: Clock;
  log: Log;
  random: () => number;
}): Registration => {
  const { store, writer, client, settings, clock, log, random } = parts;
  let proofAllowance: { exchange: string; until: number; proofsLeft: number } | undefined;
  const proofLimit = createRateLimit({ burst: PROOFS_PER_MINUTE, intervalMs: 60_000 / PROOFS_PER_MINUTE, clock });

  const currentKey = (): SigningKey | undefined => parts.keys().find((key) => !key.retired);
  const keyOf = (kid: string | null): SigningKey | undefined => parts.keys().find((key) => key.kid === kid);

  const row = (): RegistrationRow | undefined => {
    const exchange = settings.exchange();
    const address = parts.address();
    return store.registrations().find((entry) => entry.exchange === exchange?.url && entry.address === address);
  };

  const storeRow = (newRow: RegistrationRow): Promise<void> =>
    writer.write((tx) => {
      store.putRegistration(tx, newRow);
      parts.publish(tx);
    });

  const addFailure = (row: RegistrationRow, problem: string): RegistrationRow => {
    const attempts = row.attempts + 1;
    return { ...row, attempts, next_attempt: clock.now() + retryDelayMs(attempts, random()), problem };
  };

  const register = async (
    exchange: Exchange,
    address: string,
    existing: RegistrationRow | undefined,
    signal: AbortSignal,
  ) => {
    const key = currentKey();
    if (key === undefined) return;
    const empty = { kid: null, since: null, refreshed: null, attempts: 0, next_attempt: 0, problem: null };
    const registrationRow: RegistrationRow = existing ?? { exchange: exchange.url, address, ...empty };
    // Stored before the request: from then on the exchange may know this PDA, so leaving the exchange needs a request.
    if (existing === undefined) await storeRow(registrationRow);
    proofAllowance = {
      exchange: exchange.url,
      until: clock.now() + REGISTRATION_PROOF_WINDOW_MS,
      proofsLeft: PROOFS_PER_REGISTRATION,
    };
    const call = { method: 'POST', path: '/api/users/registerPda', body: { pdaAddress: address } } as const;
    const result = await client.call(exchange, { ...call, timeoutMs: REGISTRATION_TIMEOUT_MS, signal }).finally(() => {
      proofAllowance = undefined;
    });
    if (!result.ok && result.failure === 'aborted') return;
    const now = clock.now();
    if (result.ok && result.status === 200) {
      await storeRow({
        ...registrationRow,
        kid: key.kid,
        since: registrationRow.since ?? now,
        refreshed: now,
        attempts: 0,
        next_attempt: 0,
        problem: null,
      });
      return;
    }
    await storeRow(addFailure(registrationRow, problemOf(result)));
    log.info({ exchange: exchange.host, problem: problemOf(result) }, 'the exchange did not register this PDA');
  };

  const leave = async (existing: RegistrationRow, signal: AbortSignal): Promise<void> => {
    const exchange = toExchange(existing.exchange);
    // The key that the exchange has verified (it may be retired), and the current key.
    const candidates = [keyOf(existing.kid), currentKey()].filter((key) => key !== undefined);
    let isRefused = false;
    let problem = 'This PDA has no key yet.';
    for (const key of new Set(candidates)) {
      const identity = { address: existing.address, key };
      const result = await client.call(exchange, { method: 'DELETE', path: '/api/pdas/self', signal }, identity);
      if (!result.ok && result.failure === 'aborted') return;
      isRefused = result.ok && (result.status === 401 || result.status === 403);
      problem = problemOf(result);
      const hasLeft =
        result.ok && ((result.status >= 200 && result.status < 300) || result.status === 404 || result.status === 410);
      if (hasLeft || (isRefused && existing.attempts >= LEAVE_ATTEMPTS_MAX)) {
        await writer.write((tx) => {
          store.dropRegistration(tx, existing);
          parts.publish(tx);
        });
        return;
      }
      if (!isRefused) break;
    }
    await storeRow(addFailure(existing, problem));
  };

  return {
    row,
    identity() {
      const current = settings.participatesInExchange() ? row() : undefined;
      const key = current?.since === null ? undefined : keyOf(current?.kid ?? null);
      // A new key signs no tokens until the exchange has verified it.
      return current === undefined || key === undefined || key.retired ? undefined : { address: current.address, key };
    },
    state() {
      const exchange = settings.exchange();
      return registrationStateOf({
        participatesInExchange: settings.participatesInExchange(),
        address: parts.address(),
        current: row(),
        isKnown: store.registrations().some((entry) => entry.exchange === exchange?.url),
      });
    },

    async prove(challenge) {
      const exchange = settings.participatesInExchange() ? settings.exchange() : undefined;
      const address = parts.address();
      if (exchange === undefined || address === undefined)
        throw new Failure('wrong_state', 'This PDA uses no exchange, or has no public address.');
      if (
        proofAllowance?.exchange === exchange.url &&
        proofAllowance.proofsLeft > 0 &&
        clock.now() <= proofAllowance.until
      )
        proofAllowance.proofsLeft -= 1;
      else {
        const waitMs = proofLimit.take('');
        if (waitMs > 0)
          throw new Failure('rate_limited', 'Too many proofs were requested. Try again later.', {
            headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) },
          });
      }
      const kid = row()?.kid ?? null;
      const key = currentKey();
      if (key === undefined) throw new Failure('wrong_state', 'This PDA has no key yet.');
      const claims = { iss: address, resource: exchange.host, accessScope: 'proof', challenge };
      const previousKey = kid === key.kid ? undefined : keyOf(kid);
      return {
        token: await signPdaToken(key, claims, clock),
        ...(previousKey === undefined ? {} : { previous: await signPdaToken(previousKey, claims, clock) }),
      };
    },

    async reconcile(force, signal) {
      const exchange = settings.participatesInExchange() ? settings.exchange() : undefined;
      const address = parts.address();
      const now = clock.now();
      for (const entry of store.registrations()) {
        // Without a public address, registrations are kept, because the address may be available again later.
        const isDesired = entry.exchange === exchange?.url && (address === undefined || entry.address === address);
        if (!isDesired && (force || isRequestDue(entry.next_attempt, now))) await leave(entry, signal);
      }
      if (exchange === undefined || address === undefined) return;
      const current = row();
      const isRegistered = current !== undefined && current.since !== null && current.kid === currentKey()?.kid;
      const isFresh = isRegistered && Math.abs(now - (current.refreshed ?? 0)) < REFRESH_INTERVAL_MS;
      if (force || (!isFresh && isRequestDue(current?.next_attempt ?? 0, now)))
        await register(exchange, address, current, signal);
    },

    async markForRefresh() {
      const current = row();
      if (current !== undefined && current.refreshed !== 0) await storeRow({ ...current, refreshed: 0 });
    },
  };
};
