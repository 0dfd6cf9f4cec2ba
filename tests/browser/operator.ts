import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { type TestAccount, type TestExchange, startTestExchange } from '../../server/exchange/exchange.test-support.ts';
import { buildApplication } from '../../server/exchange/applications/application.test-support.ts';
import type { TestClock } from '../support/test-pda.ts';
import { test as base } from './pda.ts';

// A real exchange for browser tests, with methods that create applications, Offers and Data Plugs.

const PAGES_FOLDER = fileURLToPath(new URL('../../renderer/operator/dist', import.meta.url));
const DAY_MS = 86_400_000;

type Role = Parameters<TestExchange['createAccount']>[0][number];

export class BrowserExchange {
  readonly server: TestExchange;
  readonly root: TestAccount;
  constructor(server: TestExchange, root: TestAccount) {
    this.server = server;
    this.root = root;
  }

  get url(): string {
    return this.server.url;
  }

  createAccount(roles: readonly Role[], name: string): Promise<TestAccount> {
    return this.server.createAccount(roles, name);
  }

  async call(method: string, path: string, account: TestAccount | undefined, json?: unknown): Promise<unknown> {
    const { token } = account ?? { token: null };
    const reply = await this.server.call(method, path, { token, ...(json === undefined ? {} : { json }) });
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${String(reply.status)} ${reply.text}`);
    return reply.json;
  }

  async enter(page: Page, { token }: TestAccount, path = '/'): Promise<void> {
    await page.addInitScript((storedToken) => {
      if (sessionStorage.getItem('entered') !== null) return;
      sessionStorage.setItem('entered', 'yes');
      sessionStorage.setItem('pda-token', storedToken);
    }, token);
    await this.open(page, path);
  }

  async open(page: Page, path: string): Promise<void> {
    await page.goto(`${this.url}/#${path}`);
  }

  /** Creates an application and submits it for an administrator's decision. */
  async submitApplication(
    account: TestAccount,
    id: string,
    change: Parameters<typeof buildApplication>[1] = {},
  ): Promise<void> {
    await this.call('POST', '/api/v2/applications', account, buildApplication(id, change));
    await this.call('PUT', `/api/v2/applications/${id}/submit`, account);
  }

  async publishApplication(account: TestAccount, id: string): Promise<void> {
    await this.submitApplication(account, id);
    await this.call('PUT', `/api/v2/applications/${id}/publish`, account);
  }

  /** Creates an Offer that waits for approval. */
  async createOffer(account: TestAccount, offerId: string): Promise<void> {
    const now = this.server.clock.now();
    await this.call('POST', '/api/v2/offer', account, {
      offerId,
      title: 'How far a town walks',
      description: 'In return for the days that you share, you get a map of where the town walks.',
      starts: now - DAY_MS,
      expires: now + 90 * DAY_MS,
      collectionDuration: 30 * DAY_MS,
      requiredData: {
        name: 'walks',
        bundle: {
          steps: { endpoints: [{ endpoint: 'fitness/steps', mapping: { day: 'day', steps: 'count' } }], limit: 50 },
        },
      },
      requiredMinUser: 1,
      requiredMaxUser: 500,
    });
  }

  /** Registers a Data Plug that waits for approval. */
  createPlug(account: TestAccount, name: string, owner: TestAccount): Promise<unknown> {
    return this.call('POST', '/api/dataplugs', account, {
      name,
      description: `Brings what ${name} knows about you`,
      url: `https://${name.toLowerCase()}.example.org`,
      illustrationUrl: `https://${name.toLowerCase()}.example.org/logo.png`,
      passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21l$RdescudvJCsgt3ub+b2ZQeOTxUnMTTmyL0b3o2ZQeOQ',
      approved: false,
      owner: owner.name,
    });
  }
}

/** Creates a running clock that tests can set and advance. */
const createRunningClock = (): TestClock => {
  let offsetMs = 0;
  return {
    now: () => Date.now() + offsetMs,
    set: (ms) => {
      offsetMs = ms - Date.now();
    },
    advance: (ms) => {
      offsetMs += ms;
    },
  };
};

/** Starting an exchange takes seconds, so tests share one and use distinct names. */
export const test = base.extend<object, { exchange: BrowserExchange }>({
  exchange: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
    async ({}, use) => {
      if (!existsSync(`${PAGES_FOLDER}/index.html`)) throw new Error('Build the page first: npm run build');
      const exchange = await startTestExchange({
        database: ':memory:',
        clock: createRunningClock(),
        pages: PAGES_FOLDER,
        minReportingPdas: 1,
        compactionIntervalMs: 200,
      });
      await use(new BrowserExchange(exchange, await exchange.createAccount(['administrator'], 'root')));
      await exchange.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});
