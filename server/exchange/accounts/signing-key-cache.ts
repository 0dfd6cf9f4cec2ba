import type { Clock } from '../../platform/clock.ts';
import { generateSigningKey, toSigningKey } from '../../platform/auth/signing-keys.ts';
import type { SigningKey } from '../../platform/auth/tokens.ts';
import { TOKEN_RENEWAL_MS } from '../../wire/limits.ts';
import type { Database, Tx } from '../storage/index.ts';
import { deleteKeysRetiredBefore, insertSigningKey, listKeys, retireSigningKey } from './store.ts';

const KEY_CACHE_MS = 15_000;
/** Minimum milliseconds between reloads for unknown key IDs, which clients choose freely. */
const UNKNOWN_KEY_RELOAD_MS = 1000;

/** Creates a cache of the exchange's signing keys. Loading them creates a key if none is active. */
export const createSigningKeyCache = (parts: { database: Database; clock: Clock }) => {
  const { database, clock } = parts;
  let cachedKeys: readonly SigningKey[] = [];
  let loadedAt = Number.NEGATIVE_INFINITY;
  let pendingLoad: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    let rows = await database.run(listKeys);
    if (!rows.some((row) => row.retired === null)) {
      const firstKey = await generateSigningKey(clock.now());
      await database.run((db) => insertSigningKey(db, firstKey));
      // If several processes create a key concurrently, only the first insert succeeds.
      rows = await database.run(listKeys);
    }
    const parsedKeys = new Map(cachedKeys.map((key) => [key.kid, key]));
    cachedKeys = rows.map((row) => {
      const parsedKey = parsedKeys.get(row.kid);
      return parsedKey !== undefined && parsedKey.retired === (row.retired !== null) ? parsedKey : toSigningKey(row);
    });
    loadedAt = performance.now();
  };
  const reload = (): Promise<void> => {
    pendingLoad ??= load().finally(() => {
      pendingLoad = undefined;
    });
    return pendingLoad;
  };

  return {
    getKeys: (): readonly SigningKey[] => cachedKeys,
    /** Reloads the keys if they are stale or if `kid` is unknown: another process may have created that key. */
    async refresh(kid?: string): Promise<void> {
      const age = performance.now() - loadedAt;
      const isUnknown = kid !== undefined && !cachedKeys.some((key) => key.kid === kid);
      if (age > KEY_CACHE_MS || (isUnknown && age > UNKNOWN_KEY_RELOAD_MS)) await reload();
    },
    /** Replaces the signing key. The previous one still verifies tokens. @param work runs in the same transaction */
    async rotate(work: (tx: Tx) => Promise<void>): Promise<void> {
      const now = clock.now();
      const nextKey = await generateSigningKey(now);
      await database.transact(async (tx) => {
        await deleteKeysRetiredBefore(tx, now - TOKEN_RENEWAL_MS);
        await retireSigningKey(tx, now);
        await insertSigningKey(tx, nextKey);
        await work(tx);
      });
      await reload();
    },
  };
};
