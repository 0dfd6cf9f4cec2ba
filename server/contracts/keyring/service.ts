import { addressGroup } from '../../platform/address-group.ts';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Principal } from '../../platform/principal.ts';
import { createRateLimit } from '../../platform/rate-limit.ts';
import type { ContractService, ContractState } from '../contracts/service.ts';
import type { KeyService } from '../keys/service.ts';
import type { Audit, Database } from '../storage/index.ts';
import { namesAfter, type NamesPage } from './store.ts';

export type KeyringService = {
  /** Whose the long-lived token is. @throws Failure not_authenticated | rate_limited | forbidden */
  identify(token: string | undefined, address: string): Promise<Extract<Principal, { kind: 'contract' }>>;
  /** The keyring as JSON, piece by piece. `host` is the name under which the caller knows us. */
  write(
    contract: string,
    call: { host: string; skip: number; take?: number | undefined },
  ): Promise<AsyncGenerator<string | Buffer>>;
};

/** Names that are read at a time: a string that V8 keeps among what is short-lived, and a statement of a few milliseconds. */
const PAGE = 5000;
/** Pages that the database may be ahead of the caller. */
const AHEAD = 4;

/** Wrong tokens from one network that are looked at, and milliseconds until one more is. */
const WRONG_BURST = 20;
const WRONG_INTERVAL_MS = 3000;

const waitFor = (ms: number): Failure =>
  new Failure('rate_limited', 'Too many tokens that are none. Wait a moment.', {
    headers: { 'retry-after': String(Math.ceil(ms / 1000)) },
  });

export const createKeyringService = (parts: {
  database: Database;
  contracts: ContractService;
  keys: KeyService;
  audit: Audit;
  clock: Clock;
}): KeyringService => {
  const { database, contracts, keys, audit, clock } = parts;
  const wrong = createRateLimit({ burst: WRONG_BURST, intervalMs: WRONG_INTERVAL_MS, clock });

  const allowed = async (id: string): Promise<ContractState> => {
    const contract = await contracts.find(id);
    if (!contract.enabled) throw new Failure('forbidden', 'This contract has been disabled.');
    return contract;
  };

  async function* pages(contract: string, skip: number, take: number): AsyncGenerator<NamesPage> {
    let left = take;
    let stopped = false;
    const read = async (before?: NamesPage): Promise<NamesPage | undefined> => {
      const limit = Math.min(PAGE, left);
      if (stopped || limit <= 0) return undefined;
      left -= limit;
      const page = { contract, after: before?.last, skip: before === undefined ? skip : 0, take: limit };
      return database.read((db) => namesAfter(db, page));
    };
    const following = (before: Promise<NamesPage | undefined>): Promise<NamesPage | undefined> => {
      const next = before.then((page) => (page === undefined || page.count < PAGE ? undefined : read(page)));
      // Should the caller go away meanwhile, nobody waits for it any more.
      next.catch(() => undefined);
      return next;
    };
    // While the first of them is on its way, the database works on the next.
    const queue = [read()];
    try {
      for (;;) {
        while (queue.length <= AHEAD) queue.push(following(queue.at(-1) ?? read()));
        const page = await queue.shift();
        if (page === undefined) return;
        yield page;
      }
    } finally {
      stopped = true;
    }
  }

  async function* written(token: string, names: AsyncGenerator<NamesPage>): AsyncGenerator<string | Buffer> {
    yield `{"token":${JSON.stringify(token)},"associatedPdas":[`;
    let separator = '"';
    for await (const page of names) {
      yield Buffer.from(`${separator}${page.names}"`, 'latin1');
      separator = ',"';
    }
    yield ']}';
  }

  return {
    async identify(token, address) {
      const contract = token === undefined ? undefined : await contracts.ofToken(token);
      if (contract === undefined) {
        const wait = wrong.take(addressGroup(address));
        if (wait > 0) throw waitFor(wait);
        throw new Failure('not_authenticated', 'This needs the long-lived token of a contract: Authorization: Bearer.');
      }
      if (!contract.enabled) throw new Failure('forbidden', 'This contract has been disabled.');
      return { kind: 'contract', contract: contract.contractId, scopes: new Set(['keyring:read'] as const) };
    },

    async write(id, { host, skip, take }) {
      const [{ namespaces }] = await Promise.all([
        allowed(id),
        database.read((db) => audit.note(db, { who: id, what: 'keyring.read', subject: id })),
      ]);
      const token = await keys.sign({ iss: host, contract: id, namespaces });
      return written(token, pages(id, skip, take ?? Number.POSITIVE_INFINITY));
    },
  };
};
