import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Source } from '../server/pda/data/imports/archives/source.ts';
import type { ElementProblem } from '../server/pda/data/imports/tabular/element-source.ts';
import { readInThread, summariseInThread } from '../server/pda/data/imports/worker/client.ts';
import { START_CURSOR, type ExportCursor, type ImportThreadTask } from '../server/pda/data/imports/worker/messages.ts';
import { buildZip } from './support/archives.ts';
import { newFolder, removeFolders } from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Tests imports whose parser hangs or whose file stalls. A fake clock ends the wait for the thread immediately.

const THREAD = new URL('./support/hanging-import-thread.ts', import.meta.url);
const STALLING_THREAD = new URL('./support/stalling-import-thread.ts', import.meta.url);
/** Copied from the thread modules, which cannot be imported here. */
const HANGING_TEXT = 'this message never ends';
const HANGING_CHANNEL = 'hanging-import-thread';
const MAX_SILENCE_MS = 60_000;

let hangCount = 0;
let channel: BroadcastChannel;

beforeEach(() => {
  hangCount = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  channel = new BroadcastChannel(HANGING_CHANNEL);
  channel.addEventListener('message', () => {
    hangCount += 1;
    // The client of the thread may still be processing a batch, and sets its timer afterwards.
    const endSilence = (): void => {
      if (vi.getTimerCount() === 0) setImmediate(endSilence);
      else vi.advanceTimersByTime(MAX_SILENCE_MS);
    };
    endSilence();
  });
});
afterEach(() => {
  channel.close();
  vi.useRealTimers();
});
afterAll(removeFolders);

const mail = (id: string, text: string): string =>
  `From a@example.org Wed Jan 10 08:00:00 2024\nMessage-ID: <${id}@example.org>\nDate: Wed, 10 Jan 2024 09:00:00 +0100\nFrom: a@example.org\n\n${text}\n\n`;
const mailbox = (...texts: string[]): string => texts.map((text, index) => mail(`m${index}`, text)).join('');
const sourceOf = (name: string, content: Buffer | string): Source => {
  const path = join(newFolder(), name);
  writeFileSync(path, content);
  return { path, start: 0, size: Buffer.byteLength(content), name };
};

type ReadResult = { texts: unknown[]; problems: ElementProblem[]; cursors: ExportCursor[] };

const readAll = async (source: Source, from: ExportCursor = START_CURSOR): Promise<ReadResult> => {
  const result: ReadResult = { texts: [], problems: [], cursors: [] };
  const task: ImportThreadTask = { task: 'read', sources: [source], kinds: ['mail/messages'], bank: undefined, from };
  for await (const message of readInThread(task, { module: THREAD, maxSilenceMs: MAX_SILENCE_MS })) {
    if (message.type !== 'batch') continue;
    result.texts.push(...message.entries.map(({ text }) => (JSON.parse(text) as { text: unknown }).text));
    result.problems.push(...message.problems);
    result.cursors.push(message.cursor);
  }
  return result;
};

describe('an import with a message that hangs its reader', () => {
  it('reads the other messages, and reports the position of each one that hangs the reader', async () => {
    const mails = mailbox('one', HANGING_TEXT, 'three', HANGING_TEXT, 'five');
    const zip = buildZip([
      { name: 'a.mbox', data: mails },
      { name: 'b.mbox', data: mailbox('six') },
    ]);
    const { texts, problems } = await readAll(sourceOf('mails.zip', zip));
    expect(texts).toEqual(['one', 'three', 'five', 'six']);
    expect(problems).toEqual(
      [8, 22].map((line) => ({
        position: `mails.zip/a.mbox, line ${line}`,
        problem: 'reading this entry took too long',
      })),
    );
    expect(hangCount).toBe(2);
  });

  it('resumes after an interruption without reading the message again', async () => {
    const source = sourceOf('mails.mbox', mailbox('one', HANGING_TEXT, 'three'));
    const { cursors } = await readAll(source);
    expect(hangCount).toBe(1);
    const abandoned = cursors.at(-1)?.abandoned ?? [];
    expect(abandoned).toEqual([{ source: 0, member: 0, entry: 2 }]);
    const resumedResult = await readAll(source, { ...START_CURSOR, entry: 1, abandoned });
    expect(resumedResult).toMatchObject({ texts: ['three'], problems: [{ position: 'mails.mbox, line 8' }] });
    expect(hangCount).toBe(1);
  });

  it.skipIf(!IS_THOROUGH_RUN)('has a preview that counts the other messages', async () => {
    const sources = [sourceOf('mails.mbox', mailbox('one', HANGING_TEXT, 'three'))];
    const task = { task: 'summarise', sources, bank: undefined, maxMs: MAX_SILENCE_MS } as const;
    const summary = await summariseInThread(task, { module: THREAD, maxSilenceMs: MAX_SILENCE_MS });
    expect(summary).toMatchObject({ complete: true, kinds: [{ endpoint: 'mail/messages', count: 2 }] });
    expect(summary.problems).toMatchObject({ count: 1, first: [{ position: 'mails.mbox, line 8' }] });
  });

  it.skipIf(!IS_THOROUGH_RUN)('has no preview if too many messages hang the reader', async () => {
    const sources = [sourceOf('mails.mbox', mailbox('one', ...Array.from({ length: 4 }, () => HANGING_TEXT)))];
    const task = { task: 'summarise', sources, bank: undefined, maxMs: MAX_SILENCE_MS } as const;
    const summary = summariseInThread(task, { module: THREAD, maxSilenceMs: MAX_SILENCE_MS });
    await expect(summary).rejects.toThrow('reading a part of the file took too long');
    expect(hangCount).toBe(4);
  });
});

describe('an import whose content stalls between two chunks', () => {
  /** Location history of several chunks. Each of its entries contains ten points. */
  const timeline = (): string =>
    JSON.stringify({
      semanticSegments: Array.from({ length: 1000 }, () => ({
        startTime: '2024-06-01T10:00:00.000+02:00',
        endTime: '2024-06-01T11:00:00.000+02:00',
        timelinePath: Array.from({ length: 10 }, (_, minute) => ({
          point: '52.5200066\u00b0, 13.404954\u00b0',
          time: `2024-06-01T10:0${minute}:00.000+02:00`,
        })),
      })),
    });
  const EXPECTED_ERROR = 'reading a part of the file took too long';

  it.skipIf(!IS_THOROUGH_RUN)('fails instead of omitting the entry that was read last', async () => {
    const sources = [sourceOf('Timeline.json', timeline())];
    const task = { task: 'read', sources, kinds: ['google/locations'], bank: undefined, from: START_CURSOR } as const;
    const problems: ElementProblem[] = [];
    const readStalling = async (): Promise<void> => {
      for await (const message of readInThread(task, { module: STALLING_THREAD, maxSilenceMs: MAX_SILENCE_MS }))
        if (message.type === 'batch') problems.push(...message.problems);
    };
    await expect(readStalling()).rejects.toThrow(EXPECTED_ERROR);
    expect([hangCount, problems]).toEqual([1, []]);
  });

  it('has no preview', async () => {
    const sources = [sourceOf('Timeline.json', timeline())];
    const task = { task: 'summarise', sources, bank: undefined, maxMs: MAX_SILENCE_MS } as const;
    const summary = summariseInThread(task, { module: STALLING_THREAD, maxSilenceMs: MAX_SILENCE_MS });
    await expect(summary).rejects.toThrow(EXPECTED_ERROR);
    expect(hangCount).toBe(1);
  });
});
