import { hash } from 'node:crypto';
import type { z } from 'zod';
import { setBounded } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createFloodGate } from '../../platform/flood-gate.ts';
import type { Log } from '../../platform/log.ts';
import { urlOfPda } from '../../platform/pda-address.ts';
import { isWithinTime, verifyPdaToken, type PdaClaims } from '../../platform/pda-proof.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { Principal, Scope } from '../../platform/principal.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { knownOfPdaSchema, registeredPdaSchema } from '../../wire/exchange.ts';
import { pdaAddressSchema } from '../../wire/pda-address.ts';
import { SERVICE_TOKEN_VALIDITY_MS } from '../../wire/limits.ts';
import type { Audit, Database, Db, Tx } from '../storage/index.ts';
import { createProofs, type Proven } from './proof.ts';
import {
  changePda,
  deletePda,
  findPda,
  findPdaAt,
  insertPda,
  listPdas,
  lockPda,
  lockPdaAt,
  notePdaSeen,
  type PdaRow,
} from './store.ts';

export type RegisteredPda = z.infer<typeof registeredPdaSchema>;
export type KnownOfPda = z.infer<typeof knownOfPdaSchema>;

/** What other rooms know of a PDA, and what they do when it leaves. */
export type OtherRooms = {
  claimsOf(pdaId: string): Promise<KnownOfPda['claims']>;
  reportsOf(pdaId: string): Promise<KnownOfPda['reports']>;
  /** Counts a PDA that is new here, in the transaction in which it is. */
  entered(tx: Tx): Promise<void>;
  /** Takes away what is kept of a PDA, in the transaction in which it leaves. */
  forget(tx: Tx, pda: { pdaId: string; address: string }): Promise<void>;
};

export type PdaService = {
  /** @throws Failure invalid_input | forbidden | rate_limited */
  register(address: string, call: { from: string; applicationId?: string | undefined }): Promise<void>;
  /** The PDA that signed this token for us; undefined when none did. Whether it is registered is looked up each time. */
  authenticate(token: string, iss: string): Promise<Principal | undefined>;
  list(page: { after?: string; address?: string; take: number }): Promise<RegisteredPda[]>;
  known(pdaId: string): Promise<KnownOfPda>;
  /** @throws Failure not_found */
  remove(pdaId: string, by: string): Promise<void>;
  /** @throws Failure not_found | wrong_state */
  letKeyIn(pdaId: string, publicKey: string, by: string): Promise<RegisteredPda>;
  /** For rooms that keep something of a PDA's: within their transaction. */
  findAt(db: Db, address: string): Promise<RegisteredPda | undefined>;
  find(db: Db, pdaId: string): Promise<RegisteredPda | undefined>;
  close(): Promise<void>;
};

/** Milliseconds between two notes of when a PDA was seen. */
const NOTED_EVERY_MS = 300_000;
/** PDAs of which that is known, and verified tokens that are kept. */
const MAX_NOTED = 100_000;
const MAX_VERIFIED = 10_000;

const SELF: ReadonlySet<Scope> = new Set(['pda:self']);

const toPda = (row: PdaRow): RegisteredPda => ({
  pdaId: row.id,
  address: row.address,
  publicKey: row.public_key,
  waitingKey: row.waiting_key,
  registered: row.registered,
  refreshed: row.refreshed,
  lastSeen: row.last_seen,
});

const unknownPda = (): Failure => new Failure('not_found', 'There is no such PDA.');

const keyTaken = (): Failure =>
  new Failure(
    'forbidden',
    'That address is registered with another key. Register from the PDA that holds it, or ask the operator to let the new key in.',
  );

/** The one spelling of an address: what its requests will say. @throws Failure invalid_input */
const canonical = (address: string): string => {
  const host = URL.parse(urlOfPda(address))?.host;
  if (host !== undefined && host !== '') return host;
  throw new Failure('invalid_input', 'That is not the address of a PDA.', {
    details: [{ path: 'body.pdaAddress', problem: 'a host, or host:port' }],
  });
};

export const createPdaService = (parts: {
  database: Database;
  audit: Audit;
  fetch: SafeFetch;
  isOwnHost: (host: string) => boolean;
  others: OtherRooms;
  clock: Clock;
  log: Log;
}): PdaService => {
  const { database, audit, others, clock, log } = parts;
  const prove = createProofs(parts);
  const gate = createFloodGate({ clock, refusal: 'Too many registrations. Wait a moment.' });

  /** Writes down what was proven. 'refused': the address is another key's. */
  const enter = (address: string, proven: Proven, applicationId?: string): Promise<'entered' | 'refused'> =>
    database.transact(async (tx) => {
      const now = clock.now();
      const { publicKey } = proven;
      const fresh: PdaRow = {
        id: uuidV7(now),
        address,
        public_key: publicKey,
        waiting_key: null,
        registered: now,
        refreshed: now,
        last_seen: null,
      };
      if (await insertPda(tx, fresh)) {
        await others.entered(tx);
        const detail = applicationId === undefined ? '' : `by ${applicationId}`;
        await audit.note(tx, { who: address, what: 'pda.registered', subject: address, detail });
        return 'entered';
      }
      const row = await lockPdaAt(tx, address);
      // It left between the two: whoever asks again is the first.
      if (row === undefined) throw new Failure('unavailable', 'Try again.', { headers: { 'retry-after': '1' } });
      if (row.public_key === publicKey) {
        await changePda(tx, row.id, { refreshed: now, waiting_key: null });
        return 'entered';
      }
      if (await proven.vouchedBy(row.public_key)) {
        await changePda(tx, row.id, { public_key: publicKey, waiting_key: null, refreshed: now });
        await audit.note(tx, { who: address, what: 'pda.key-changed', subject: address });
        return 'entered';
      }
      if (row.waiting_key !== publicKey) {
        await changePda(tx, row.id, { waiting_key: publicKey });
        await audit.note(tx, { who: address, what: 'pda.key-refused', subject: address });
      }
      return 'refused';
    });

  /** Tokens that were checked, by their hash and the key that they were checked with. */
  const verified = new Map<string, PdaClaims>();
  const claimsOf = async (token: string, row: PdaRow): Promise<PdaClaims | undefined> => {
    const key = hash('sha256', `${token}\n${row.public_key}`, 'base64');
    const known = verified.get(key);
    if (known !== undefined) {
      return isWithinTime(known, clock.now(), SERVICE_TOKEN_VALIDITY_MS) ? known : undefined;
    }
    const check = { accessScope: 'validate', resource: parts.isOwnHost, clock, validityMs: SERVICE_TOKEN_VALIDITY_MS };
    const claims = await verifyPdaToken(token, row.public_key, check);
    if (claims !== undefined) setBounded(verified, key, claims, MAX_VERIFIED);
    return claims;
  };

  const noted = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const noteUse = (pdaId: string): void => {
    const now = clock.now();
    if (Math.abs(now - (noted.get(pdaId) ?? 0)) < NOTED_EVERY_MS) return;
    setBounded(noted, pdaId, now, MAX_NOTED);
    const noting = database
      .read((db) => notePdaSeen(db, pdaId, now))
      .catch((error: unknown) => log.warn({ err: error }, 'the use of a PDA was not noted'))
      .finally(() => running.delete(noting));
    running.add(noting);
  };

  return {
    async register(given, { from, applicationId }) {
      const address = canonical(given);
      if (parts.isOwnHost(address)) throw new Failure('invalid_input', 'That is the address of this exchange.');
      gate.enter(from);
      await gate.call({ address, from }, async () => {
        const outcome = await enter(address, await prove(address), applicationId);
        if (outcome === 'refused') throw keyTaken();
      });
    },

    async authenticate(token, iss) {
      // Only what could be an address is looked for.
      if (pdaAddressSchema.safeParse(iss).data !== iss) return undefined;
      const row = await database.read((db) => findPdaAt(db, iss));
      if (row === undefined || (await claimsOf(token, row)) === undefined) return undefined;
      noteUse(row.id);
      return { kind: 'pda', pdaId: row.id, address: row.address, scopes: SELF };
    },

    list: async (page) => (await database.read((db) => listPdas(db, page))).map(toPda),

    async known(pdaId) {
      const row = await database.read((db) => findPda(db, pdaId));
      if (row === undefined) throw unknownPda();
      const [claims, reports] = await Promise.all([others.claimsOf(pdaId), others.reportsOf(pdaId)]);
      const { address, publicKey, registered, refreshed, lastSeen } = toPda(row);
      return { address, publicKey, registered, refreshed, lastSeen, reports, claims };
    },

    async remove(pdaId, by) {
      await database.transact(async (tx) => {
        const row = await lockPda(tx, pdaId);
        if (row === undefined) throw unknownPda();
        await others.forget(tx, { pdaId, address: row.address });
        await deletePda(tx, pdaId);
        await audit.note(tx, { who: by, what: by === row.address ? 'pda.left' : 'pda.removed', subject: row.address });
      });
    },

    letKeyIn: (pdaId, publicKey, by) =>
      database.transact(async (tx) => {
        const row = await lockPda(tx, pdaId);
        if (row === undefined) throw unknownPda();
        if (row.waiting_key === null || row.waiting_key.trim() !== publicKey.trim()) {
          throw new Failure(
            'wrong_state',
            'That key is not waiting. It is shown when the PDA tries to register with it.',
          );
        }
        const change = { public_key: row.waiting_key, waiting_key: null, refreshed: clock.now() };
        await changePda(tx, pdaId, change);
        await audit.note(tx, { who: by, what: 'pda.key-let-in', subject: row.address });
        return toPda({ ...row, ...change });
      }),

    async findAt(db, address) {
      const row = await findPdaAt(db, address);
      return row === undefined ? undefined : toPda(row);
    },
    async find(db, pdaId) {
      const row = await findPda(db, pdaId);
      return row === undefined ? undefined : toPda(row);
    },

    close: async () => void (await Promise.allSettled(running)),
  };
};
