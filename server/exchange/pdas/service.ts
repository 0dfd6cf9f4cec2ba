import { hash } from 'node:crypto';
import { setBounded } from '../../platform/limits/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createPdaLookupLimit } from '../../platform/limits/pda-lookup-limit.ts';
import type { Log } from '../../platform/log.ts';
import { urlOfPda } from '../../platform/outbound/pda-address.ts';
import { hasValidLifetime, verifyPdaToken, type PdaClaims } from '../../platform/auth/pda-token.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { Principal, Scope } from '../../platform/auth/principal.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { PdaDisclosure, RegisteredPda } from '../../wire/exchange.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';
import { SERVICE_TOKEN_VALIDITY_MS } from '../../wire/limits.ts';
import type { Audit, Database, Db, Tx } from '../storage/index.ts';
import { createAddressVerifier, type AddressProof } from './proof.ts';
import {
  changePda,
  deletePda,
  findPda,
  findPdaAt,
  insertPda,
  listPdas,
  lockPda,
  lockPdaAt,
  updatePdaLastSeen,
  type PdaPage,
  type PdaRow,
} from './store.ts';

export type PdaDependents = {
  claimsOf(pdaId: string): Promise<PdaDisclosure['claims']>;
  reportsOf(pdaId: string): Promise<PdaDisclosure['reports']>;
  /** Called within the transaction that registers a new PDA. */
  onRegistered(tx: Tx): Promise<void>;
  /** Deletes the PDA's data within the transaction that removes the PDA. */
  onRemoved(tx: Tx, pdaId: string): Promise<void>;
};

export type PdaService = ReturnType<typeof createPdaService>;

const LAST_SEEN_INTERVAL_MS = 300_000;
const LAST_SEEN_CACHE_MAX = 100_000;
const VERIFIED_TOKENS_MAX = 10_000;

const SELF_SCOPES: ReadonlySet<Scope> = new Set(['pda:self']);

const toPda = (row: PdaRow): RegisteredPda => ({
  pdaId: row.id,
  address: row.address,
  publicKey: row.public_key,
  waitingKey: row.waiting_key,
  registered: row.registered,
  refreshed: row.refreshed,
  lastSeen: row.last_seen,
});

const unknownPdaFailure = (): Failure => new Failure('not_found', 'This PDA does not exist.');

const keyMismatchFailure = (): Failure =>
  new Failure(
    'forbidden',
    'This address is registered with a different key. Register with that key, or ask the operator to approve the new key.',
  );

/** Returns the canonical spelling, as in the `iss` of the PDA's tokens. @throws Failure invalid_input */
const toCanonicalAddress = (address: string): string => {
  const host = URL.parse(urlOfPda(address))?.host;
  if (host !== undefined && host !== '') return host;
  throw new Failure('invalid_input', 'This is not the address of a PDA. Use host or host:port.', {
    details: [{ path: 'body.pdaAddress', problem: 'must be host or host:port' }],
  });
};

export const createPdaService = (parts: {
  database: Database;
  audit: Audit;
  fetch: SafeFetch;
  isOwnHost: (host: string) => boolean;
  /** Called only when requests arrive, because the dependent modules are created after this one. */
  getDependents: () => PdaDependents;
  clock: Clock;
  log: Log;
}) => {
  const { database, audit, getDependents, clock, log } = parts;
  const verifyAddress = createAddressVerifier(parts);
  const lookupLimit = createPdaLookupLimit({ clock, refusal: 'Too many registrations. Try again later.' });

  /**
   * Stores a verified registration. 'refused' means that the address is bound to a different key; the new key then
   * awaits approval.
   * @throws Failure unavailable
   */
  const storeRegistration = (
    address: string,
    proof: AddressProof,
    applicationId?: string,
  ): Promise<'registered' | 'refused'> =>
    database.transact(async (tx) => {
      const now = clock.now();
      const { publicKey } = proof;
      const newRow: PdaRow = {
        id: uuidV7(now),
        address,
        public_key: publicKey,
        waiting_key: null,
        registered: now,
        refreshed: now,
        last_seen: null,
      };
      if (await insertPda(tx, newRow)) {
        await getDependents().onRegistered(tx);
        const detail = applicationId === undefined ? '' : `by ${applicationId}`;
        await audit.note(tx, { actor: address, action: 'pda.registered', subject: address, detail });
        return 'registered';
      }
      const row = await lockPdaAt(tx, address);
      // The PDA was removed between insert and lock.
      if (row === undefined)
        throw new Failure('unavailable', 'The PDA was just removed. Try again.', { headers: { 'retry-after': '1' } });
      if (row.public_key === publicKey) {
        await changePda(tx, row.id, { refreshed: now, waiting_key: null });
        return 'registered';
      }
      if (await proof.isSignedByPrevious(row.public_key)) {
        await changePda(tx, row.id, { public_key: publicKey, waiting_key: null, refreshed: now });
        await audit.note(tx, { actor: address, action: 'pda.key-changed', subject: address });
        return 'registered';
      }
      if (row.waiting_key !== publicKey) {
        await changePda(tx, row.id, { waiting_key: publicKey });
        await audit.note(tx, { actor: address, action: 'pda.key-refused', subject: address });
      }
      return 'refused';
    });

  /** Claims of verified tokens, by the hash of token and public key. */
  const verifiedTokens = new Map<string, PdaClaims>();
  const verifyToken = async (token: string, row: PdaRow): Promise<PdaClaims | undefined> => {
    const cacheKey = hash('sha256', `${token}\n${row.public_key}`, 'base64');
    const cachedClaims = verifiedTokens.get(cacheKey);
    if (cachedClaims !== undefined)
      return hasValidLifetime(cachedClaims, clock.now(), SERVICE_TOKEN_VALIDITY_MS) ? cachedClaims : undefined;
    const check = { accessScope: 'validate', resource: parts.isOwnHost, clock, validityMs: SERVICE_TOKEN_VALIDITY_MS };
    const claims = await verifyPdaToken(token, row.public_key, check);
    if (claims !== undefined) setBounded(verifiedTokens, cacheKey, claims, VERIFIED_TOKENS_MAX);
    return claims;
  };

  const lastUpdateTimes = new Map<string, number>();
  const pendingUpdates = new Set<Promise<void>>();
  const recordUse = (pdaId: string): void => {
    const now = clock.now();
    if (Math.abs(now - (lastUpdateTimes.get(pdaId) ?? 0)) < LAST_SEEN_INTERVAL_MS) return;
    setBounded(lastUpdateTimes, pdaId, now, LAST_SEEN_CACHE_MAX);
    const update = database
      .run((db) => updatePdaLastSeen(db, pdaId, now))
      .catch((error: unknown) => log.warn({ err: error }, 'could not update the last-seen time of a PDA'))
      .finally(() => pendingUpdates.delete(update));
    pendingUpdates.add(update);
  };

  return {
    /**
     * Registers the PDA at an address, or refreshes its registration, after the PDA has proven that it holds its key.
     * @param request.from IP address
     * @throws Failure invalid_input | forbidden | rate_limited | unavailable
     */
    async register(
      requestedAddress: string,
      { from, applicationId }: { from: string; applicationId?: string | undefined },
    ): Promise<void> {
      const address = toCanonicalAddress(requestedAddress);
      if (parts.isOwnHost(address)) throw new Failure('invalid_input', 'This is the address of the exchange itself.');
      lookupLimit.admitCaller(from);
      await lookupLimit.run({ address, from }, async () => {
        const outcome = await storeRegistration(address, await verifyAddress(address), applicationId);
        if (outcome === 'refused') throw keyMismatchFailure();
      });
    },

    /**
     * Returns undefined if the token is invalid or no PDA is registered at the address `iss`. The registration is read
     * from the database each time, so that a removal takes effect immediately.
     */
    async authenticate(token: string, iss: string): Promise<Principal | undefined> {
      // Skip the query for issuers that cannot be an address.
      if (pdaAddressSchema.safeParse(iss).data !== iss) return undefined;
      const row = await database.run((db) => findPdaAt(db, iss));
      if (row === undefined || (await verifyToken(token, row)) === undefined) return undefined;
      recordUse(row.id);
      return { kind: 'pda', pdaId: row.id, address: row.address, scopes: SELF_SCOPES };
    },

    list: async (page: PdaPage): Promise<RegisteredPda[]> =>
      (await database.run((db) => listPdas(db, page))).map(toPda),

    /** @throws Failure not_found */
    async showStoredData(pdaId: string): Promise<PdaDisclosure> {
      const row = await database.run((db) => findPda(db, pdaId));
      if (row === undefined) throw unknownPdaFailure();
      const [claims, reports] = await Promise.all([getDependents().claimsOf(pdaId), getDependents().reportsOf(pdaId)]);
      const { address, publicKey, registered, refreshed, lastSeen } = toPda(row);
      return { address, publicKey, registered, refreshed, lastSeen, reports, claims };
    },

    /** @throws Failure not_found */
    async remove(pdaId: string, actor: string): Promise<void> {
      await database.transact(async (tx) => {
        const row = await lockPda(tx, pdaId);
        if (row === undefined) throw unknownPdaFailure();
        await getDependents().onRemoved(tx, pdaId);
        await deletePda(tx, pdaId);
        const action = actor === row.address ? 'pda.left' : 'pda.removed';
        await audit.note(tx, { actor, action, subject: row.address });
      });
    },

    /** @throws Failure not_found | wrong_state */
    approveKey: (pdaId: string, publicKey: string, actor: string): Promise<RegisteredPda> =>
      database.transact(async (tx) => {
        const row = await lockPda(tx, pdaId);
        if (row === undefined) throw unknownPdaFailure();
        // A load balancer repeats a PUT whose response it has not received.
        if (row.waiting_key === null && row.public_key.trim() === publicKey.trim()) return toPda(row);
        if (row.waiting_key === null || row.waiting_key.trim() !== publicKey.trim()) {
          throw new Failure('wrong_state', 'This key is not awaiting approval. The PDA has to register with it first.');
        }
        const change = { public_key: row.waiting_key, waiting_key: null, refreshed: clock.now() };
        await changePda(tx, pdaId, change);
        await audit.note(tx, { actor, action: 'pda.key-let-in', subject: row.address });
        return toPda({ ...row, ...change });
      }),

    async findAt(db: Db, address: string): Promise<RegisteredPda | undefined> {
      const row = await findPdaAt(db, address);
      return row === undefined ? undefined : toPda(row);
    },
    close: async (): Promise<void> => void (await Promise.allSettled(pendingUpdates)),
  };
};
