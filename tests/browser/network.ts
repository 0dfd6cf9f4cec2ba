import { anApplication } from '../support/applications.ts';
import { createContracts } from '../../server/contracts/contracts.ts';
import { createExchange } from '../../server/exchange/exchange.ts';
import { startFakeExchange, type FakeExchange } from '../../server/pda/network/exchange/fake-exchange.test-support.ts';
import { silentLog } from '../../server/platform/log.ts';
import { type Pda, test as base } from './pda.ts';

// Fixtures for tests of the PDA's network: a real exchange, a real contracts service, and a fake exchange with a
// minimal interface, which starts immediately, for tests of single pages.

const DAY_MS = 86_400_000;
const PASSWORD = 'correct horse battery staple';

interface RunningExchange {
  url: string;
  /** Registers an Offer and approves it. */
  addOffer(offer: Record<string, unknown> & { offerId: string }): Promise<void>;
  close(): Promise<void>;
}

interface RunningContracts {
  url: string;
  /** Creates a contract. Owners join it with the application that `contractApplication` returns for the same ID. */
  addContract(id: string, name: string): Promise<void>;
  close(): Promise<void>;
}

export function offerOf(offerId: string) {
  return {
    offerId,
    title: 'How far do people walk?',
    description: 'We compare cities by how far people walk in them. Participants get a map of their own walks.',
    starts: Date.now() - DAY_MS,
    expires: Date.now() + 30 * DAY_MS,
    collectionDuration: 14 * DAY_MS,
    requiredData: {
      name: `walks-${offerId}`,
      bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping: { day: 'date', steps: 'count' } }] } },
    },
    requiredMinUser: 1,
    requiredMaxUser: 1000,
  };
}

const READ_ROLE = { role: 'namespaceread', detail: 'fitness' };
const WRITE_ROLE = { role: 'namespacewrite', detail: 'study' };

/** Returns the application that the owner sets up to join a contract. */
export function contractApplication(id: string, name: string) {
  const application = anApplication({ id, roles: [READ_ROLE, WRITE_ROLE], info: { name } });
  return { ...application, kind: { ...application.kind, kind: 'Contract' } };
}

async function startExchange(): Promise<RunningExchange> {
  const exchange = await createExchange({ database: ':memory:', log: silentLog(), network: { allowLoopback: true } });
  const { url } = await exchange.listen(0);
  const { host } = new URL(url);
  /** Creates an account with a role and returns its token. */
  const createAccountToken = async (name: string, role: 'administrator' | 'marketPlace'): Promise<string> => {
    await exchange.accounts.create({ name, password: PASSWORD, roles: [role] }, 'test');
    return (await exchange.accounts.signIn(name, PASSWORD, { address: '127.0.0.1', host, local: true })).token;
  };
  const operatorToken = await createAccountToken('operator', 'administrator');
  const acmeToken = await createAccountToken('Acme', 'marketPlace');
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
    async addOffer(offer) {
      await call('POST', '/api/v2/offer', acmeToken, offer);
      await call('PUT', `/api/v2/offer/${offer.offerId}?status=approved`, operatorToken);
    },
    close: () => exchange.close(),
  };
}

async function startContracts(): Promise<RunningContracts> {
  const service = await createContracts({ database: ':memory:', log: silentLog(), network: { allowLoopback: true } });
  const { port } = await service.listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    async addContract(id, name) {
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

/** Restarts the PDA with additional settings and with an address that the services can reach. */
export async function openToNetwork(pda: Pda, config: Record<string, unknown> = {}): Promise<void> {
  await pda.configure({ development: { allowLoopback: true }, publicUrl: pda.url, ...config });
}

/** Restarts the PDA like `openToNetwork` and registers it with the exchange. */
export async function joinExchange(pda: Pda, exchange: string): Promise<void> {
  await openToNetwork(pda);
  const registration = await pda.call('PUT', '/api/v2.6/owner/network', { exchange });
  const response = JSON.stringify(registration);
  if (!response.includes('"state":"registered"')) throw new Error(response);
}

export const test = base.extend<{ exchange: RunningExchange; contracts: RunningContracts; fakeExchange: FakeExchange }>(
  {
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
    exchange: async ({}, use) => {
      const exchange = await startExchange();
      await use(exchange);
      await exchange.close();
    },
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
    fakeExchange: async ({}, use) => {
      const fakeExchange = await startFakeExchange({ now: () => Date.now() });
      await use(fakeExchange);
      await fakeExchange.close();
    },
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
    contracts: async ({}, use) => {
      const contracts = await startContracts();
      await use(contracts);
      await contracts.close();
    },
  },
);

export { DIALOG, expect, expectAccessible, expectAccessibleInExtraVariants, notice } from './pda.ts';
