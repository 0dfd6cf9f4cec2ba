import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, describe, inject, vi } from 'vitest';
import { z } from 'zod';
import { IS_THOROUGH_RUN } from '../../../tests/support/long-run.ts';
import { startDatabaseHost } from './server-client.test-support.ts';

export type DatabaseKind = 'postgresql' | 'pglite';
export type TestDatabases = {
  readonly kind: DatabaseKind;
  /** Creates an empty database and returns its address. */
  createDatabase(): Promise<string>;
};

const sharedSchema = z.object({
  url: z.string().optional(),
  template: z.string().optional(),
  folder: z.string().optional(),
});

const requestDatabase = async (command: 'start' | 'template'): Promise<z.infer<typeof sharedSchema>> => {
  const response = await fetch(`${inject('databases')}/${command}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return sharedSchema.parse(JSON.parse(text));
};

const createDatabaseOn = async (server: string): Promise<string> => {
  const name = `t${randomBytes(8).toString('hex')}`;
  const client = new Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    // Without fsync, copying the template's files takes half as long as writing them to the write-ahead log.
    await client.query(`CREATE DATABASE ${name} STRATEGY FILE_COPY`);
  } finally {
    await client.end();
  }
  return `${server}/${name}`;
};

/** Creates an empty database on the PostgreSQL server that all test files share. */
export const createTestDatabase = async (): Promise<string> =>
  createDatabaseOn((await requestDatabase('start')).url ?? '');

/** Copies an empty PGlite folder, because initialising one takes seconds. */
export const copyPgliteTemplate = async (target: string): Promise<void> => {
  const { template = '' } = await requestDatabase('template');
  // Copying a thousand files synchronously takes a third of the time of copying them asynchronously.
  cpSync(template, target, { recursive: true });
};

/** Creates a PGlite folder with an empty database. The folder is removed when the test run ends. */
export const createPgliteFolder = async (): Promise<string> => {
  const { folder = '' } = await requestDatabase('template');
  const path = await mkdtemp(join(folder, 'copy-'));
  await copyPgliteTemplate(path);
  return path;
};

/** Time limit for the first test file, which waits until the databases are created, on a busy machine. */
const SETUP_TIMEOUT_MS = 120_000;

type Suite = (database: TestDatabases) => void;

const describeDatabases = (name: string, usesPglite: boolean, suite: Suite): void => {
  vi.setConfig({ hookTimeout: SETUP_TIMEOUT_MS });
  describe(`${name}, on PostgreSQL`, () => {
    const createDatabase = async (): Promise<string> => {
      const address = await createTestDatabase();
      // Creates the PGlite template during this half of the suite. The other half reports a failure.
      if (usesPglite) requestDatabase('template').catch(() => undefined);
      return address;
    };
    suite({ kind: 'postgresql', createDatabase });
  });
  describe.skipIf(!usesPglite)(`${name}, on PGlite`, () => {
    const folders: string[] = [];
    afterAll(async () => {
      for (const path of folders) await rm(path, { recursive: true, force: true });
    });
    const createDatabase = async (): Promise<string> => {
      const path = await createPgliteFolder();
      folders.push(path);
      return path;
    };
    suite({ kind: 'pglite', createDatabase });
  });
};

/** Runs the suite on a PostgreSQL server and on PGlite, the default database of the services. */
export const describeOnBothDatabases = (name: string, suite: Suite): void => describeDatabases(name, true, suite);

/** Runs the suite on a PostgreSQL server, and in thorough runs also on PGlite, which takes twice the time. */
export const describeOnDatabases = (name: string, suite: Suite): void =>
  describeDatabases(name, IS_THOROUGH_RUN, suite);

/** A PostgreSQL server that a test can stop and restart while a program uses it. */
export type OwnPostgres = {
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const host = startDatabaseHost();
  const { url = '' } = await host.send('start');
  return {
    createDatabase: () => createDatabaseOn(url),
    stop: async () => void (await host.send('stop')),
    start: async () => void (await host.send('start')),
    close: () => host.close(),
  };
};
