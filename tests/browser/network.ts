import { anApplication } from '../support/applications.ts';
import { createContracts } from '../../server/contracts/contracts.ts';
import { createExchange } from '../../server/exchange/exchange.ts';
import { startFakeExchange, type FakeExchange } from '../../server/pda/network/exchange/fake-exchange.test-support.ts';
import { silentLog } from '../../server/platform/log.ts';
import { type Pda, test as base } from './pda.ts';

/**
 * A network around the PDA: a real exchange and a real contracts service with organisations, and a fake exchange
 * with a minimal interface, which starts immediately, for tests of single pages.
 */

const DAY = 86_400_000;
const PASSWORD = 'correct horse battery staple';

export interface ExchangeHere {
  url: string;
  host: string;
  /** Registers an Offer and approves it. */
  offer(offer: Record<string, unknown> & { offerId: string }): Promise<void>;
  close(): Promise<void>;
}

export interface ContractsHere {
  url: string;
  /** Creates a contract. Its application is `contractApplication`. */
  contract(id: string, name: string): Promise<void>;
  close(): Promise<void>;
}

export function offerOf(offerId: string, overrides: Record<string, unknown> = {}) {
  return {
    offerId,
    title: 'How far do people walk?',
    description: 'We compare cities by how far people walk in them. Participants get a map of their own walks.',
    starts: Date.now() - DAY,
    expires: Date.now() + 30 * DAY,
    collectionDuration: 14 * DAY,
    requiredData: {
      name: `walks-${offerId}`,
      bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping: { day: 'date', steps: 'count' } }] } },
    },
    requiredMinUser: 1,
    requiredMaxUser: 1000,
    ...overrides,
  };
}

const READ = { role: 'namespaceread', detail: 'fitness' };
const WRITE = { role: 'namespacewrite', detail: 'study' };

/** The application that the owner sets up to join a contract. */
export function contractApplication(id: string, name: string) {
  const application = anApplication({ id, roles: [READ, WRITE], info: { name } });
  return { ...application, kind: { ...application.kind, kind: 'Contract' } };
}

async function startExchange(): Promise<ExchangeHere> {
  const exchange = await createExchange({ database: ':memory:', log: silentLog(), network: { allowLoopback: true } });
  const { url } = await exchange.listen(0);
  const { host } = new URL(url);
  const account = async (name: string, role: 'administrator' | 'marketPlace'): Promise<string> => {
    await exchange.accounts.create({ name, password: PASSWORD, roles: [role] }, 'test');
    return (await exchange.accounts.signIn(name, PASSWORD, { address: '127.0.0.1', host, local: true })).token;
  };
  const operator = await account('operator', 'administrator');
  const acme = await account('Acme', 'marketPlace');
  const call = async (method: string, path: string, token: string, body?: unknown): Promise<void> => {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-auth-token': token },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };
  return {
    url,
    host,
    async offer(offer) {
      await call('POST', '/api/v2/offer', acme, offer);
      await call('PUT', `/api/v2/offer/${offer.offerId}?status=approved`, operator);
    },
    close: () => exchange.close(),
  };
}

async function startContracts(): Promise<ContractsHere> {
  const service = await createContracts({ database: ':memory:', log: silentLog(), network: { allowLoopback: true } });
  const { port } = await service.listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    async contract(id, name) {
      const namespaces = [
        { namespace: 'fitness', read: true, write: false },
        { namespace: 'study', read: false, write: true },
      ];
      await service.contracts.create(
        { id, name, namespaces, description: 'Compares how people walk and rest.', developer: 'University of Leeds' },
        'test',
      );
    },
    close: () => service.close(),
  };
}

/** Restarts the PDA with an address that the services can reach and additional settings. */
export async function openToNetwork(pda: Pda, config: Record<string, unknown> = {}): Promise<void> {
  await pda.configure({ development: { allowLoopback: true }, publicUrl: pda.url, ...config });
}

/** Does the same and registers with the exchange. */
export async function joinExchange(pda: Pda, exchange: string): Promise<void> {
  await openToNetwork(pda);
  const now = await pda.call('PUT', '/api/v2.6/owner/network', { exchange });
  const response = JSON.stringify(now);
  if (!response.includes('"state":"registered"')) throw new Error(response);
}

export const test = base.extend<{ exchange: ExchangeHere; contracts: ContractsHere; fakePda: FakeExchange }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads which fixtures are wanted from this pattern
  exchange: async ({}, use) => {
    const exchange = await startExchange();
    await use(exchange);
    await exchange.close();
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads which fixtures are wanted from this pattern
  fakePda: async ({}, use) => {
    const fakePda = await startFakeExchange({ now: () => Date.now() });
    await use(fakePda);
    await fakePda.close();
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads which fixtures are wanted from this pattern
  contracts: async ({}, use) => {
    const contracts = await startContracts();
    await use(contracts);
    await contracts.close();
  },
});

export {
  DIALOG,
  expect,
  expectAccessible,
  expectAccessibleInAllVariants as expectAccessibleToo,
  notice,
} from './pda.ts';
