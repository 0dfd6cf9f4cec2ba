import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../../platform/log.ts';
import type { FunctionRegistration } from '../../../wire/functions.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { createRegistry, type RegisteredFunction } from '../catalogue/registry.ts';
import { createFakeFunctions, manifestFor, type FakeFunction } from '../harness.test-support.ts';
import type { FunctionHost } from '../runs/function-host.ts';
import { createFunctionStore, type FunctionStore } from '../store.ts';
import { createPublishedConfigurations, type PublishedConfigurations } from './published-configuration.ts';

const FUNCTION: FakeFunction = { id: 'hello' };
const REGISTRATION: FunctionRegistration = {
  id: 'hello',
  version: '1.0.0',
  baseUrl: 'https://functions.example',
  namespace: 'made',
  endpoint: 'hello',
};
const FIRST_RETRY_MS = 60_000;
const WORKING_HOST = createFakeFunctions(FUNCTION).host;
const FAILING_HOST = createFakeFunctions().host;

let db: Database.Database;
let store: FunctionStore;
let writer: Writer;
let configurations: PublishedConfigurations;
let endedRequests: number;

const create = async (
  registration: FunctionRegistration,
  hostOf: (registered: RegisteredFunction) => FunctionHost,
): Promise<void> => {
  configurations = createPublishedConfigurations({
    store,
    registry: createRegistry({ store, registrations: [registration] }),
    resolveTarget: async (registered) => ({
      target: { id: 'hello', version: '1.0.0', memoryMb: 128, timeoutMs: 10_000, location: '' },
      host: hostOf(registered),
    }),
    runQueued: (work) => work(new AbortController().signal),
    markChanged: () => undefined,
    writer,
    log: silentLog(),
  });
  await configurations.register();
};

const installPackage = (folder: string): Promise<void> =>
  writer.write((tx) =>
    store.putPackage(tx, {
      id: 'hello',
      manifest: JSON.stringify(manifestFor(FUNCTION)),
      folder,
      module: 'function.mjs',
      sha256: '',
      bytes: 1,
      installed: 0,
    }),
  );

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  db = new Database(':memory:');
  migrate(db);
  store = createFunctionStore(db);
  writer = createWriter(db);
  endedRequests = 0;
});
afterEach(async () => {
  await configurations.close();
  vi.useRealTimers();
  db.close();
});

it('schedules one retry of a failed request, even if it was started twice', async () => {
  const countingHost: FunctionHost = {
    open(...parameters) {
      const session = FAILING_HOST.open(...parameters);
      return {
        ...session,
        async close() {
          endedRequests += 1;
          return session.close();
        },
      };
    },
  };
  await create(REGISTRATION, () => countingHost);
  configurations.start();
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  configurations.start();
  await expect.poll(() => endedRequests).toBe(2);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(FIRST_RETRY_MS);
  await expect.poll(() => endedRequests).toBe(3);
  expect(vi.getTimerCount()).toBe(1);
});

it('does not retry the request for a package that was replaced', async () => {
  await installPackage('old');
  await create({ ...REGISTRATION, baseUrl: 'sandbox:hello' }, ({ package: row }) =>
    row?.folder === 'old' ? FAILING_HOST : WORKING_HOST,
  );
  configurations.start();
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  expect(store.find('hello')?.problem).toBe('there is no such function');
  await installPackage('new');
  configurations.start();
  await expect.poll(() => store.find('hello')?.configuration).toContain('The hello');
  expect(store.find('hello')?.problem).toBeNull();
  expect(vi.getTimerCount()).toBe(0);
});

it('retries with the package that was installed in the meantime', async () => {
  await installPackage('old');
  await create({ ...REGISTRATION, baseUrl: 'sandbox:hello' }, ({ package: row }) =>
    row?.folder === 'old' ? FAILING_HOST : WORKING_HOST,
  );
  configurations.start();
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  await installPackage('new');
  vi.advanceTimersByTime(FIRST_RETRY_MS);
  await expect.poll(() => store.find('hello')?.configuration).toContain('The hello');
});
