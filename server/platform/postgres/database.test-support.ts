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
  /** The address of an empty database of one's own. */
  fresh(): Promise<string>;
};

const sharedSchema = z.object({
  url: z.string().optional(),
  template: z.string().optional(),
  folder: z.string().optional(),
});

const ask = async (what: 'start' | 'template'): Promise<z.infer<typeof sharedSchema>> => {
  const answer = await fetch(`${inject('databases')}/${what}`);
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return sharedSchema.parse(JSON.parse(text));
};

/** An empty database on this server. */
const createOn = async (server: string): Promise<string> => {
  const name = `t${randomBytes(8).toString('hex')}`;
  const client = new Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    // Nothing waits for the disk here: to copy its files takes half of what it takes to log them.
    await client.query(`CREATE DATABASE ${name} STRATEGY FILE_COPY`);
  } finally {
    await client.end();
  }
  return `${server}/${name}`;
};

/** An empty database on the PostgreSQL that all test files share. */
export const freshPostgres = async (): Promise<string> => createOn((await ask('start')).url ?? '');

/** An empty PGlite folder that is set up already: making one takes seconds, copying one does not. */
export const copyFolder = async (to: string): Promise<void> => {
  const { template = '' } = await ask('template');
  // A thousand files: one after the other takes a third of what their promises take.
  cpSync(template, to, { recursive: true });
};

/** A PGlite folder of one's own. It is removed at the end of the run, or before. */
export const freshFolder = async (): Promise<string> => {
  const { folder = '' } = await ask('template');
  const path = await mkdtemp(join(folder, 'copy-'));
  await copyFolder(path);
  return path;
};

/** Milliseconds. The first file of a run waits until the databases are made, on a machine that does other things too. */
const MADE_WITHIN_MS = 120_000;

type Suite = (database: FreshDatabases) => void;

/** Runs the same suite on the real PostgreSQL and on PGlite, the default database of the services. */
export const onBothDatabases = (name: string, suite: Suite): void => {
  vi.setConfig({ hookTimeout: MADE_WITHIN_MS });
  describe(`${name}, on PostgreSQL`, () => {
    const fresh = async (): Promise<string> => {
      const address = await freshPostgres();
      // It is made while this half of the suite runs; whether that went well is for the other half.
      ask('template').catch(() => undefined);
      return address;
    };
    suite({ kind: 'postgresql', fresh });
  });
  describe(`${name}, on PGlite`, () => {
    const made: string[] = [];
    afterAll(async () => {
      for (const path of made) await rm(path, { recursive: true, force: true });
    });
    const fresh = async (): Promise<string> => {
      const path = await freshFolder();
      made.push(path);
      return path;
    };
    suite({ kind: 'pglite', fresh });
  });
};

/** A PostgreSQL of one's own, to be stopped and started again under a running program. */
export type OwnPostgres = {
  fresh(): Promise<string>;
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
};

export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const keeper = startKeeper();
  const { url = '' } = await keeper.tell('start');
  return {
    fresh: () => createOn(url),
    stop: async () => void (await keeper.tell('stop')),
    start: async () => void (await keeper.tell('start')),
    close: () => keeper.close(),
  };
};
