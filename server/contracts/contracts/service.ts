import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Contract, ContractNamespace } from '../../wire/contracts.ts';
import type { Audit, Database } from '../storage/index.ts';
import { describeFirstIssue, describeIssue } from '../../platform/http/request/validation-messages.ts';
import { contractTextsSchema, idOfName, parseNamespaces, serializeNamespaces } from './rules.ts';
import {
  endTokens,
  findByToken,
  findContract,
  insertContract,
  insertToken,
  listContracts,
  listTokens,
  setEnabled,
  type ContractRow,
} from './store.ts';

type NewContract = {
  /** Default: derived from the name. */
  id?: string | undefined;
  name: string;
  description?: string | undefined;
  developer?: string | undefined;
  namespaces: readonly ContractNamespace[];
};

export type ContractState = Contract & { enabled: boolean; created: number };

export type ContractService = ReturnType<typeof createContractService>;

/** The prefix helps developers and secret scanners to recognise a leaked token. */
const TOKEN_PATTERN = /^pda-contract-[A-Za-z0-9_-]{43}$/u;
const newToken = (): string => `pda-contract-${randomBytes(32).toString('base64url')}`;

/** A contract with this id would have the path of the keyring: `/v1/contracts/keyring`. */
const RESERVED_ID = 'keyring';

/** A fast hash is sufficient, because 256 random bits cannot be guessed. */
const hashOf = (token: string): string => hash('sha256', token, 'base64url');

const stateOf = (row: ContractRow): ContractState => ({
  contractId: row.id,
  name: row.name,
  description: row.description,
  developer: row.developer,
  namespaces: parseNamespaces(row.namespaces),
  enabled: row.enabled,
  created: row.created,
});

const unknownContractFailure = (id: string): Failure => new Failure('not_found', `There is no contract ${id}.`);

export const createContractService = (parts: { database: Database; audit: Audit; clock: Clock }) => {
  const { database, audit, clock } = parts;

  /** @throws Failure not_found */
  const find = async (id: string): Promise<ContractState> => {
    const row = await database.run((db) => findContract(db, id));
    if (row === undefined) throw unknownContractFailure(id);
    return stateOf(row);
  };

  return {
    /**
     * Creates a contract and its token, of which only the hash is stored.
     * @throws Failure already_exists | invalid_input
     */
    async create(
      { id, name, description = '', developer = '', namespaces }: NewContract,
      actor: string,
    ): Promise<{ contract: ContractState; token: string }> {
      const contractId = id ?? idOfName(name);
      if (contractId === undefined)
        throw new Failure('invalid_input', 'Cannot derive an id from this name. Pass --id.');
      if (contractId === RESERVED_ID)
        throw new Failure('invalid_input', `The id ${RESERVED_ID} is reserved. Pass another one with --id.`);
      const texts = contractTextsSchema.safeParse({ name, description, developer }, { error: describeIssue });
      if (!texts.success) throw new Failure('invalid_input', describeFirstIssue(texts.error));
      const token = newToken();
      const created = clock.now();
      const row = { id: contractId, ...texts.data, enabled: true, created };
      const contractRow = { ...row, namespaces: serializeNamespaces(namespaces) };
      await database.transact(async (tx) => {
        if (!(await insertContract(tx, contractRow)))
          throw new Failure('already_exists', `The contract ${contractId} already exists.`);
        await insertToken(tx, { hash: hashOf(token), contract_id: contractId, created });
        const detail = contractRow.namespaces;
        await audit.note(tx, { actor, action: 'contract.created', subject: contractId, detail });
      });
      return { contract: stateOf(contractRow), token };
    },

    list: async (): Promise<ContractState[]> => (await database.run(listContracts)).map(stateOf),
    find,

    async findByToken(token: string): Promise<ContractState | undefined> {
      if (!TOKEN_PATTERN.test(token)) return undefined;
      const row = await database.run((db) => findByToken(db, hashOf(token), clock.now()));
      return row === undefined ? undefined : stateOf(row);
    },

    /** @throws Failure not_found */
    setEnabled: (id: string, enabled: boolean, actor: string): Promise<void> =>
      database.transact(async (tx) => {
        if (!(await setEnabled(tx, id, enabled))) throw unknownContractFailure(id);
        await audit.note(tx, { actor, action: enabled ? 'contract.enabled' : 'contract.disabled', subject: id });
      }),

    /** Creates a token. The previous tokens expire after `overlapMs` at the latest. @throws Failure not_found */
    async rotateToken(id: string, overlapMs: number, actor: string): Promise<string> {
      const token = newToken();
      const now = clock.now();
      await database.transact(async (tx) => {
        if ((await findContract(tx, id)) === undefined) throw unknownContractFailure(id);
        await endTokens(tx, id, now, now + overlapMs);
        await insertToken(tx, { hash: hashOf(token), contract_id: id, created: now });
        const detail = `previous tokens expire within ${overlapMs / 1000} s`;
        await audit.note(tx, { actor, action: 'token.rotated', subject: id, detail });
      });
      return token;
    },

    /** Revokes all valid tokens. Resolves with their number. @throws Failure not_found */
    revokeTokens: (id: string, actor: string): Promise<number> =>
      database.transact(async (tx) => {
        if ((await findContract(tx, id)) === undefined) throw unknownContractFailure(id);
        const now = clock.now();
        const revokedCount = await endTokens(tx, id, now, now);
        await audit.note(tx, { actor, action: 'token.revoked', subject: id, detail: `${revokedCount}` });
        return revokedCount;
      }),

    /** Returns the creation and expiry times of the tokens in Unix milliseconds. @throws Failure not_found */
    async tokensOf(id: string): Promise<{ created: number; ends: number | null }[]> {
      await find(id);
      return database.run((db) => listTokens(db, id));
    },
  };
};
