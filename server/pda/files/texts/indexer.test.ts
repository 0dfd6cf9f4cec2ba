import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { pdfBomb, pdfOfPages, pdfOfStreams } from '../../../../tests/support/pdf.ts';
import type { Topic } from '../../core/events/service.ts';
import { registerQueryFunctions } from '../../data/queries/sql/functions.ts';
import { startTestFolder, type TestFolder } from '../folder/harness.test-support.ts';
import { createFileTextIndexer, type FileTextIndexer } from './indexer.ts';
import { createFileTextStore, type FileTextStore } from './store.ts';

const FAULTY_THREAD = new URL('./faulty-thread.test-support.ts', import.meta.url);

let folder: TestFolder;
let store: FileTextStore;
let indexer: FileTextIndexer;
let settings: { enabled: boolean; excludedSources: string[]; fileTexts: boolean };
let logText: string;
let listener: ((topic: Topic) => void) | undefined;
beforeEach(async () => {
  folder = await startTestFolder();
  registerQueryFunctions(folder.db);
  settings = { enabled: true, excludedSources: [], fileTexts: true };
  logText = '';
});
afterEach(async () => {
  await indexer.close();
  await folder.remove();
});

const startIndexer = (parts: Partial<Pick<Parameters<typeof createFileTextIndexer>[0], 'thread'>> = {}): void => {
  const { db, store: files, disk, writer } = folder;
  store = createFileTextStore(db, {
    all: async <Row>(sql: string, parameters: readonly unknown[] = []) => db.prepare(sql).all(...parameters) as Row[],
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
    .prepare<[number], { readable: number; text: string }>('SELECT readable, text FROM file_texts WHERE seq = ?')
    .get(folder.row(path).seq);
  return row?.readable === 0 ? null : row?.text;
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
    folder.put('page.html', '<!doctype html><title>My page</title><script>let no</script><p>He<b>ll</b>o</p>\n<p>W');
    folder.put('letter.pdf', pdfOfPages([['Invoice (4711)', 'Café Zürich'], ['Second page']]));
    folder.put('picture.bin', Buffer.from([0xff, 0, 1, 2]));
    await folder.waitUntilIdle();
    startIndexer();
    await waitUntilIndexed();
    expect(textOf('notes.md')).toBe('# Walk\nto the lighthouse');
    expect(textOf('data.json')).toBe('{"city":"Zürich"}');
    expect(textOf('page.html')).toBe('My page\nHello\nW');
    expect(textOf('letter.pdf')).toMatch(/^Invoice \(4711\)\s+Café Zürich\s+Second page$/u);
    expect(textOf('picture.bin')).toBeUndefined();
    expect((await search('zurich')).toSorted()).toEqual(['data.json', 'letter.pdf']);
    expect(await search('light')).toEqual(['notes.md']);
  });

  it('reads the beginning of large texts', async () => {
    folder.put('long.txt', 'word '.repeat(300_000));
    folder.put('long.pdf', pdfOfPages(Array.from({ length: 40 }, (_, n) => [`page ${n}`, 'x'.repeat(5000)])));
    await folder.waitUntilIdle();
    startIndexer();
    await waitUntilIndexed();
    expect([textOf('long.txt')?.length, textOf('long.pdf')?.length]).toEqual([100_000, 100_000]);
  });

  it('marks PDFs that are damaged, encrypted or decompress to too much, and reads the others', async () => {
    const good = pdfOfPages([['readable']]);
    folder.put('0-good.pdf', good);
    folder.put('1-nothing.pdf', '%PDF-1.4\nnothing');
    folder.put('2-encrypted.pdf', pdfOfStreams([{ content: Buffer.from('BT ET') }], '/Encrypt << /Filter /Unknown >>'));
    folder.put('3-bomb.pdf', pdfBomb(600));
    folder.put('4-good.pdf', good);
    await folder.waitUntilIdle();
    startIndexer();
    await waitUntilIndexed();
    expect([...folder.rows().keys()].toSorted().map(textOf)).toEqual(['readable', null, null, null, 'readable']);
    expect(await store.size()).toMatchObject({ remaining: 0, unreadable: 3 });
    expect(folder.store.hasUnreadableText(folder.row('3-bomb.pdf').seq)).toBe(true);
    expect(logText).toContain('too much memory');
  });

  it('reads the other files if one takes too long, needs too much memory or fails', async () => {
    for (const [index, content] of ['first', 'hang', 'grow', 'buffers', 'throw', 'last'].entries())
      folder.put(`${index}.txt`, content);
    await folder.waitUntilIdle();
    startIndexer({ thread: { file: FAULTY_THREAD, maxMs: 15_000 } });
    await waitUntilIndexed();
    expect([...folder.rows().keys()].toSorted().map(textOf)).toEqual(['first', null, null, null, null, 'last']);
    expect(logText).toContain('reading the text of a file took too long');
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

  it('is replaced with the content', async () => {
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
      expect([countIndexed(), store.isStored(seq), store.isComplete()]).toEqual([0, false, true]);
    });
  });

  it('is removed when the file is erased, in the same transaction', async () => {
    await indexFile('a.txt', 'walrus');
    const { seq } = folder.row('a.txt');
    await folder.writer.write((tx) => {
      folder.store.erase(tx, seq);
      expect([countIndexed(), store.isStored(seq)]).toEqual([0, false]);
    });
  });

  it('is not stored if the content was replaced while it was read', async () => {
    await indexFile('a.txt', 'walrus');
    const row = folder.row('a.txt');
    await folder.writer.write((tx) => {
      store.remove(tx, row.seq);
      store.add(tx, { seq: row.seq, sha256: 'that of earlier content' }, 'earlier');
    });
    expect(store.isStored(row.seq)).toBe(false);
  });

  it('is removed when its source is excluded, and read again when it is included', async () => {
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
    const expectEmpty = async () => expect((await store.size()).bytes).toBeLessThan(100);
    await vi.waitFor(expectEmpty, { timeout: 60_000, interval: 10 });
    expect([countIndexed(), textOf('a.txt')]).toEqual([0, undefined]);
  });
});
