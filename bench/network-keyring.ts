import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client } from 'pg';
import { startKeeper } from '../server/platform/postgres/server-client.test-support.ts';
import type { Benchmark } from './support/context.ts';
import { runToEnd, start, type Running } from './support/processes.ts';
import { median, two, whole } from './support/stats.ts';

const MEMBERS = 1_000_000;
const FIRST_BYTE_MS = 100;
const RATIO = 0.5;
const GROWTH_MB = 50;
const ROUNDS = 7;
/** Milliseconds between two memory samples during a response. */
const SAMPLE_MS = 10;

const CONTRACT = 'bench';

/** Returns the path of the newest installed psql. */
const psql = (): string => {
  const versions = '/usr/lib/postgresql';
  const found = existsSync(versions)
    ? readdirSync(versions)
        .toSorted((one, other) => Number(other) - Number(one))
        .map((version) => join(versions, version, 'bin/psql'))
        .find((path) => existsSync(path))
    : undefined;
  return found ?? 'psql';
};

/** Copies the same column with psql. Returns the milliseconds and the bytes. */
const copy = async (database: string): Promise<{ ms: number; bytes: number }> => {
  const sql = `COPY (SELECT pda_name FROM members WHERE contract_id = '${CONTRACT}') TO STDOUT`;
  const startedAt = performance.now();
  const child = spawn(psql(), [database, '-X', '-q', '-c', sql], { stdio: ['ignore', 'pipe', 'inherit'] });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`psql ended with ${code}`);
  return { ms: performance.now() - startedAt, bytes };
};

type Read = { firstMs: number; ms: number; bytes: number };

/** Reads a complete keyring and discards the data. */
const read = (url: string, token: string, query = ''): Promise<Read> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const sent = request(
      `${url}/v1/contracts/keyring${query}`,
      { headers: { authorization: `Bearer ${token}` } },
      (answer) => {
        let firstMs = 0;
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          if (bytes === 0) firstMs = performance.now() - startedAt;
          bytes += chunk.length;
        });
        answer.once('error', reject);
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve({ firstMs, ms: performance.now() - startedAt, bytes });
          else reject(new Error(`keyring: ${answer.statusCode}`));
        });
      },
    );
    sent.once('error', reject);
    sent.end();
  });

const rssOf = ({ pid }: Running): number => {
  const file = `/proc/${pid}/status`;
  const found = existsSync(file) ? /^VmRSS:\s+(\d+)/mu.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Number(found ?? 0) * 1024;
};

/** Returns the peak memory of a process during some work. */
const peakDuring = async (running: Running, work: () => Promise<unknown>): Promise<number> => {
  let most = rssOf(running);
  const timer = setInterval(() => {
    most = Math.max(most, rssOf(running));
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return most;
};

/** Compares reading the keyring of a contract with a million PDAs with psql copying the same column. */
export const networkKeyring: Benchmark = async () => {
  const keeper = startKeeper();
  try {
    const { url: server = '' } = await keeper.tell('start');
    const database = `${server}/postgres`;
    const create = ['contract', 'create', '--name', CONTRACT, '--namespace', 'fitness:rw', '--database', database];
    const output = runToEnd('server/contracts/cli.ts', create);
    const token = /^token (\S+)$/mu.exec(output)?.[1] ?? '';
    const client = new Client({ connectionString: database });
    await client.connect();
    await client.query(
      `INSERT INTO members SELECT $1, 'pda-' || substr(md5(n::text), 1, 12), 1 FROM generate_series(1, $2::int) n`,
      [CONTRACT, MEMBERS],
    );
    await client.query('VACUUM ANALYZE members');
    await client.end();

    const service = await start('server/contracts/cli.ts', ['serve', '--database', database]);
    try {
      const reads: Read[] = [];
      const copies: number[] = [];
      // Warm-up: memory of one-time initialisation does not count as growth.
      await read(service.url, token, '?take=1');
      const before = rssOf(service);
      let most = before;
      for (let round = 0; round < ROUNDS; round += 1) {
        most = Math.max(most, await peakDuring(service, async () => reads.push(await read(service.url, token))));
        copies.push((await copy(database)).ms);
      }
      const ms = median(reads.map((one) => one.ms));
      const first = reads.map((one) => one.firstMs);
      const size = `${two((reads[0]?.bytes ?? 0) / 1e6)} MB`;
      const what = `Keyring of a contract with ${whole(MEMBERS)} PDAs`;
      return [
        {
          what: `${what}, first byte`,
          value: Math.max(...first),
          target: FIRST_BYTE_MS,
          better: 'less',
          unit: 'ms',
          detail: `the longest of ${ROUNDS}; median ${two(median(first))} ms`,
        },
        {
          what: `${what}, whole answer against psql copying the same column`,
          value: median(copies) / ms,
          target: RATIO,
          better: 'more',
          unit: 'ratio',
          detail: `${size} in ${two(ms)} ms, psql ${two(median(copies))} ms; medians of ${ROUNDS}, taking turns`,
        },
        {
          what: `${what}, growth of memory`,
          value: (most - before) / 1e6,
          target: GROWTH_MB,
          better: 'less',
          unit: 'MB',
          detail: `highest resident size in ${ROUNDS} answers over that before the first, ${two(before / 1e6)} MB`,
        },
      ];
    } finally {
      await service.stop();
    }
  } finally {
    await keeper.close();
  }
};
