import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, describe, inject, vi } from 'vitest';
import { z } from 'zod';
import { startKeeper } from './server-client.test-support.ts';

export type DatabaseKind = 'postgresql' | 'pglite';
export type FreshDatabases = {
  readonly kind: DatabaseKind;
  /** Creates an empty database and returns its address. */
  fresh(): Promise<string>;
};

const sharedSchema = z.object({
  url: z.string().optional(),
  template: z.string().optional(),
  folder: z.string().optional(),
});

const ask = async (command: 'start' | 'template'): Promise<z.infer<typeof sharedSchema>> => {
  const response = await fetch(`${inject('databases')}/${command}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return sharedSchema.parse(JSON.parse(text));
};

/** Creates an empty database on this server. */
const createOn = async (server: string): Promise<string> => {
  const name = `t${randomBytes(8).toString('hex')}`;
  const client = new Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    // Without fsync, copying the files of the template takes half the time of logging them.
    await client.query(`CREATE DATABASE ${name} STRATEGY FILE_COPY`);
  } finally {
    await client.end();
  }
  return `${server}/${name}`;
};

/** Creates an empty database on the PostgreSQL that all test files share. */
export const freshPostgres = async (): Promise<string> => createOn((await ask('start')).url ?? '');

/** Copies an initialised empty PGlite folder, since initialising one takes seconds. */
export const copyFolder = async (to: string): Promise<void> => {
  const { template = '' } = await ask('template');
  // For a thousand files, synchronous copying takes a third of the time of promises.
  cpSync(template, to, { recursive: true });
};

/** Creates a PGlite folder. It is removed at the end of the run at the latest. */
export const freshFolder = async (): Promise<string> => {
  const { folder = '' } = await ask('template');
  const path = await mkdtemp(join(folder, 'copy-'));
  await copyFolder(path);
  return path;
};

/** Milliseconds. The first test file waits until the databases are created, on a busy machine. */
const SETUP_TIMEOUT_MS = 120_000;

type Suite = (database: FreshDatabases) => void;

/** Runs the same suite on the real PostgreSQL and on PGlite, the default database of the services. */
export const onBothDatabases = (name: string, suite: Suite): void => {
  vi.setConfig({ hookTimeout: SETUP_TIMEOUT_MS });
  describe(`${name}, on PostgreSQL`, () => {
    const fresh = async (): Promise<string> => {
      const address = await freshPostgres();
      // Created while this half of the suite runs; the other half reports a failure.
      ask('template').catch(() => undefined);
      return address;
    };
    suite({ kind: 'postgresql', fresh });
  });
  describe(`${name}, on PGlite`, () => {
    const folders: string[] = [];
    afterAll(async () => {
      for (const path of folders) await rm(path, { recursive: true, force: true });
    });
    const fresh = async (): Promise<string> => {
      const path = await freshFolder();
      folders.push(path);
      return path;
    };
    suite({ kind: 'pglite', fresh });
  });
};

/** A separate PostgreSQL that a test can stop and restart under a running program. */
export type OwnPostgres = {
  fresh(): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const keeper = startKeeper();
  const { url = '' } = await keeper.send('start');
  return {
    fresh: () => createOn(url),
    stop: async () => void (await keeper.send('stop')),
    start: async () => void (await keeper.send('start')),
    close: () => keeper.close(),
  };
};
