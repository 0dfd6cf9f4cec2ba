import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createFloodGate } from '../../platform/flood-gate.ts';
import type { Log } from '../../platform/log.ts';
import type { Principal } from '../../platform/principal.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { Joined } from '../../wire/contracts.ts';
import type { ContractService } from '../contracts/service.ts';
import type { Audit, Database, Tx } from '../storage/index.ts';
import { createProofs, type Proof } from './proof.ts';
import { mayGoBy } from './rules.ts';
import {
  countMembers,
  deleteMember,
  deleteMembersOf,
  deletePda,
  findPda,
  holdName,
  insertMember,
  joinedBy,
  lockPda,
  memberSince,
  useToken,
} from './store.ts';

type Call = { contract: string; name: string };
type PdaPrincipal = Extract<Principal, { kind: 'pda' }>;
export type KnownPda = { name: string; address: string; since: number; joined: string[] };

export type MemberService = {
  /**
   * Who wants to join or leave. The key of a PDA that is new here is fetched from its address.
   * @throws Failure not_authenticated | forbidden | not_found | wrong_state | rate_limited | unavailable
   */
  identify(call: Call & { token: string | undefined; from: string; joins: boolean }): Promise<PdaPrincipal>;
  /** For a caller that was identified for this very call. @throws Failure forbidden | not_found | wrong_state */
  join(principal: Principal, call: Call): Promise<Joined>;
  leave(principal: Principal, call: Call): Promise<Joined>;
  count(contract: string): Promise<number>;
  /** @throws Failure not_found */
  find(name: string): Promise<KnownPda>;
  /** Forgets whose a name is, and takes it out of every contract: for a PDA that has another key or address now. @throws Failure not_found */
  forget(name: string, by: string): Promise<void>;
};

const taken = (name: string): Failure =>
  new Failure('wrong_state', `The name ${name} is held by a PDA at another address. Ask the operator of this service.`);
const otherKey = (): Failure =>
  new Failure('forbidden', 'This PDA joined with another key before. Ask the operator of this service to forget it.');
const unknownPda = (name: string): Failure => new Failure('not_found', `No PDA ${name} has joined anything here.`);

export const createMemberService = (parts: {
  database: Database;
  contracts: ContractService;
  audit: Audit;
  fetch: SafeFetch;
  isOwnHost: (host: string) => boolean;
  /** PDAs are found in these domains; without any, wherever they say. */
  domains: readonly string[];
  clock: Clock;
  log: Log;
}): MemberService => {
  const { database, contracts, audit, domains, clock } = parts;
  const proofs = createProofs(parts);
  const gate = createFloodGate({ clock, refusal: 'Too many join or leave just now. Wait a moment.' });
  /** What each caller has proven, until its call is answered. */
  const proven = new WeakMap<Principal, Proof>();

  const isOpen = async (id: string): Promise<void> => {
    const { enabled } = await contracts.find(id);
    if (!enabled) throw new Failure('not_found', `There is no contract ${id} any more.`);
  };

  /** The proof of this caller, used up: whoever overhears a token can do nothing with it. */
  const use = async (tx: Tx, principal: Principal, { name }: Call): Promise<Proof> => {
    const proof = proven.get(principal);
    if (proof === undefined) throw new Failure('forbidden', 'This is for the PDA itself.');
    const token = { pda_name: name, jti: proof.claims.jti, ends: proof.claims.exp * 1000 };
    if (!(await useToken(tx, token, clock.now())))
      throw new Failure('forbidden', 'This token was used before: each call needs one of its own.');
    return proof;
  };

  /** It may be another's since the proof was looked at. */
  const isSame = (row: { name: string; address: string; public_key: string }, proof: Proof): void => {
    if (row.address !== proof.address) throw taken(row.name);
    if (row.public_key !== proof.publicKey) throw otherKey();
  };

  return {
    async identify({ contract, name, token = '', from, joins }) {
      gate.enter(from);
      const claims = await proofs.read(token, { contract, name });
      const address = claims.iss;
      const known = await database.read((db) => findPda(db, name));
      // Nobody is called for what will be refused anyway.
      if (joins) {
        await isOpen(contract);
        if (!mayGoBy(name, address, domains))
          throw new Failure('forbidden', `A PDA at this address cannot go by the name ${name} here.`);
      } else if (known === undefined) throw unknownPda(name);
      if (known !== undefined && known.address !== address) throw taken(name);
      const publicKey = known?.public_key ?? (await gate.call({ address, from }, () => proofs.keyAt(address)));
      if (!(await proofs.isSignedBy(publicKey, token))) {
        if (known === undefined) throw proofs.noProof('the key at its address did not sign it');
        throw otherKey();
      }
      const principal: PdaPrincipal = { kind: 'pda', pdaId: name, address, scopes: new Set(['pda:self'] as const) };
      proven.set(principal, { claims, address, publicKey });
      return principal;
    },

    join: (principal, call) =>
      database.transact(async (tx) => {
        const { contract, name } = call;
        const proof = await use(tx, principal, call);
        const now = clock.now();
        const row = { name, address: proof.address, public_key: proof.publicKey, since: now };
        isSame(await holdName(tx, row), proof);
        if (await insertMember(tx, { contract_id: contract, pda_name: name, since: now }))
          await audit.note(tx, { who: proof.address, what: 'contract.joined', subject: contract, detail: name });
        const since = (await memberSince(tx, contract, name)) ?? now;
        return { contractId: contract, pdaName: name, joined: true, since };
      }),

    leave: (principal, call) =>
      database.transact(async (tx) => {
        const { contract, name } = call;
        const proof = await use(tx, principal, call);
        const row = await lockPda(tx, name);
        if (row === undefined) throw unknownPda(name);
        isSame(row, proof);
        if (await deleteMember(tx, contract, name))
          await audit.note(tx, { who: proof.address, what: 'contract.left', subject: contract, detail: name });
        // Whoever has left everything is not known any more.
        if ((await joinedBy(tx, name)).length === 0) await deletePda(tx, name);
        return { contractId: contract, pdaName: name, joined: false, since: null };
      }),

    count: (contract) => database.read((db) => countMembers(db, contract)),

    find: (name) =>
      database.read(async (db) => {
        const row = await findPda(db, name);
        if (row === undefined) throw unknownPda(name);
        return { name, address: row.address, since: row.since, joined: await joinedBy(db, name) };
      }),

    forget: (name, by) =>
      database.transact(async (tx) => {
        if ((await lockPda(tx, name)) === undefined) throw unknownPda(name);
        await deleteMembersOf(tx, name);
        await deletePda(tx, name);
        await audit.note(tx, { who: by, what: 'pda.forgotten', subject: name });
      }),
  };
};
