import type { Clock } from '../../platform/clock.ts';
import { newKey, toSigningKey } from '../../platform/signing-keys.ts';
import type { SigningKey } from '../../platform/tokens.ts';
import { TOKEN_RENEWAL_MS } from '../../wire/limits.ts';
import type { Database, Tx } from '../storage/index.ts';
import { dropKeysRetiredBefore, insertSigningKey, listKeys, retireSigningKey } from './store.ts';

/** The keys of the exchange. They are in the database, so that every process signs with the same one. */
export type Keyring = {
  /** As they were when they were looked at last. */
  keys(): readonly SigningKey[];
  /** Looks again when it has been a while, or when somebody names a key that is not known here: another process may have made it. */
  refresh(kid?: string): Promise<void>;
  /**
   * New tokens are signed with a new key; the old one verifies until the last token that it signed is over. `also` is done in the same
   * transaction.
   */
  rotate(also: (tx: Tx) => Promise<void>): Promise<void>;
};

/** Milliseconds for which a process goes on with the keys that it knows. */
const KEPT_MS = 15_000;
/** Milliseconds between two looks for keys that strangers name. */
const UNKNOWN_MS = 1000;

export const createKeyring = (parts: { database: Database; clock: Clock }): Keyring => {
  const { database, clock } = parts;
  let known: readonly SigningKey[] = [];
  let looked = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    let rows = await database.read(listKeys);
    if (!rows.some((row) => row.retired === null)) {
      const made = await newKey(clock.now());
      await database.read((db) => insertSigningKey(db, made));
      // Whichever of several processes was the first: its key is the one that all of them find here.
      rows = await database.read(listKeys);
    }
    const before = new Map(known.map((key) => [key.kid, key]));
    known = rows.map((row) => {
      const same = before.get(row.kid);
      return same !== undefined && same.retired === (row.retired !== null) ? same : toSigningKey(row);
    });
    looked = performance.now();
  };
  const lookOnce = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };

  return {
    keys: () => known,
    async refresh(kid) {
      const age = performance.now() - looked;
      if (age > KEPT_MS) await lookOnce();
      else if (kid !== undefined && age > UNKNOWN_MS && !known.some((key) => key.kid === kid)) await lookOnce();
    },
    async rotate(also) {
      const now = clock.now();
      const made = await newKey(now);
      await database.transact(async (tx) => {
        await dropKeysRetiredBefore(tx, now - TOKEN_RENEWAL_MS);
        await retireSigningKey(tx, now);
        await insertSigningKey(tx, made);
        await also(tx);
      });
      await lookOnce();
    },
  };
};
