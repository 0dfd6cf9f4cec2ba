import { spawn } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Benchmark } from './support/context.ts';
import { call, callJson } from './support/pda.ts';
import { measurePeakMemory, ROOT } from './support/processes.ts';
import { median, formatMegabytes, toFixed2 } from './support/stats.ts';

const MEGABYTE = 1_000_000;
const FILE_BYTES = 2_000_000_000;
const QUICK_FILE_BYTES = 500_000_000;
const ROUNDS = 3;
const MIN_RATIO = 0.7;
const MAX_GROWTH_MB = 60;

/** Writes random bytes, which a file system cannot compress. */
const writeRandomFile = (file: string, bytes: number): void => {
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(4 * MEGABYTE);
  for (let remaining = bytes; remaining > 0; remaining -= block.length) {
    randomFillSync(block);
    writeSync(handle, block, 0, Math.min(remaining, block.length));
  }
  closeSync(handle);
};

/** Runs support/transfer.ts. @returns the duration in milliseconds */
const measureTransfer = async (...args: string[]): Promise<number> => {
  const child = spawn(process.execPath, ['bench/support/transfer.ts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const durationMs = Number(await text(child.stdout));
  if (!(durationMs > 0)) throw new Error(`transfer ${args[0] ?? ''} failed`);
  return durationMs;
};

type UploadedFile = { fileId: string; contentUrl: string };

/**
 * Compares uploads and downloads with a server that only pipes to and from disk. The account server also hashes and
 * syncs the file.
 */
export const filesTransfer: Benchmark = async (context) => {
  const bytes = context.quick ? QUICK_FILE_BYTES : FILE_BYTES;
  const folder = join(context.folder, 'transfer');
  mkdirSync(folder, { recursive: true });
  const source = join(folder, 'source');
  writeRandomFile(source, bytes);
  const pda = await context.startPda();
  const baseline = await context.startBaseline('files.ts', [folder]);

  const uploadMs: number[] = [];
  const downloadMs: number[] = [];
  const baselineUploadMs: number[] = [];
  const baselineDownloadMs: number[] = [];
  let growth = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { fileId, contentUrl } = await callJson<UploadedFile>(pda, 'POST', 'files/upload', {
      name: 'large.bin',
      source: 'bench',
    });
    baselineUploadMs.push(await measureTransfer('put', `${baseline.url}/`, source));
    const rssBeforeUpload = pda.rss();
    const upload = await measurePeakMemory(pda, () => measureTransfer('put', contentUrl, source));
    const completedFile = await callJson<UploadedFile>(pda, 'PUT', `files/file/${fileId}/complete`);
    baselineDownloadMs.push(await measureTransfer('get', `${baseline.url}/`));
    const rssBeforeDownload = pda.rss();
    const download = await measurePeakMemory(pda, () => measureTransfer('get', completedFile.contentUrl));
    uploadMs.push(upload.result);
    downloadMs.push(download.result);
    growth = Math.max(growth, upload.peakBytes - rssBeforeUpload, download.peakBytes - rssBeforeDownload);
    await call(pda, 'DELETE', `files/file/${fileId}`);
  }
  rmSync(folder, { recursive: true, force: true });

  const createFigure = (label: string, pdaTimes: readonly number[], baselineTimes: readonly number[]) => {
    const formatRate = (times: readonly number[]): string => `${formatMegabytes((bytes / median(times)) * 1000)}/s`;
    const ratios = pdaTimes.map((durationMs, round) => (baselineTimes[round] ?? 0) / durationMs);
    return {
      label,
      value: median(ratios),
      target: MIN_RATIO,
      better: 'more',
      unit: 'ratio',
      detail: `${formatRate(pdaTimes)}, baseline ${formatRate(baselineTimes)}; ${ratios.map(toFixed2).join(', ')} in ${ROUNDS} rounds`,
    } as const;
  };
  const size = formatMegabytes(bytes);
  return [
    createFigure(
      `Upload of ${size}, hashed and synced to disk, compared with a bare server that pipes to disk`,
      uploadMs,
      baselineUploadMs,
    ),
    createFigure(
      `Download of ${size}, compared with a bare server that pipes from disk`,
      downloadMs,
      baselineDownloadMs,
    ),
    {
      label: `Memory growth while ${size} are uploaded and downloaded`,
      value: growth / MEGABYTE,
      target: MAX_GROWTH_MB,
      better: 'less',
      unit: 'MB',
      detail: `resident, highest of ${ROUNDS} rounds`,
    },
  ];
};
