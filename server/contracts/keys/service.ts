import { createPrivateKey, createPublicKey, randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import { generateSigningKey } from '../../platform/auth/signing-keys.ts';
import type { ContractNamespace, ShortLivedClaims } from '../../wire/contracts.ts';
import { SHORT_LIVED_TOKEN_MS } from '../../wire/limits.ts';
import type { Audit, Database } from '../storage/index.ts';
import { expiredKeys, PUBLISHED_BEFORE_SIGNING_MS, selectSigningKey } from './rules.ts';
import { deleteKeys, insertKey, listKeys, type KeyRow } from './store.ts';

export type KeyService = ReturnType<typeof createKeyService>;

/** Shorter than the delay before a new key signs. */
const KEY_CACHE_MS = PUBLISHED_BEFORE_SIGNING_MS / 2;

type Key = { kid: string; created: number; privateKey: KeyObject; publicKey: KeyObject };

const keyOf = (row: KeyRow): Key => ({
  kid: row.kid,
  created: row.created,
  privateKey: createPrivateKey(row.private_pem),
  publicKey: createPublicKey(row.public_pem),
});

export const createKeyService = (parts: { database: Database; audit: Audit; clock: Clock }) => {
  const { database, audit, clock } = parts;
  let cachedKeys: readonly Key[] = [];
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    let rows = await database.run(listKeys);
    if (rows.length === 0) {
      // Several processes can create a first key concurrently. Until one has been published long enough, all processes
      // sign with the oldest.
      const firstKey = await generateSigningKey(clock.now());
      await database.run((db) => insertKey(db, firstKey));
      rows = await database.run(listKeys);
    }
    const parsedKeys = new Map(cachedKeys.map((key) => [key.kid, key]));
    cachedKeys = rows.map((row) => parsedKeys.get(row.kid) ?? keyOf(row));
    loadedAt = clock.now();
  };
  const getKeys = async (): Promise<readonly Key[]> => {
    if (Math.abs(clock.now() - loadedAt) > KEY_CACHE_MS) {
      loading ??= load().finally(() => {
        loading = undefined;
      });
      await loading;
    }
    return cachedKeys;
  };

  return {
    async listPublished(): Promise<readonly { kid: string; publicKey: KeyObject }[]> {
      const keys = await getKeys();
      const expiredKids = new Set(expiredKeys(keys, clock.now()).map(({ kid }) => kid));
      return keys.filter(({ kid }) => !expiredKids.has(kid));
    },

    /** Signs a short-lived token. @param token.iss this service's host[:port] */
    async sign(token: { iss: string; contract: string; namespaces: readonly ContractNamespace[] }): Promise<string> {
      const key = selectSigningKey(await getKeys(), clock.now());
      if (key === undefined) throw new Error('There is no signing key.');
      const iat = Math.floor(clock.now() / 1000);
      const claims: ShortLivedClaims = {
        iss: token.iss,
        sub: token.contract,
        namespaces: [...token.namespaces],
        jti: randomUUID(),
        iat,
        exp: iat + SHORT_LIVED_TOKEN_MS / 1000,
      };
      return new SignJWT(claims).setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: key.kid }).sign(key.privateKey);
    },

    /**
     * Creates a key and returns its id. Deletes expired keys; with `atOnce`, all previous keys, because one may be
     * compromised.
     */
    async rotate(actor: string, { atOnce = false } = {}): Promise<string> {
      const now = clock.now();
      const nextKey = await generateSigningKey(now);
      await database.transact(async (tx) => {
        const existing = await listKeys(tx);
        const obsoleteKeys = atOnce ? existing : expiredKeys(existing, now);
        const obsoleteKids = obsoleteKeys.map(({ kid }) => kid);
        await deleteKeys(tx, obsoleteKids);
        await insertKey(tx, nextKey);
        await audit.note(tx, { actor, action: atOnce ? 'key.replaced' : 'key.rotated', subject: nextKey.kid });
      });
      loadedAt = -Infinity;
      return nextKey.kid;
    },
  };
};
