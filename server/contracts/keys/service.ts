import { createPrivateKey, createPublicKey, randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT, exportJWK } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import { newKey } from '../../platform/signing-keys.ts';
import type { ContractNamespace, ShortLivedClaims } from '../../wire/contracts.ts';
import { SHORT_LIVED_TOKEN_MS } from '../../wire/limits.ts';
import type { Audit, Database } from '../storage/index.ts';
import { outdated, PUBLISHED_FIRST_MS, signerOf } from './rules.ts';
import { deleteKeys, insertKey, listKeys, type KeyRow } from './store.ts';

export type KeyService = {
  /** Public keys as a JSON Web Key Set has them: all whose tokens may be good, and the next. */
  published(): Promise<Record<string, string>[]>;
  /** A short-lived token for a contract. */
  sign(token: { iss: string; contract: string; namespaces: readonly ContractNamespace[] }): Promise<string>;
  /**
   * Makes the next key. It signs a few seconds from now; the one before is published until the last of its tokens is over. `atOnce`: the others are
   * forgotten, for a key that somebody else may have.
   */
  rotate(by: string, options?: { atOnce?: boolean }): Promise<string>;
};

/** Milliseconds for which a process goes on with the keys that it knows. Well below the time in which a new one does not sign yet. */
const KEPT_MS = PUBLISHED_FIRST_MS / 2;

type Key = { kid: string; created: number; privateKey: KeyObject; publicKey: KeyObject };

const keyOf = (row: KeyRow): Key => ({
  kid: row.kid,
  created: row.created,
  privateKey: createPrivateKey(row.private_pem),
  publicKey: createPublicKey(row.public_pem),
});

export const createKeyService = (parts: { database: Database; audit: Audit; clock: Clock }): KeyService => {
  const { database, audit, clock } = parts;
  let known: readonly Key[] = [];
  let looked = -Infinity;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    let rows = await database.read(listKeys);
    if (rows.length === 0) {
      // Several processes may make one at once: then there are two, and all agree on which signs.
      const made = await newKey(clock.now());
      await database.read((db) => insertKey(db, made));
      rows = await database.read(listKeys);
    }
    const before = new Map(known.map((key) => [key.kid, key]));
    known = rows.map((row) => before.get(row.kid) ?? keyOf(row));
    looked = clock.now();
  };
  const keys = async (): Promise<readonly Key[]> => {
    if (Math.abs(clock.now() - looked) > KEPT_MS) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return known;
  };

  return {
    async published() {
      const all = await keys();
      const over = new Set(outdated(all, clock.now()).map(({ kid }) => kid));
      return Promise.all(
        all
          .filter(({ kid }) => !over.has(kid))
          .map(async ({ kid, publicKey }) => {
            const { n = '', e = '' } = await exportJWK(publicKey);
            return { kty: 'RSA', use: 'sig', alg: 'RS256', kid, n, e };
          }),
      );
    },

    async sign({ iss, contract, namespaces }) {
      const key = signerOf(await keys(), clock.now());
      if (key === undefined) throw new Error('no signing key');
      const iat = Math.floor(clock.now() / 1000);
      const claims: ShortLivedClaims = {
        iss,
        sub: contract,
        namespaces: [...namespaces],
        jti: randomUUID(),
        iat,
        exp: iat + SHORT_LIVED_TOKEN_MS / 1000,
      };
      return new SignJWT(claims).setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: key.kid }).sign(key.privateKey);
    },

    async rotate(by, { atOnce = false } = {}) {
      const now = clock.now();
      const made = await newKey(now);
      await database.transact(async (tx) => {
        const before = await listKeys(tx);
        const gone = atOnce ? before : outdated(before, now);
        await deleteKeys(
          tx,
          gone.map(({ kid }) => kid),
        );
        await insertKey(tx, made);
        await audit.note(tx, { who: by, what: atOnce ? 'key.replaced' : 'key.rotated', subject: made.kid });
      });
      looked = -Infinity;
      return made.kid;
    },
  };
};
