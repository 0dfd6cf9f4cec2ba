import { spawn } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Benchmark, Pda } from './support/context.ts';
import { ROOT, type BenchmarkProcess } from './support/processes.ts';
import { median, megabytes, two } from './support/stats.ts';

const MEGABYTE = 1_000_000;
const BYTES = 2_000_000_000;
const QUICK_BYTES = 500_000_000;
const ROUNDS = 3;
const MIN_RATIO = 0.7;
const MAX_GROWTH_MB = 60;
const SAMPLE_MS = 50;

/** Writes a file of random bytes, which no file system can compress. */
const makeFile = (file: string, bytes: number): void => {
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(4 * MEGABYTE);
  for (let remaining = bytes; remaining > 0; remaining -= block.length) {
    randomFillSync(block);
    writeSync(handle, block, 0, Math.min(remaining, block.length));
  }
  closeSync(handle);
};

/** Returns the milliseconds of one transfer. */
const transfer = async (...args: string[]): Promise<number> => {
  const child = spawn(process.execPath, ['bench/support/transfer.ts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const took = Number(await text(child.stdout));
  if (!(took > 0)) throw new Error(`transfer ${args[0] ?? ''} failed`);
  return took;
};

/** Measures the peak growth of a process in bytes during some work. */
const growthDuring = async <T>(
  server: BenchmarkProcess,
  work: () => Promise<T>,
): Promise<{ result: T; growth: number }> => {
  const before = server.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, server.rss());
  }, SAMPLE_MS);
  try {
    return { result: await work(), growth: peak - before };
  } finally {
    clearInterval(timer);
  }
};

type UploadedFile = { fileId: string; contentUrl: string };

const call = async (pda: Pda, method: string, path: string, body?: object): Promise<UploadedFile> => {
  const response = await fetch(`${pda.url}/api/v2.6${path}`, {
    method,
    headers: { ...pda.headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return (await response.json()) as UploadedFile;
};

/**
 * Compares upload and download of a large file, including hashing and fsync, with a bare server that pipes to and from
 * disk.
 */
export const filesTransfer: Benchmark = async (context) => {
  const bytes = context.quick ? QUICK_BYTES : BYTES;
  const folder = join(context.folder, 'transfer');
  mkdirSync(folder, { recursive: true });
  const source = join(folder, 'source');
  makeFile(source, bytes);
  const pda = await context.pda();
  const bare = await context.bare('files.ts', [folder]);

  const up: number[] = [];
  const down: number[] = [];
  const upBare: number[] = [];
  const downBare: number[] = [];
  let growth = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { fileId, contentUrl } = await call(pda, 'POST', '/files/upload', { name: 'large.bin', source: 'bench' });
    upBare.push(await transfer('put', `${bare.url}/`, source));
    const uploadGrowth = await growthDuring(pda, () => transfer('put', contentUrl, source));
    const complete = await call(pda, 'PUT', `/files/file/${fileId}/complete`);
    downBare.push(await transfer('get', `${bare.url}/`));
    const downloadGrowth = await growthDuring(pda, () => transfer('get', complete.contentUrl));
    up.push(uploadGrowth.result);
    down.push(downloadGrowth.result);
    growth = Math.max(growth, uploadGrowth.growth, downloadGrowth.growth);
    await call(pda, 'DELETE', `/files/file/${fileId}`);
  }
  rmSync(folder, { recursive: true, force: true });

  const figure = (label: string, pdaTimes: readonly number[], bareTimes: readonly number[]) => {
    const rates = (times: readonly number[]): string => `${megabytes((bytes / median(times)) * 1000)}/s`;
    const ratios = pdaTimes.map((took, round) => (bareTimes[round] ?? 0) / took);
    return {
      what: label,
      value: median(ratios),
      target: MIN_RATIO,
      better: 'more',
      unit: 'ratio',
      detail: `${rates(pdaTimes)} against ${rates(bareTimes)}; ${ratios.map(two).join(', ')} in ${ROUNDS} rounds`,
    } as const;
  };
  const size = megabytes(bytes);
  return [
    figure(`Upload of ${size}, hashed and on the disk, to a bare server that pipes to disk`, up, upBare),
    figure(`Download of ${size}, to a bare server that pipes from disk`, down, downBare),
    {
      what: `Growth of memory while ${size} go up and down`,
      value: growth / MEGABYTE,
      target: MAX_GROWTH_MB,
      better: 'less',
      unit: 'MB',
      detail: `resident, the most of ${ROUNDS} rounds`,
    },
  ];
};
