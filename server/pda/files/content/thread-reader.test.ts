import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import type { FileRow } from '../store.ts';
import type { FileText } from '../texts/rules.ts';
import { LEAK_BYTES } from './faults.test-support.ts';
import { createThreadReader, type ThreadReader } from './thread-reader.ts';

const FAULTY_THREAD = new URL('../texts/faulty-thread.test-support.ts', import.meta.url);
const ROW = { seq: 1, name: 'a.txt', size: 10, type: 'text/plain' } as FileRow;

let folder: string;
let reader: ThreadReader<FileText | null>;
let logText: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-thread-reader-'));
  logText = '';
});
afterEach(async () => {
  await reader.close();
  rmSync(folder, { recursive: true });
});

const startReader = (thread = FAULTY_THREAD): void => {
  reader = createThreadReader<FileText | null>({
    thread,
    maxMs: 60_000,
    heapMaxMb: 128,
    buffersMaxBytes: LEAK_BYTES * 1.7,
    fallback: null,
    subject: 'a file',
    disk: { open: () => open(join(folder, 'content')) },
    log: pino({ level: 'debug' }, { write: (line: string) => void (logText += line) }),
  });
};
const read = async (content: string): Promise<string | null | undefined> => {
  writeFileSync(join(folder, 'content'), content);
  const result = await reader.read(ROW);
  return result === null ? null : result?.text;
};

describe('content that is read in a thread', () => {
  it('is read again in a new thread if earlier content has used up the memory', async () => {
    startReader();
    expect([await read('leak'), await read('leak')]).toEqual(['leak', 'leak']);
    expect(logText).toContain('too much memory');
  });

  it('is not reported as unreadable if the disk fails', async () => {
    startReader();
    expect([await read('disk'), await read('throw'), await read('text')]).toEqual([undefined, null, 'text']);
    expect(logText).toContain('EIO');
  });

  it('is not reported as unreadable if the thread cannot start', async () => {
    startReader(new URL('./no-such-thread.ts', import.meta.url));
    expect(await read('text')).toBeUndefined();
    expect(logText).toContain('THREAD_START_FAILED');
  });
});
