import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { pdfBomb, pdfOfPages, pdfOfStreams } from '../../../../tests/support/pdf.ts';
import { FILE_TEXTS_MAX_BYTES } from '../../../wire/work-limits.ts';
import type { Topic } from '../../core/events/service.ts';
import { registerQueryFunctions } from '../../data/queries/sql/functions.ts';
import { startTestFolder, type TestFolder } from '../folder/harness.test-support.ts';
import { createFileTextIndexer, type FileTextIndexer } from './indexer.ts';
import { TEXT_READER_VERSION, toFileText } from './rules.ts';
import { createFileTextStore, type FileTextStore } from './store.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const FAULTY_THREAD = new URL('./faulty-thread.test-support.ts', import.meta.url);
const INDEXER_PROCESS = join(import.meta.dirname, 'indexer-process.test-support.ts');

let folder: TestFolder;
let store: FileTextStore;
let indexer: FileTextIndexer;
let settings: { enabled: boolean; excludedSources: string[]; fileTexts: boolean };
let logText: string;
let listener: ((topic: Topic) => void) | undefined;
let now: number;
beforeEach(async () => {
  folder = await startTestFolder();
  registerQueryFunctions(folder.db);
  settings = { enabled: true, excludedSources: [], fileTexts: true };
  logText = '';
  now = 0;
});
afterEach(async () => {
  await indexer.close();
  await folder.remove();
});

type IndexerParts = Parameters<typeof createFileTextIndexer>[0];

const startIndexer = (parts: Partial<Pick<IndexerParts, 'thread' | 'disk' | 'writer'>> = {}): void => {
  const { db, store: files, disk, writer } = folder;
  store = createFileTextStore(db, {
    all: async <Row>(sql: string, parameters?: readonly unknown[]) =>
      db.prepare(sql).all(...(parameters ?? [])) as Row[],
  });
  indexer = createFileTextIndexer({
    store,
    files,
    disk,
    writer,
    events: {
      onTopic: (topicListener) => {
        listener = topicListener;
        return () => (listener = undefined);
      },
    },
    settings: () => settings,
    clock: { now: () => now },
    log: pino({ level: 'debug' }, { write: (line: string) => void (logText += line) }),
    ...parts,
  });
  indexer.start();
};
const waitUntilIndexed = () =>
  vi.waitFor(() => expect(store.isComplete()).toBe(true), { timeout: 120_000, interval: 10 });
/** Returns the stored text of a file; null if it could not be read, undefined if there is none. */
const textOf = (path: string): string | null | undefined => {
  const row = folder.db
    .prepare<[number], { state: string; text: string }>('SELECT state, text FROM file_texts WHERE seq = ?')
    .get(folder.row(path).seq);
  return row?.state === 'unreadable' ? null : row?.text;
};
/** Returns the texts of all files, ordered by path. */
const allTexts = (): (string | null | undefined)[] => [...folder.rows().keys()].toSorted().map(textOf);
const size = () => store.size({ isIdle: true });
/** Stores files, in the order in which they are read. */
const putFiles = async (...contents: string[]): Promise<void> => {
  for (const [index, content] of contents.entries()) {
    folder.put(`${index}.txt`, content);
    await folder.waitUntilIdle();
  }
};
const search = async (word: string): Promise<string[]> =>
  (await store.search(`"${word}" *`, word, { take: 10, excludedSources: settings.excludedSources })).map(
    ({ name }) => name,
  );
const countIndexed = (): number | undefined =>
  folder.db.prepare<[], number>('SELECT count(*) FROM file_text_words_docsize').pluck().get();

describe('the indexer of the text of files', () => {
  it('reads text files, HTML and PDFs', async () => {
    folder.put('notes.md', '# Walk\r\n\r\n  to the   lighthouse ');
    folder.put('data.json', '{"city":"Zürich"}');
    folder.put(
      'page.html',
      '<!doctype html><title>My page</title><script>let no</script><p>He<b>ll</b>o</p>\n<p>W\r\nX',
    );
    folder.put('letter.pdf', pdfOfPages([['Invoice (4711)', 'Café Zürich'], ['Second page']]));
    folder.put('picture.bin', Buffer.from([0xff, 0, 1, 2]));
    await folder.waitUntilIdle();
    startIndexer();
    await waitUntilIndexed();
    expect(textOf('notes.md')).toBe('# Walk\nto the lighthouse');
    expect(textOf('data.json')).toBe('{"city":"Zürich"}');
    expect(textOf('page.html')).toBe('My page\nHello\nW X');
    expect(textOf('letter.pdf')).toMatch(/^Invoice \(4711\)\s+Café Zürich\s+Second page$/u);
    expect(textOf('picture.bin')).toBeUndefined();
    expect((await search('zurich')).toSorted()).toEqual(['data.json', 'letter.pdf']);
    expect(await search('light')).toEqual(['notes.md']);
  });

  it('reads the beginning of large texts', async () => {
    folder.put('long.txt', 'word '.repeat(300_000));
    folder.put(
      'long.pdf',
      pdfOfPages(Array.from({ length: 80 }, () => Array.from({ length: 40 }, () => 'x'.repeat(60)))),
    );
    await folder.waitUntilIdle();
    startIndexer();
    await waitUntilIndexed();
    expect([textOf('long.txt')?.length, textOf('long.pdf')?.length]).toEqual([100_000, 100_000]);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'marks PDFs that are damaged, encrypted or too large when decompressed, and reads the others',
    async () => {
      const readablePdf = pdfOfPages([['readable']]);
      folder.put('0-good.pdf', readablePdf);
      folder.put('1-nothing.pdf', '%PDF-1.4\nnothing');
      folder.put(
        '2-encrypted.pdf',
        pdfOfStreams([{ content: Buffer.from('BT ET') }], '/Encrypt << /Filter /Unknown >>'),
      );
      folder.put('3-bomb.pdf', pdfBomb(600));
      folder.put('4-good.pdf', readablePdf);
      await folder.waitUntilIdle();
      startIndexer();
      await waitUntilIndexed();
      expect(allTexts()).toEqual(['readable', null, null, null, 'readable']);
      expect(await size()).toMatchObject({ remaining: 0, unreadable: 3 });
      expect(folder.store.hasUnreadableText(folder.row('3-bomb.pdf').seq)).toBe(true);
      expect(logText).toContain('too much memory');
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'reads the other files if one takes too long, needs too much memory or fails',
    async () => {
      await putFiles('hang', 'first', 'grow', 'buffers', 'throw', 'last');
      startIndexer({ thread: { file: FAULTY_THREAD, maxMs: 15_000 } });
      await waitUntilIndexed();
      expect(allTexts()).toEqual([null, 'first', null, null, null, 'last']);
      expect(logText).toContain('reading the text of a file took too long');
    },
  );

  it('marks an unreadable file immediately and resets the attempt counters of the other files on close', async () => {
    await putFiles('throw', 'hang', 'last');
    startIndexer({ thread: { file: FAULTY_THREAD, maxMs: 600_000 } });
    await vi.waitFor(() => expect(textOf('0.txt')).toBeNull(), { timeout: 60_000, interval: 10 });
    const attempts = folder.db.prepare('SELECT attempts FROM file_text_queue ORDER BY seq').pluck();
    expect(attempts.all()).toEqual([1, 1]);
    await indexer.close();
    expect(attempts.all()).toEqual([0, 0]);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'gives up on a file after the process was killed three times while reading it',
    async () => {
      await putFiles('first', 'kill', 'last');
      await folder.stop();
      const signals: unknown[] = [];
      do {
        const child = spawn(process.execPath, [INDEXER_PROCESS, folder.home], {
          stdio: ['ignore', 'ignore', 'inherit'],
        });
        const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
        signals.push(signal);
      } while (signals.at(-1) !== null && signals.length < 10);
      await folder.start();
      startIndexer();
      expect(signals).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL', null]);
      expect([store.isComplete(), allTexts()]).toEqual([true, ['first', null, 'last']]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('stores several texts in one transaction only up to 50,000 characters', async () => {
    await putFiles(...Array.from({ length: 4 }, () => 'word '.repeat(6000)));
    const bytes = folder.db.prepare<[], number>('SELECT bytes FROM file_text_progress').pluck();
    const { writer } = folder;
    const sums: number[] = [0];
    startIndexer({
      writer: {
        ...writer,
        write: async (job) => {
          const result = await writer.write(job);
          sums.push(bytes.get() ?? 0);
          return result;
        },
      },
    });
    await waitUntilIndexed();
    expect(sums.at(-1)).toBe(4 * 29_999);
    for (const [index, sum] of sums.entries()) expect(sum - (sums[index - 1] ?? 0)).toBeLessThanOrEqual(50_000);
  });

  it('removes markup only from files that are HTML or XML documents', async () => {
    folder.put('notes.md', '# Walrus\n\nA `<script>` element, and Map<string, number>\n</script> at the end');
    folder.put('list.html', '<ul><li>one<li>two</ul>');
    folder.put('feed.txt', '<?xml version="1.0"?><feed><title>three</title></feed>');
    await folder.waitUntilIdle();
    startIndexer();
    await waitUntilIndexed();
    expect(textOf('notes.md')).toContain('Map<string, number>\n</script> at the end');
    expect([textOf('list.html'), textOf('feed.txt')]).toEqual(['one\ntwo', 'three']);
  });
});

describe('a file that cannot be opened or read', () => {
  it.each(['open', 'read'])('is opened again later, and does not count as remaining: %s', async (step) => {
    await putFiles('first', step === 'read' ? 'disk' : 'second');
    let attempts = 0;
    let isRepaired = false;
    startIndexer({
      thread: { file: FAULTY_THREAD, maxMs: 60_000 },
      disk: {
        open: (row) => {
          if (row.path !== '1.txt') return folder.disk.open(row);
          attempts += 1;
          if (isRepaired || step === 'read') return folder.disk.open(row);
          return Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES' }));
        },
      },
    });
    /** Runs the indexer, which reads a new file after those that are due. */
    const attemptAgain = async (): Promise<void> => {
      folder.put(`later-${now}.txt`, 'later');
      await folder.waitUntilIdle();
      listener?.('files');
      await waitUntilIndexed();
    };
    await waitUntilIndexed();
    expect(await size()).toMatchObject({ remaining: 0, unopened: 1, unreadable: 0 });
    expect(await search('first')).toEqual(['0.txt']);
    await attemptAgain();
    expect(attempts).toBe(1);
    now += 60_000;
    await attemptAgain();
    expect(attempts).toBe(2);
    now += 60_000;
    await attemptAgain();
    expect(attempts).toBe(2);
    now += 60_000;
    isRepaired = true;
    await attemptAgain();
    expect(await size()).toMatchObject({ unopened: step === 'read' ? 1 : 0 });
  });
});

describe('an unreadable file', () => {
  it.skipIf(!IS_THOROUGH_RUN)('is read again by a later version of the reader', async () => {
    folder.put('damaged.pdf', '%PDF-1.4\nnothing');
    await folder.waitUntilIdle();
    startIndexer();
    await waitUntilIndexed();
    folder.db.exec('UPDATE file_texts SET reader = reader - 1');
    indexer.start();
    const reader = folder.db.prepare<[], number>("SELECT reader FROM file_texts WHERE state = 'unreadable'").pluck();
    await vi.waitFor(() => expect(reader.get()).toBe(TEXT_READER_VERSION), { timeout: 60_000, interval: 10 });
  });
});

describe('the total size limit of file texts', () => {
  it.skipIf(!IS_THOROUGH_RUN)('leaves out further files until space is available again', async () => {
    await putFiles('walrus');
    startIndexer();
    await waitUntilIndexed();
    folder.db.exec(`UPDATE file_text_progress SET bytes = bytes + ${FILE_TEXTS_MAX_BYTES}`);
    folder.put('later.txt', 'walrus');
    await folder.waitUntilIdle();
    listener?.('files');
    await waitUntilIndexed();
    expect(await size()).toMatchObject({ remaining: 0, leftOut: 1 });
    expect(await search('walrus')).toEqual(['0.txt']);
    folder.db.exec(`UPDATE file_text_progress SET bytes = bytes - ${FILE_TEXTS_MAX_BYTES}`);
    listener?.('files');
    await vi.waitFor(async () => expect(await size()).toMatchObject({ leftOut: 0 }), { timeout: 60_000, interval: 10 });
    await waitUntilIndexed();
    expect((await search('walrus')).toSorted()).toEqual(['0.txt', 'later.txt']);
  });
});

describe('the text of a file', () => {
  const indexFile = async (path: string, content: string): Promise<void> => {
    folder.put(path, content);
    await folder.waitUntilIdle();
    startIndexer();
    await waitUntilIndexed();
    expect(await search('walrus')).toHaveLength(1);
  };
  const deletion = { time: 0, by: 'owner', undo_path: null, inode: null } as const;

  it.skipIf(!IS_THOROUGH_RUN)('is replaced when the content is replaced', async () => {
    await indexFile('a.txt', 'walrus');
    folder.put('a.txt', 'penguins');
    await folder.waitUntilIdle();
    expect([textOf('a.txt'), countIndexed()]).toEqual([undefined, 0]);
    listener?.('files');
    await waitUntilIndexed();
    expect([await search('walrus'), await search('penguin')]).toEqual([[], ['a.txt']]);
  });

  it('is removed when the file is deleted, in the same transaction', async () => {
    await indexFile('a.txt', 'walrus');
    const { seq } = folder.row('a.txt');
    await folder.writer.write((tx) => {
      folder.store.remove(tx, { seq, ...deletion });
      expect([countIndexed(), store.isExamined(seq), store.isComplete()]).toEqual([0, false, true]);
    });
  });

  it('is removed when the file is erased, in the same transaction', async () => {
    await indexFile('a.txt', 'walrus');
    const { seq } = folder.row('a.txt');
    await folder.writer.write((tx) => {
      folder.store.erase(tx, seq);
      expect([countIndexed(), store.isExamined(seq)]).toEqual([0, false]);
    });
  });

  it('is not stored if the content was replaced while it was being read', async () => {
    await indexFile('a.txt', 'walrus');
    const row = folder.row('a.txt');
    await folder.writer.write((tx) => {
      store.remove(tx, row.seq);
      store.add(tx, { seq: row.seq, sha256: 'that of earlier content' }, toFileText('earlier'));
    });
    expect(store.isExamined(row.seq)).toBe(false);
  });

  it('is removed when its source is excluded, and read again when the source is included', async () => {
    await indexFile('secret/a.txt', 'walrus');
    settings = { ...settings, excludedSources: ['secret'] };
    expect(await search('walrus')).toEqual([]);
    await folder.writer.write((tx) => store.requeue(tx));
    expect(store.isComplete()).toBe(false);
    indexer.start();
    await waitUntilIndexed();
    expect(countIndexed()).toBe(0);
    settings = { ...settings, excludedSources: [] };
    await folder.writer.write((tx) => store.requeue(tx));
    indexer.start();
    await waitUntilIndexed();
    expect(await search('walrus')).toEqual(['a.txt']);
  });

  it('is removed when the setting is turned off', async () => {
    await indexFile('a.txt', 'walrus');
    settings = { ...settings, fileTexts: false };
    await folder.writer.write((tx) => store.requeue(tx));
    indexer.start();
    await waitUntilIndexed();
    const expectEmpty = async () => expect((await size()).bytes).toBeLessThan(100);
    await vi.waitFor(expectEmpty, { timeout: 60_000, interval: 10 });
    expect([countIndexed(), textOf('a.txt')]).toEqual([0, undefined]);
  });
});
