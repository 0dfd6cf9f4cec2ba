import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Benchmark } from './support/context.ts';
import { findClientProgram, startPostgresServer, withClient } from './support/postgres-server.ts';
import { measurePeakMemory, runToCompletion, startProcess } from './support/processes.ts';
import { median, toFixed2, formatRounded } from './support/stats.ts';

const MEMBERS = 1_000_000;
const MAX_FIRST_BYTE_MS = 100;
const MIN_RATIO = 0.5;
const MAX_GROWTH_MB = 50;
const ROUNDS = 7;

const CONTRACT = 'bench';

/** Copies the column of the keyring with psql. @returns the duration in milliseconds */
const copyWithPsql = async (psql: string, database: string): Promise<number> => {
  const sql = `COPY (SELECT pda_name FROM members WHERE contract_id = '${CONTRACT}') TO STDOUT`;
  const startedAt = performance.now();
  const child = spawn(psql, [database, '-X', '-q', '-c', sql], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.resume();
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`psql ended with ${code}`);
  return performance.now() - startedAt;
};

type ReadTiming = { firstMs: number; ms: number; bytes: number };

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

export const networkKeyring: Benchmark = async () => {
  const psql = findClientProgram('psql');
  if (psql === undefined) {
    process.stderr.write('network-keyring skipped: psql was not found. Install the PostgreSQL client packages.\n');
    return [];
  }
  const postgres = await startPostgresServer(50);
  try {
    const database = postgres.url;
    const createArgs = ['contract', 'create', '--name', CONTRACT, '--namespace', 'fitness:rw', '--database', database];
    const output = runToCompletion('server/contracts/cli.ts', createArgs);
    const token = /^token (\S+)$/mu.exec(output)?.[1] ?? '';
    await withClient(database, async (client) => {
      await client.query(
        `INSERT INTO members SELECT $1, 'pda-' || substr(md5(n::text), 1, 12), 1 FROM generate_series(1, $2::int) n`,
        [CONTRACT, MEMBERS],
      );
      await client.query('VACUUM ANALYZE members');
    });

    const service = await startProcess('server/contracts/cli.ts', ['serve', '--database', database]);
    try {
      const reads: ReadTiming[] = [];
      const copyDurations: number[] = [];
      // Warm-up: memory of one-time initialisation does not count as growth.
      await readKeyring(service.url, token, '?take=1');
      const initialBytes = service.rss();
      let peakBytes = initialBytes;
      for (let round = 0; round < ROUNDS; round += 1) {
        const measurement = await measurePeakMemory(service, () => readKeyring(service.url, token));
        reads.push(measurement.result);
        peakBytes = Math.max(peakBytes, measurement.peakBytes);
        copyDurations.push(await copyWithPsql(psql, database));
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
          value: median(copyDurations) / ms,
          target: MIN_RATIO,
          better: 'more',
          unit: 'ratio',
          detail: `${size} in ${toFixed2(ms)} ms, psql ${toFixed2(median(copyDurations))} ms; medians of ${ROUNDS} alternating rounds`,
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
    await postgres.stop();
  }
};
