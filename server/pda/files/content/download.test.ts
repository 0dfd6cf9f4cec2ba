import { rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentResponse } from './download.ts';
import type { FileRow } from '../store.ts';

const BYTES = 8 * 1024 * 1024;
const file = join(tmpdir(), `pda-reading-${process.pid}.bin`);
beforeAll(() => writeFileSync(file, Buffer.alloc(BYTES, 1)));
afterAll(() => rmSync(file, { force: true }));

const row = { name: 'a.bin', type: 'application/octet-stream', size: BYTES, sha256: 'x', updated: 0 } as FileRow;

/** Reads the whole content. @returns the number of received bytes, and the error if it failed */
const download = async (isAllowed: (bytes: number) => boolean): Promise<{ bytes: number; error: unknown }> => {
  let bytes = 0;
  const { stream } = contentResponse(
    row,
    {},
    { open: () => open(file), isAllowed: () => isAllowed(bytes), count: () => undefined },
  );
  if (stream === undefined) throw new Error('the response has no stream');
  try {
    for await (const chunk of stream) bytes += Buffer.byteLength(chunk);
    return { bytes, error: undefined };
  } catch (error) {
    return { bytes, error };
  }
};

describe('a download', () => {
  it('sends the whole file if the right to it lasts', async () => {
    expect(await download(() => true)).toStrictEqual({ bytes: BYTES, error: undefined });
  });

  it('is aborted when the right to the file ends', async () => {
    const { bytes, error } = await download((sentBytes) => sentBytes === 0);
    expect(error).toMatchObject({ code: 'forbidden' });
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(BYTES);
  });
});
