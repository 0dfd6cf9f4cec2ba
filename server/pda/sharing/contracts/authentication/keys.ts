import { createPublicKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { SafeFetch } from '../../../../platform/outbound/safe-fetch.ts';
import type { Writer } from '../../../storage/index.ts';
import type { ContractStore } from '../store.ts';

/** Minimum milliseconds between two fetches, so that invented key ids cannot make the PDA send many requests. */
const MIN_FETCH_INTERVAL_MS = 20_000;
/** Age after which keys are fetched again, so that the PDA stops accepting removed keys. */
const REFRESH_AGE_MS = 3_600_000;
const FETCH_TIMEOUT_MS = 5000;
const KEY_SET_MAX_BYTES = 200_000;
const MAX_KEYS = 50;
const KEY_MIN_BITS = 2048;
const KEY_MAX_BITS = 8192;

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

/** Returns undefined if the key is invalid or has an unsupported size. */
const toKeyObject = ({ kty, n, e }: PublicKey): KeyObject | undefined => {
  try {
    const key = createPublicKey({ key: { kty, n, e }, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return bits >= KEY_MIN_BITS && bits <= KEY_MAX_BITS ? key : undefined;
  } catch {
    return undefined;
  }
};

const parseKeys = (body: string): PublicKey[] => {
  const entries = keysSchema.safeParse(JSON.parse(body)).data?.keys ?? [];
  return entries.flatMap((entry) => {
    const key = keySchema.safeParse(entry).data;
    return key === undefined || toKeyObject(key) === undefined ? [] : [key];
  });
};

/**
 * Caches the keys of the contracts service in the database, so that tokens can be verified while the service is
 * unreachable.
 */
export const createContractKeys = (parts: {
  store: ContractStore;
  writer: Writer;
  safeFetch: SafeFetch;
  clock: Clock;
  log: Log;
}) => {
  const { store, writer, safeFetch, clock, log } = parts;
  let keySet: { service: string; keys: ReadonlyMap<string, KeyObject>; text: string; fetched: number } | undefined;
  let lastFetch: { service: string; time: number } | undefined;
  let currentFetch: Promise<void> | undefined;
  const changeListeners: (() => void)[] = [];

  const setKeySet = (service: string, text: string, fetched: number): void => {
    const hasChanged = keySet?.service !== service || keySet.text !== text;
    const keys = new Map<string, KeyObject>();
    for (const key of z.array(keySchema).parse(JSON.parse(text))) {
      const keyObject = toKeyObject(key);
      if (keyObject !== undefined) keys.set(key.kid, keyObject);
    }
    keySet = { service, keys, text, fetched };
    if (!hasChanged) return;
    for (const listener of changeListeners) listener();
  };

  const load = (service: string): void => {
    if (keySet?.service === service) return;
    const row = store.keysOf(service);
    setKeySet(service, row?.keys ?? '[]', row?.fetched ?? 0);
  };

  const fetchKeys = async (service: string): Promise<void> => {
    const response = await safeFetch(`${service}/.well-known/jwks.json`, {
      timeoutMs: FETCH_TIMEOUT_MS,
      maxBytes: KEY_SET_MAX_BYTES,
    });
    const problem = response.ok ? (response.status === 200 ? undefined : `status ${response.status}`) : response.cause;
    if (!response.ok || problem !== undefined) {
      log.warn({ problem }, 'the keys of the contracts service could not be read; the known keys stay valid');
      return;
    }
    const keys = parseKeys(response.body.toString());
    if (keys.length === 0) {
      log.warn('the contracts service has no usable key; the known keys stay valid');
      return;
    }
    const text = JSON.stringify(keys);
    const now = clock.now();
    await writer.write((tx) => store.setKeys(tx, service, text, now));
    setKeySet(service, text, now);
  };

  /** Fetches the keys once for concurrent callers, and at most once per interval. Never rejects. */
  const refresh = (service: string): Promise<void> => {
    if (currentFetch !== undefined) return currentFetch;
    const now = clock.now();
    const isRecent = lastFetch?.service === service && Math.abs(now - lastFetch.time) < MIN_FETCH_INTERVAL_MS;
    if (isRecent) return Promise.resolve();
    lastFetch = { service, time: now };
    currentFetch = fetchKeys(service)
      .catch((error: unknown) => log.warn({ err: error }, 'the keys of the contracts service could not be read'))
      .finally(() => {
        currentFetch = undefined;
      });
    return currentFetch;
  };

  return {
    async find(service: string, kid: string): Promise<KeyObject | undefined> {
      load(service);
      const key = keySet?.keys.get(kid);
      if (key !== undefined) {
        // The known key remains valid while the keys are refreshed in the background.
        if (Math.abs(clock.now() - (keySet?.fetched ?? 0)) > REFRESH_AGE_MS) void refresh(service);
        return key;
      }
      await refresh(service);
      load(service);
      return keySet?.keys.get(kid);
    },
    onChange: (listener: () => void): void => void changeListeners.push(listener),
    close: async (): Promise<void> => {
      await currentFetch;
    },
  };
};

export type ContractKeys = ReturnType<typeof createContractKeys>;
