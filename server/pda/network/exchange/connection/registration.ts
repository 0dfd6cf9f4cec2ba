import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
import { signPdaToken } from '../../../../platform/auth/pda-token.ts';
import { createRateLimit } from '../../../../platform/limits/rate-limit.ts';
import type { SigningKey } from '../../../../platform/auth/tokens.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import { problemOf, type As, type ExchangeClient } from './client.ts';
import { exchangeAt, retryAfter, stateOf } from '../rules.ts';
import type { Exchange } from '../service.ts';
import type { Choices } from './settings.ts';
import type { ExchangeStore, RegistrationRow } from '../store.ts';

/** Milliseconds after which a registration is refreshed though nothing changed. */
const REFRESH_MS = 7 * 86_400_000;
/**
 * Proofs signed per minute, whoever asks for them. A registration that this PDA has sent has an allowance of its own, so that requests from
 * elsewhere cannot use up the proof that it waits for.
 */
const PROOFS_PER_MINUTE = 30;
const PROOFS_PER_REGISTRATION = 100;
const REGISTRATION_PROOF_WINDOW_MS = 60_000;
/** Milliseconds: the exchange calls back before it answers. */
const REGISTER_MS = 20_000;
/** Times that an exchange may refuse all our keys before we take its word that it does not know us. */
const REFUSALS = 5;

export type Registration = {
  /** As whom this PDA is registered at the exchange that the owner chose; undefined: it is not. */
  as(): As | undefined;
  row(): RegistrationRow | undefined;
  state(): ReturnType<typeof stateOf>;
  /**
   * Signs a challenge as proof that this address belongs to the holder of this PDA's key. The token names the exchange that the owner chose,
   * so it is worth nothing elsewhere, whoever asked for it. @throws Failure wrong_state | rate_limited
   */
  prove(challenge: string): Promise<{ token: string; previous?: string }>;
  /** Does what is due; `force`: also what would be tried later. */
  step(force: boolean, signal: AbortSignal): Promise<void>;
  /** The exchange does not take our token: it is told again who we are. */
  doubt(): Promise<void>;
};

export const createRegistration = (parts: {
  store: ExchangeStore;
  writer: Writer;
  client: ExchangeClient;
  choices: Choices;
  keys: () => readonly SigningKey[];
  /** host[:port] by which others reach this PDA. */
  address: () => string | undefined;
  tell: (tx: Transaction) => void;
  clock: Clock;
  log: Log;
  random: () => number;
}): Registration => {
  const { store, writer, client, choices, clock, log, random } = parts;
  /** The registration that the exchange is answering now. Kept in memory only: after a restart it is sent again. */
  let pending: { exchange: string; until: number; left: number } | undefined;
  const proofLimit = createRateLimit({ burst: PROOFS_PER_MINUTE, intervalMs: 60_000 / PROOFS_PER_MINUTE, clock });

  const currentKey = (): SigningKey | undefined => parts.keys().find((key) => !key.retired);
  const keyOf = (kid: string | null): SigningKey | undefined => parts.keys().find((key) => key.kid === kid);

  const row = (): RegistrationRow | undefined => {
    const exchange = choices.exchange();
    const address = parts.address();
    return store.registrations().find((one) => one.exchange === exchange?.url && one.address === address);
  };

  const put = (changed: RegistrationRow): Promise<void> =>
    writer.write((tx) => {
      store.putRegistration(tx, changed);
      parts.tell(tx);
    });

  const failed = (before: RegistrationRow, problem: string): RegistrationRow => {
    const attempts = before.attempts + 1;
    return { ...before, attempts, next_attempt: clock.now() + retryAfter(attempts, random()), problem };
  };

  const register = async (
    exchange: Exchange,
    address: string,
    before: RegistrationRow | undefined,
    signal: AbortSignal,
  ) => {
    const key = currentKey();
    if (key === undefined) return;
    const fresh = { kid: null, since: null, refreshed: null, attempts: 0, next_attempt: 0, problem: null };
    const known: RegistrationRow = before ?? { exchange: exchange.url, address, ...fresh };
    // Written before it is sent: from here on the exchange may know this PDA, and would have to be left.
    if (before === undefined) await put(known);
    pending = {
      exchange: exchange.url,
      until: clock.now() + REGISTRATION_PROOF_WINDOW_MS,
      left: PROOFS_PER_REGISTRATION,
    };
    const wanted = { method: 'POST', path: '/api/users/registerPda', body: { pdaAddress: address } } as const;
    const result = await client.call(exchange, { ...wanted, timeoutMs: REGISTER_MS, signal }).finally(() => {
      pending = undefined;
    });
    if (!result.ok && result.failure === 'aborted') return;
    const now = clock.now();
    if (result.ok && result.status === 200) {
      await put({
        ...known,
        kid: key.kid,
        since: known.since ?? now,
        refreshed: now,
        attempts: 0,
        next_attempt: 0,
        problem: null,
      });
      return;
    }
    await put(failed(known, problemOf(result)));
    log.info({ exchange: exchange.host, problem: problemOf(result) }, 'the exchange did not register this PDA');
  };

  const leave = async (before: RegistrationRow, signal: AbortSignal): Promise<void> => {
    const exchange = exchangeAt(before.exchange);
    // The key that it knows, also when that was replaced meanwhile.
    const candidates = [keyOf(before.kid), currentKey()].filter((key) => key !== undefined);
    let refused = false;
    let problem = 'There is no key.';
    for (const key of new Set(candidates)) {
      const as = { address: before.address, key };
      const result = await client.call(exchange, { method: 'DELETE', path: '/api/pdas/self', signal }, as);
      if (!result.ok && result.failure === 'aborted') return;
      refused = result.ok && (result.status === 401 || result.status === 403);
      problem = problemOf(result);
      const gone =
        result.ok && ((result.status >= 200 && result.status < 300) || result.status === 404 || result.status === 410);
      if (gone || (refused && before.attempts >= REFUSALS)) {
        await writer.write((tx) => {
          store.dropRegistration(tx, before);
          parts.tell(tx);
        });
        return;
      }
      if (!refused) break;
    }
    await put(failed(before, problem));
  };

  return {
    row,
    as() {
      const found = choices.takesPart() ? row() : undefined;
      const key = found?.since === null ? undefined : keyOf(found?.kid ?? null);
      // With a key that the exchange has not seen yet nothing is signed: it is told of the new one first.
      return found === undefined || key === undefined || key.retired ? undefined : { address: found.address, key };
    },
    state() {
      const exchange = choices.exchange();
      return stateOf({
        takesPart: choices.takesPart(),
        address: parts.address(),
        here: row(),
        known: store.registrations().some((one) => one.exchange === exchange?.url),
      });
    },

    async prove(challenge) {
      const exchange = choices.takesPart() ? choices.exchange() : undefined;
      const address = parts.address();
      if (exchange === undefined || address === undefined)
        throw new Failure('wrong_state', 'This PDA is not set to an exchange, or has no address for it.');
      if (pending?.exchange === exchange.url && pending.left > 0 && clock.now() <= pending.until) pending.left -= 1;
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
      const before = kid === key.kid ? undefined : keyOf(kid);
      return {
        token: await signPdaToken(key, claims, clock),
        ...(before === undefined ? {} : { previous: await signPdaToken(before, claims, clock) }),
      };
    },

    async step(force, signal) {
      const exchange = choices.takesPart() ? choices.exchange() : undefined;
      const address = parts.address();
      const now = clock.now();
      for (const one of store.registrations()) {
        // Without an address there is nothing to register by; what the exchange has may be good again tomorrow.
        const isWished = one.exchange === exchange?.url && (address === undefined || one.address === address);
        if (!isWished && (force || one.next_attempt <= now)) await leave(one, signal);
      }
      if (exchange === undefined || address === undefined) return;
      const here = row();
      const isCurrent = here !== undefined && here.since !== null && here.kid === currentKey()?.kid;
      const isFresh = isCurrent && now < (here.refreshed ?? 0) + REFRESH_MS;
      if (force || (!isFresh && (here?.next_attempt ?? 0) <= now)) await register(exchange, address, here, signal);
    },

    async doubt() {
      const here = row();
      if (here !== undefined && here.refreshed !== 0) await put({ ...here, refreshed: 0 });
    },
  };
};
