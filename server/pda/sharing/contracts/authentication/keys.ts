import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { SafeFetch } from '../../../../platform/outbound/safe-fetch.ts';
import type { Writer } from '../../../storage/index.ts';
import type { ContractStore } from '../store.ts';

/** Minimum milliseconds between two fetches of the keys, so that invented key ids cannot make the PDA send more requests. */
const LOOK_INTERVAL_MS = 20_000;
/** Milliseconds after which they are looked at although nothing is missing: one that was taken away is to be forgotten. */
const LOOK_AGAIN_MS = 3_600_000;
const TIMEOUT_MS = 5000;
const MAX_BYTES = 200_000;
const MAX_KEYS = 50;

/** Public RSA keys that sign; whatever else is in the set is not for us. */
const keySchema = z.object({
  kty: z.literal('RSA'),
  kid: z.string().min(1).max(200),
  n: z.string().max(2000),
  e: z.string().max(20),
  use: z.literal('sig').optional(),
  alg: z.literal('RS256').optional(),
});
const keysSchema = z.object({ keys: z.array(z.unknown()).max(MAX_KEYS) });

type PublicKey = z.infer<typeof keySchema>;

/** Node takes a JWK by its members; anything else in them is left out by the schema. */
const keyObject = ({ kty, n, e }: PublicKey): KeyObject | undefined => {
  const jwk: JsonWebKey = { kty, n, e };
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return bits >= 2048 && bits <= 8192 ? key : undefined;
  } catch {
    // Every way for a key to be no key has one answer.
    return undefined;
  }
};

const readKeys = (body: string): PublicKey[] => {
  const set = keysSchema.safeParse(JSON.parse(body)).data?.keys ?? [];
  return set.flatMap((entry) => {
    const key = keySchema.safeParse(entry).data;
    return key === undefined || keyObject(key) === undefined ? [] : [key];
  });
};

/** The keys of the contracts service: kept in the database, so that its tokens are known while it cannot be reached. */
export const createContractKeys = (parts: {
  store: ContractStore;
  writer: Writer;
  safeFetch: SafeFetch;
  clock: Clock;
  log: Log;
}) => {
  const { store, writer, safeFetch, clock, log } = parts;
  let known: { service: string; keys: ReadonlyMap<string, KeyObject>; text: string; fetched: number } | undefined;
  let lastLook: { service: string; at: number } | undefined;
  let looking: Promise<void> | undefined;
  const changeListeners: (() => void)[] = [];

  const keep = (service: string, text: string, fetched: number): void => {
    const changed = known?.service !== service || known.text !== text;
    const keys = new Map<string, KeyObject>();
    for (const key of z.array(keySchema).parse(JSON.parse(text))) {
      const object = keyObject(key);
      if (object !== undefined) keys.set(key.kid, object);
    }
    known = { service, keys, text, fetched };
    if (!changed) return;
    for (const listener of changeListeners) listener();
  };

  const load = (service: string): void => {
    if (known?.service === service) return;
    const row = store.keysOf(service);
    keep(service, row?.keys ?? '[]', row?.fetched ?? 0);
  };

  const fetchKeys = async (service: string): Promise<void> => {
    const answer = await safeFetch(`${service}/.well-known/jwks.json`, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    const problem = answer.ok ? (answer.status === 200 ? undefined : `it answered ${answer.status}`) : answer.cause;
    if (!answer.ok || problem !== undefined) {
      log.warn({ problem }, 'the keys of the contracts service could not be read; those that are known go on');
      return;
    }
    const keys = readKeys(answer.body.toString());
    if (keys.length === 0) {
      log.warn('the contracts service shows no key that can be used; those that are known go on');
      return;
    }
    const text = JSON.stringify(keys);
    const now = clock.now();
    await writer.write((tx) => store.setKeys(tx, service, text, now));
    keep(service, text, now);
  };

  /** At most one look at a time, and one per interval. Never rejects. */
  const look = (service: string): Promise<void> => {
    if (looking !== undefined) return looking;
    const now = clock.now();
    const recently = lastLook?.service === service && Math.abs(now - lastLook.at) < LOOK_INTERVAL_MS;
    if (recently) return Promise.resolve();
    lastLook = { service, at: now };
    looking = fetchKeys(service)
      .catch((error: unknown) => log.warn({ err: error }, 'the keys of the contracts service could not be read'))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };

  return {
    /** The key with this id; asked for at the service when it is not known. */
    async find(service: string, kid: string): Promise<KeyObject | undefined> {
      load(service);
      const found = known?.keys.get(kid);
      if (found !== undefined) {
        // What is known goes on meanwhile.
        if (clock.now() - (known?.fetched ?? 0) > LOOK_AGAIN_MS) void look(service);
        return found;
      }
      await look(service);
      load(service);
      return known?.keys.get(kid);
    },
    /** Registers a listener that is called when the keys have changed. */
    onChange: (listener: () => void): void => void changeListeners.push(listener),
    /** Waits for a look that is under way. */
    close: async (): Promise<void> => {
      await looking;
    },
  };
};

export type ContractKeys = ReturnType<typeof createContractKeys>;
