import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../platform/postgres/database.test-support.ts';
import { startTestExchange, type TestExchange } from '../exchange.test-support.ts';
import { createPlugService } from '../plugs/service.ts';
import type { Database, Db, Tx } from '../storage/index.ts';
import { buildApplication } from './application.test-support.ts';
import { createCatalogue } from './catalogue.ts';
import { createApplicationService, type ApplicationService } from './service.ts';

/** Length of the description. All responses together reach the limit in bytes, but the 100 cached ones do not. */
const TEXT_CHARS = 190_000;
const CACHED_RESPONSES_MAX_BYTES = 200_000_000;

let exchange: TestExchange;
beforeAll(async () => {
  exchange = await startTestExchange({ database: await createTestDatabase() });
});
afterAll(() => exchange.close());

describe('the catalogue of published applications', () => {
  /** Creates services whose catalogue is read at the end of each transaction, before the commit. */
  const createServices = () => {
    const { accounts, pdas, audit, database } = exchange.exchange;
    const readingDatabase: Database = {
      ...database,
      transact: <Result>(work: (tx: Tx) => Promise<Result>) =>
        database.transact(async (tx): Promise<Result> => {
          const result = await work(tx);
          await applications.listPublished({}, null);
          return result;
        }),
    };
    const parts = { database: readingDatabase, audit, accounts, clock: exchange.clock };
    const applications: ApplicationService = createApplicationService(parts);
    return { applications, plugs: createPlugService({ ...parts, pdas, applications }) };
  };
  const listPublishedIdKeys = async (applications: ApplicationService): Promise<string[]> =>
    [...(await applications.listPublishedIdKeys())].toSorted();

  it('contains a published application immediately, even if the catalogue was read before the commit', async () => {
    const { applications, plugs } = createServices();
    await applications.register(buildApplication('walk'), { publish: true, actor: 'test' });
    expect(await listPublishedIdKeys(applications)).toStrictEqual(['walk']);
    const { name: owner } = await exchange.createAccount(['dataPlug']);
    const plug = {
      name: 'Steps',
      description: 'Imports steps.',
      url: 'https://steps.example/connect',
      illustrationUrl: 'https://steps.example/logo.png',
      passwordHash: `$2b$10$${'a'.repeat(53)}`,
      approved: true,
      owner,
    };
    await plugs.register(plug, 'test');
    expect(await listPublishedIdKeys(applications)).toStrictEqual(['steps', 'walk']);
  });

  it('is not replaced by an older state whose read ends later', async () => {
    const { applications, database } = exchange.exchange;
    const contentRead = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    let reads = 0;
    const slowDatabase: Database = {
      ...database,
      async run<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
        reads += 1;
        // The first read is of the version, the second of the applications.
        const isSlow = reads === 2;
        const result = await database.run(work);
        if (isSlow) {
          contentRead.resolve();
          await release.promise;
        }
        return result;
      },
    };
    const catalogue = createCatalogue({ database: slowDatabase, clock: exchange.clock });
    const olderIds = catalogue.listIdKeys();
    await contentRead.promise;
    await applications.register(buildApplication('late'), { publish: true, actor: 'test' });
    catalogue.invalidate();
    expect((await catalogue.listIdKeys()).has('late')).toBe(true);
    release.resolve();
    expect((await olderIds).has('late')).toBe(false);
    expect((await catalogue.listIdKeys()).has('late')).toBe(true);
  });

  it('does not count evicted responses against the limit in bytes', async () => {
    const { applications } = exchange.exchange;
    const largeApplication = buildApplication('large', { kind: 'Tool' });
    largeApplication.info.description.text = 'x'.repeat(TEXT_CHARS);
    await applications.register(largeApplication, { publish: true, actor: 'test' });
    const list = (limit: number) => applications.listPublished({ kind: 'Tool', limit }, null);
    const queryCount = Math.ceil(CACHED_RESPONSES_MAX_BYTES / TEXT_CHARS);
    let earlierResponse: unknown;
    for (let limit = 1; limit <= queryCount; limit += 1) {
      const response = await list(limit);
      if (limit === queryCount - 50) earlierResponse = response;
    }
    expect(await list(queryCount - 50)).toBe(earlierResponse);
  });
});
