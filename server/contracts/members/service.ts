import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { createPdaLookupLimit } from '../../platform/limits/pda-lookup-limit.ts';
import type { Log } from '../../platform/log.ts';
import type { Principal } from '../../platform/auth/principal.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { ContractMembership } from '../../wire/contracts.ts';
import type { ContractService } from '../contracts/service.ts';
import type { Audit, Database, Tx } from '../storage/index.ts';
import { createProofVerifier, type MembershipProof } from './proof.ts';
import { mayUseName } from './rules.ts';
import {
  countMembers,
  deleteMember,
  deleteMembersOf,
  deletePda,
  findPda,
  findJoinTime,
  insertMember,
  listJoinedContracts,
  lockOrInsertPda,
  lockPda,
  useToken,
} from './store.ts';

type MembershipRequest = { contract: string; name: string };
type PdaPrincipal = Extract<Principal, { kind: 'pda' }>;
/** A PDA that has joined contracts. `since`: when it first joined, in Unix milliseconds; `joined`: contract ids. */
type MemberPda = { name: string; address: string; since: number; joined: string[] };

export type MemberService = ReturnType<typeof createMemberService>;

const nameInUseFailure = (name: string): Failure =>
  new Failure(
    'wrong_state',
    `The name ${name} belongs to a PDA at a different address. Ask the operator of this service to remove that PDA.`,
  );
const keyChangedFailure = (): Failure =>
  new Failure(
    'forbidden',
    'This PDA joined earlier with a different key. Ask the operator of this service to remove this PDA.',
  );
const unknownPdaFailure = (name: string): Failure =>
  new Failure('not_found', `The PDA ${name} has not joined any contract.`);

export const createMemberService = (parts: {
  database: Database;
  contracts: ContractService;
  audit: Audit;
  fetch: SafeFetch;
  isOwnHost: (host: string) => boolean;
  domains: readonly string[];
  clock: Clock;
  log: Log;
}) => {
  const { database, contracts, audit, domains, clock } = parts;
  const verifier = createProofVerifier(parts);
  const lookupLimit = createPdaLookupLimit({ clock, refusal: 'Too many join and leave requests. Try again later.' });
  /** Proofs that `identify` has verified for `join` or `leave`. */
  const proofs = new WeakMap<Principal, MembershipProof>();

  const requireEnabled = async (id: string): Promise<void> => {
    const { enabled } = await contracts.find(id);
    if (!enabled) throw new Failure('not_found', `The contract ${id} is disabled.`);
  };

  /**
   * Returns the proof that `identify` verified. Marks its token as used, to prevent replays.
   * @throws Failure forbidden | not_authenticated
   */
  const consumeProof = async (tx: Tx, principal: Principal, { name }: MembershipRequest): Promise<MembershipProof> => {
    const proof = proofs.get(principal);
    if (proof === undefined) throw new Failure('forbidden', 'Only the PDA itself may do this.');
    const token = { pda_name: name, jti: proof.claims.jti, ends: proof.claims.exp * 1000 };
    // A load balancer repeats a PUT whose response it has not received. A PDA tries again after this failure with a new
    // token; after other refusals it would not.
    if (!(await useToken(tx, token, clock.now())))
      throw new Failure('not_authenticated', 'This token was already used. Sign a new token for each request.');
    return proof;
  };

  /**
   * Compares the stored address and key with those in the proof, because another PDA may have taken the name since
   * `identify`.
   * @throws Failure wrong_state | forbidden
   */
  const requireSamePda = (row: { name: string; address: string; public_key: string }, proof: MembershipProof): void => {
    if (row.address !== proof.address) throw nameInUseFailure(row.name);
    if (row.public_key !== proof.publicKey) throw keyChangedFailure();
  };

  return {
    /**
     * Authenticates a PDA that joins or leaves a contract.
     * @param request.from IP address for rate limits
     * @throws Failure not_authenticated | forbidden | not_found | wrong_state | rate_limited | unavailable
     */
    async identify(
      request: MembershipRequest & { token: string | undefined; from: string; joins: boolean },
    ): Promise<PdaPrincipal> {
      const { contract, name, token = '', from, joins } = request;
      lookupLimit.admitCaller(from);
      const claims = await verifier.checkClaims(token, { contract, name });
      const address = claims.iss;
      const existing = await database.run((db) => findPda(db, name));
      // All checks that do not need the key precede the request to the PDA.
      if (joins) {
        await requireEnabled(contract);
        if (!mayUseName(name, address, domains))
          throw new Failure('forbidden', `A PDA at this address cannot use the name ${name}.`);
      } else if (existing === undefined) throw unknownPdaFailure(name);
      if (existing !== undefined && existing.address !== address) throw nameInUseFailure(name);
      const publicKey =
        existing?.public_key ?? (await lookupLimit.run({ address, from }, () => verifier.fetchKey(address)));
      if (!(await verifier.isSignedBy(publicKey, token))) {
        if (existing === undefined) throw verifier.createRefusal('not signed by the key at its address');
        throw keyChangedFailure();
      }
      const principal: PdaPrincipal = { kind: 'pda', pdaId: name, address, scopes: new Set(['pda:self'] as const) };
      proofs.set(principal, { claims, address, publicKey });
      return principal;
    },

    /**
     * Adds the PDA to the members of the contract, unless it is already a member.
     * @param principal the result of `identify`
     * @throws Failure not_authenticated | forbidden | wrong_state
     */
    join: (principal: Principal, request: MembershipRequest): Promise<ContractMembership> =>
      database.transact(async (tx) => {
        const { contract, name } = request;
        const proof = await consumeProof(tx, principal, request);
        const now = clock.now();
        const row = { name, address: proof.address, public_key: proof.publicKey, since: now };
        requireSamePda(await lockOrInsertPda(tx, row), proof);
        if (await insertMember(tx, { contract_id: contract, pda_name: name, since: now }))
          await audit.note(tx, { actor: proof.address, action: 'contract.joined', subject: contract, detail: name });
        const since = (await findJoinTime(tx, contract, name)) ?? now;
        return { contractId: contract, pdaName: name, joined: true, since };
      }),

    /**
     * Removes the PDA from the members of the contract. Also deletes the PDA if it is a member of no other contract.
     * @throws Failure not_authenticated | forbidden | not_found | wrong_state
     */
    leave: (principal: Principal, request: MembershipRequest): Promise<ContractMembership> =>
      database.transact(async (tx) => {
        const { contract, name } = request;
        const proof = await consumeProof(tx, principal, request);
        const row = await lockPda(tx, name);
        if (row === undefined) throw unknownPdaFailure(name);
        requireSamePda(row, proof);
        if (await deleteMember(tx, contract, name))
          await audit.note(tx, { actor: proof.address, action: 'contract.left', subject: contract, detail: name });
        if ((await listJoinedContracts(tx, name)).length === 0) await deletePda(tx, name);
        return { contractId: contract, pdaName: name, joined: false, since: null };
      }),

    count: (contract: string): Promise<number> => database.run((db) => countMembers(db, contract)),

    /** @throws Failure not_found */
    find: (name: string): Promise<MemberPda> =>
      database.run(async (db) => {
        const row = await findPda(db, name);
        if (row === undefined) throw unknownPdaFailure(name);
        return { name, address: row.address, since: row.since, joined: await listJoinedContracts(db, name) };
      }),

    /** Deletes a PDA and its memberships, so that it can join with a new key or address. @throws Failure not_found */
    forget: (name: string, actor: string): Promise<void> =>
      database.transact(async (tx) => {
        if ((await lockPda(tx, name)) === undefined) throw unknownPdaFailure(name);
        await deleteMembersOf(tx, name);
        await deletePda(tx, name);
        await audit.note(tx, { actor, action: 'pda.forgotten', subject: name });
      }),
  };
};
