import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client } from 'pg';
import { startDatabaseHost } from '../server/platform/postgres/server-client.test-support.ts';
import type { Benchmark } from './support/context.ts';
import { runToCompletion, startProcess, type BenchmarkProcess } from './support/processes.ts';
import { median, toFixed2, formatRounded } from './support/stats.ts';

const MEMBERS = 1_000_000;
const MAX_FIRST_BYTE_MS = 100;
const MIN_RATIO = 0.5;
const MAX_GROWTH_MB = 50;
const ROUNDS = 7;
/** Interval of memory samples during a response. */
const SAMPLE_MS = 10;

const CONTRACT = 'bench';

/** Returns the path of the newest installed psql, or `psql`, which is then searched in the PATH. */
const findPsql = (): string => {
  const versions = '/usr/lib/postgresql';
  const installedVersion = existsSync(versions)
    ? readdirSync(versions)
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, 'bin/psql'))
        .find((path) => existsSync(path))
    : undefined;
  return installedVersion ?? 'psql';
};

/** Copies the keyring's column with psql. */
const copyWithPsql = async (database: string): Promise<{ ms: number; bytes: number }> => {
  const sql = `COPY (SELECT pda_name FROM members WHERE contract_id = '${CONTRACT}') TO STDOUT`;
  const startedAt = performance.now();
  const child = spawn(findPsql(), [database, '-X', '-q', '-c', sql], { stdio: ['ignore', 'pipe', 'inherit'] });
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`psql ended with ${code}`);
  return { ms: performance.now() - startedAt, bytes };
};

type ReadTiming = { firstMs: number; ms: number; bytes: number };

/** Reads a complete keyring and discards the data. */
const readKeyring = (url: string, token: string, query = ''): Promise<ReadTiming> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const outgoing = request(
      `${url}/v1/contracts/keyring${query}`,
      { headers: { authorization: `Bearer ${token}` } },
      (response) => {
        let firstMs = 0;
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          if (bytes === 0) firstMs = performance.now() - startedAt;
          bytes += chunk.length;
        });
        response.once('error', reject);
        response.once('end', () => {
          if (response.statusCode === 200) resolve({ firstMs, ms: performance.now() - startedAt, bytes });
          else reject(new Error(`could not read the keyring: ${response.statusCode}`));
        });
      },
    );
    outgoing.once('error', reject);
    outgoing.end();
  });

const rssOf = ({ pid }: BenchmarkProcess): number => {
  const file = `/proc/${pid}/status`;
  const rssKb = existsSync(file) ? /^VmRSS:\s+(\d+)/mu.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return Number(rssKb ?? 0) * 1024;
};

/** Returns the peak resident memory of a process during `work`, in bytes. */
const peakDuring = async (running: BenchmarkProcess, work: () => Promise<unknown>): Promise<number> => {
  let peakBytes = rssOf(running);
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, rssOf(running));
  }, SAMPLE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peakBytes;
};

/** Compares two ways to read a contract's keyring of a million PDAs: the service, and a psql copy of the column. */
export const networkKeyring: Benchmark = async () => {
  const databaseHost = startDatabaseHost();
  try {
    const { url: server = '' } = await databaseHost.send('start');
    const database = `${server}/postgres`;
    const create = ['contract', 'create', '--name', CONTRACT, '--namespace', 'fitness:rw', '--database', database];
    const output = runToCompletion('server/contracts/cli.ts', create);
    const token = /^token (\S+)$/mu.exec(output)?.[1] ?? '';
    const client = new Client({ connectionString: database });
    await client.connect();
    await client.query(
      `INSERT INTO members SELECT $1, 'pda-' || substr(md5(n::text), 1, 12), 1 FROM generate_series(1, $2::int) n`,
      [CONTRACT, MEMBERS],
    );
    await client.query('VACUUM ANALYZE members');
    await client.end();

    const service = await startProcess('server/contracts/cli.ts', ['serve', '--database', database]);
    try {
      const reads: ReadTiming[] = [];
      const copies: number[] = [];
      // Warm-up: memory of one-time initialisation does not count as growth.
      await readKeyring(service.url, token, '?take=1');
      const initialBytes = rssOf(service);
      let peakBytes = initialBytes;
      for (let round = 0; round < ROUNDS; round += 1) {
        peakBytes = Math.max(
          peakBytes,
          await peakDuring(service, async () => reads.push(await readKeyring(service.url, token))),
        );
        copies.push((await copyWithPsql(database)).ms);
      }
      const ms = median(reads.map((timing) => timing.ms));
      const firstByteMs = reads.map((timing) => timing.firstMs);
      const size = `${toFixed2((reads[0]?.bytes ?? 0) / 1e6)} MB`;
      const label = `Keyring of a contract with ${formatRounded(MEMBERS)} PDAs`;
      return [
        {
          label: `${label}, first byte`,
          value: Math.max(...firstByteMs),
          target: MAX_FIRST_BYTE_MS,
          better: 'less',
          unit: 'ms',
          detail: `longest of ${ROUNDS}; median ${toFixed2(median(firstByteMs))} ms`,
        },
        {
          label: `${label}, complete response, compared with a copy of the same column by psql`,
          value: median(copies) / ms,
          target: MIN_RATIO,
          better: 'more',
          unit: 'ratio',
          detail: `${size} in ${toFixed2(ms)} ms, psql ${toFixed2(median(copies))} ms; medians of ${ROUNDS} alternating rounds`,
        },
        {
          label: `${label}, memory growth`,
          value: (peakBytes - initialBytes) / 1e6,
          target: MAX_GROWTH_MB,
          better: 'less',
          unit: 'MB',
          detail: `highest resident size during ${ROUNDS} responses, minus the size before the first, ${toFixed2(initialBytes / 1e6)} MB`,
        },
      ];
    } finally {
      await service.stop();
    }
  } finally {
    await databaseHost.close();
  }
};
