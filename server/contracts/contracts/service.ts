import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Contract, ContractNamespace } from '../../wire/contracts.ts';
import type { Audit, Database } from '../storage/index.ts';
import {
  isDisplayLine,
  isDisplayParagraph,
  NOT_A_DISPLAY_LINE,
  NOT_A_DISPLAY_PARAGRAPH,
} from '../../wire/display-text.ts';
import { idOfName, namespacesFrom, namespacesText } from './rules.ts';
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

export type NewContract = {
  /** Made from the name when it is not given. */
  id?: string;
  name: string;
  description?: string;
  developer?: string;
  namespaces: readonly ContractNamespace[];
};

export type ContractState = Contract & { enabled: boolean; created: number };

export type ContractService = {
  /** The token is shown this once. @throws Failure already_exists | invalid_input */
  create(contract: NewContract, by: string): Promise<{ contract: ContractState; token: string }>;
  list(): Promise<ContractState[]>;
  /** @throws Failure not_found */
  find(id: string): Promise<ContractState>;
  /** Whose a long-lived token is, while it is good. */
  ofToken(token: string): Promise<ContractState | undefined>;
  /** @throws Failure not_found */
  setEnabled(id: string, enabled: boolean, by: string): Promise<void>;
  /** A new token, shown this once; those before end after `overlapMs`. @throws Failure not_found */
  rotateToken(id: string, overlapMs: number, by: string): Promise<string>;
  /** Ends all tokens at once. How many there were. @throws Failure not_found */
  revokeTokens(id: string, by: string): Promise<number>;
  tokensOf(id: string): Promise<{ created: number; ends: number | null }[]>;
};

/** The start says what it is to whoever, or whatever, finds one where it does not belong. */
const TOKEN = /^pda-contract-[A-Za-z0-9_-]{43}$/u;
const newToken = (): string => `pda-contract-${randomBytes(32).toString('base64url')}`;

/** 256 random bits cannot be guessed, so no slow hash need stretch them. */
const hashOf = (token: string): string => hash('sha256', token, 'base64url');

const stateOf = (row: ContractRow): ContractState => ({
  contractId: row.id,
  name: row.name,
  description: row.description,
  developer: row.developer,
  namespaces: namespacesFrom(row.namespaces),
  enabled: row.enabled,
  created: row.created,
});

const unknownContract = (id: string): Failure => new Failure('not_found', `There is no contract ${id}.`);

export const createContractService = (parts: { database: Database; audit: Audit; clock: Clock }): ContractService => {
  const { database, audit, clock } = parts;

  const find = async (id: string): Promise<ContractState> => {
    const row = await database.read((db) => findContract(db, id));
    if (row === undefined) throw unknownContract(id);
    return stateOf(row);
  };

  return {
    async create({ id, name, description = '', developer = '', namespaces }, by) {
      const contractId = id ?? idOfName(name);
      if (contractId === undefined) throw new Failure('invalid_input', 'No id can be made of that name: give one.');
      if (!isDisplayLine(name)) throw new Failure('invalid_input', `name: ${NOT_A_DISPLAY_LINE}`);
      if (!isDisplayLine(developer)) throw new Failure('invalid_input', `developer: ${NOT_A_DISPLAY_LINE}`);
      if (!isDisplayParagraph(description))
        throw new Failure('invalid_input', `description: ${NOT_A_DISPLAY_PARAGRAPH}`);
      const token = newToken();
      const created = clock.now();
      const row = { id: contractId, name, description, developer, enabled: true, created };
      const whole = { ...row, namespaces: namespacesText(namespaces) };
      await database.transact(async (tx) => {
        if (!(await insertContract(tx, whole)))
          throw new Failure('already_exists', `There is a contract ${contractId} already.`);
        await insertToken(tx, { hash: hashOf(token), contract_id: contractId, created });
        await audit.note(tx, { who: by, what: 'contract.created', subject: contractId, detail: whole.namespaces });
      });
      return { contract: stateOf(whole), token };
    },

    list: async () => (await database.read(listContracts)).map(stateOf),
    find,

    async ofToken(token) {
      if (!TOKEN.test(token)) return undefined;
      const row = await database.read((db) => findByToken(db, hashOf(token), clock.now()));
      return row === undefined ? undefined : stateOf(row);
    },

    setEnabled: (id, enabled, by) =>
      database.transact(async (tx) => {
        if (!(await setEnabled(tx, id, enabled))) throw unknownContract(id);
        await audit.note(tx, { who: by, what: enabled ? 'contract.enabled' : 'contract.disabled', subject: id });
      }),

    async rotateToken(id, overlapMs, by) {
      const token = newToken();
      const now = clock.now();
      await database.transact(async (tx) => {
        if ((await findContract(tx, id)) === undefined) throw unknownContract(id);
        await endTokens(tx, id, now, now + overlapMs);
        await insertToken(tx, { hash: hashOf(token), contract_id: id, created: now });
        const detail = `the one before ends after ${overlapMs / 1000} s`;
        await audit.note(tx, { who: by, what: 'token.rotated', subject: id, detail });
      });
      return token;
    },

    revokeTokens: (id, by) =>
      database.transact(async (tx) => {
        if ((await findContract(tx, id)) === undefined) throw unknownContract(id);
        const now = clock.now();
        const ended = await endTokens(tx, id, now, now);
        await audit.note(tx, { who: by, what: 'token.revoked', subject: id, detail: `${ended}` });
        return ended;
      }),

    tokensOf: async (id) => {
      await find(id);
      return database.read((db) => listTokens(db, id));
    },
  };
};
