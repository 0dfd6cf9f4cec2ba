import { addressGroup } from '../../platform/limits/address-group.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Principal } from '../../platform/auth/principal.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import type { ContractService, ContractState } from '../contracts/service.ts';
import type { KeyService } from '../keys/service.ts';
import type { Audit, Database } from '../storage/index.ts';
import { readNamesPage, type NamesPage } from './store.ts';

export type KeyringService = ReturnType<typeof createKeyringService>;

/** Names per query. A page fits into V8's young generation, and its query takes a few milliseconds. */
const PAGE_NAMES = 5000;
const READ_AHEAD_PAGES = 4;

/** Rate limit for invalid tokens per network. */
const INVALID_TOKEN_BURST = 20;
const INVALID_TOKEN_INTERVAL_MS = 3000;

const invalidTokensFailure = (waitMs: number): Failure => {
  const seconds = Math.ceil(waitMs / 1000);
  return new Failure('rate_limited', `Too many invalid tokens. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
};

export const createKeyringService = (parts: {
  database: Database;
  contracts: ContractService;
  keys: KeyService;
  audit: Audit;
  clock: Clock;
}) => {
  const { database, contracts, keys, audit, clock } = parts;
  const invalidTokens = createRateLimit({ burst: INVALID_TOKEN_BURST, intervalMs: INVALID_TOKEN_INTERVAL_MS, clock });

  const findEnabled = async (id: string): Promise<ContractState> => {
    const contract = await contracts.find(id);
    if (!contract.enabled) throw new Failure('forbidden', 'This contract has been disabled.');
    return contract;
  };

  async function* readPages(contract: string, skip: number, take: number): AsyncGenerator<NamesPage> {
    let remaining = take;
    let isStopped = false;
    const readAfter = async (previous?: NamesPage): Promise<NamesPage | undefined> => {
      const limit = Math.min(PAGE_NAMES, remaining);
      if (isStopped || limit <= 0) return undefined;
      remaining -= limit;
      const page = { contract, after: previous?.last, skip: previous === undefined ? skip : 0, take: limit };
      return database.run((db) => readNamesPage(db, page));
    };
    const readNext = (previous: Promise<NamesPage | undefined>): Promise<NamesPage | undefined> => {
      const next = previous.then((page) =>
        page === undefined || page.count < PAGE_NAMES ? undefined : readAfter(page),
      );
      // If the client disconnects, no caller awaits this promise, and a failed query must not become an unhandled
      // rejection.
      next.catch(() => undefined);
      return next;
    };
    const queue = [readAfter()];
    try {
      for (;;) {
        while (queue.length <= READ_AHEAD_PAGES) queue.push(readNext(queue.at(-1) ?? readAfter()));
        const page = await queue.shift();
        if (page === undefined) return;
        yield page;
      }
    } finally {
      isStopped = true;
    }
  }

  async function* formatKeyring(token: string, names: AsyncGenerator<NamesPage>): AsyncGenerator<string | Buffer> {
    yield `{"token":${JSON.stringify(token)},"associatedPdas":[`;
    let prefix = '"';
    for await (const page of names) {
      yield Buffer.from(`${prefix}${page.names}"`, 'latin1');
      prefix = ',"';
    }
    yield ']}';
  }

  return {
    /** Identifies the contract by its long-lived token. @throws Failure not_authenticated | rate_limited | forbidden */
    async identify(token: string | undefined, address: string): Promise<Extract<Principal, { kind: 'contract' }>> {
      const contract = token === undefined ? undefined : await contracts.findByToken(token);
      if (contract === undefined) {
        const waitMs = invalidTokens.take(addressGroup(address));
        if (waitMs > 0) throw invalidTokensFailure(waitMs);
        throw new Failure(
          'not_authenticated',
          'The long-lived token of a contract is missing or invalid. Send it in the header Authorization: Bearer <token>.',
        );
      }
      if (!contract.enabled) throw new Failure('forbidden', 'This contract has been disabled.');
      return { kind: 'contract', contract: contract.contractId, scopes: new Set(['keyring:read'] as const) };
    },

    /**
     * Streams the keyring as JSON.
     * @param options.host this service's own host, the issuer of the token
     * @throws Failure not_found | forbidden
     */
    async stream(
      id: string,
      { host, skip, take }: { host: string; skip: number; take?: number | undefined },
    ): Promise<AsyncGenerator<string | Buffer>> {
      const { namespaces } = await findEnabled(id);
      const [token] = await Promise.all([
        keys.sign({ iss: host, contract: id, namespaces }),
        database.run((db) => audit.note(db, { actor: id, action: 'keyring.read', subject: id })),
      ]);
      return formatKeyring(token, readPages(id, skip, take ?? Number.POSITIVE_INFINITY));
    },
  };
};
