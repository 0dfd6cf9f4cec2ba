import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInconsistencies } from '../../../../tests/support/database-check.ts';
import { storeFile } from '../../../../tests/support/files.ts';
import { pdfOfPages } from '../../../../tests/support/pdf.ts';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { ownerFileSchema } from '../../../wire/files.ts';
import { recordSearchSchema, searchIndexSchema, type SearchIndexChange } from '../../../wire/search.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const search = async (text: string) => {
  const reply = await pda.call('GET', `/api/v2.6/owner/search?${new URLSearchParams({ text }).toString()}`);
  expect(reply.status).toBe(200);
  return recordSearchSchema.parse(reply.json).files;
};
const readIndex = async () =>
  searchIndexSchema.parse((await pda.call('GET', '/api/v2.6/owner/search-index')).json).fileTexts;
const change = async (json: SearchIndexChange) =>
  searchIndexSchema.parse((await pda.call('PUT', '/api/v2.6/owner/search-index', { json })).json).fileTexts;
const waitUntilIndexed = () =>
  expect.poll(async () => (await readIndex()).remaining, { timeout: 60_000, interval: 20 }).toBe(0);
/** Stores a file and waits until its text has been read. Returns its id. */
const store = async (name: string, content: string | Buffer, source = 'test'): Promise<string> => {
  const { fileId } = await storeFile(pda, name, typeof content === 'string' ? content : new Uint8Array(content), {
    source,
  });
  await waitUntilIndexed();
  return fileId;
};
const findIds = async (text: string): Promise<string[]> => (await search(text)).matches.map(({ fileId }) => fileId);
const readOwnerFile = async (fileId: string) =>
  ownerFileSchema.parse((await pda.call('GET', `/api/v2.6/owner/files/file/${fileId}`)).json);

describe('the search over the text of files', () => {
  it('returns the name, the source and an excerpt near the match', async () => {
    const fileId = await store('walk.txt', 'First line\nthe Quokka sat\non the wall\n');
    expect(await search('quok')).toEqual({
      matches: [{ fileId, name: 'walk.txt', source: 'test', excerpt: 'the Quokka sat on the wall' }],
      isComplete: true,
    });
  });

  it('finds the text of a PDF, regardless of case and accents', async () => {
    const fileId = await store('letter.pdf', pdfOfPages([['Dear Ada'], ['Grüße aus Zürich']]));
    expect(await search('ZURICH')).toMatchObject({
      matches: [{ fileId, excerpt: expect.stringContaining('Grüße aus Zürich') }],
    });
  });

  it('ranks files with more occurrences first, and newer files first among equals', async () => {
    const ids: string[] = [];
    for (const text of ['wombat', 'wombat wombat wombat', 'wombat']) ids.push(await store(`${ids.length}.txt`, text));
    expect(await findIds('wombat')).toEqual([ids[1], ids[2], ids[0]]);
  });

  it('does not find files by their names', async () => {
    await store('echidna.txt', 'nothing else');
    expect(await findIds('echidna')).toEqual([]);
  });

  it('counts and marks files whose text cannot be read', async () => {
    const { unreadable } = await readIndex();
    const fileId = await store('damaged.pdf', '%PDF-1.4\nnothing');
    expect((await readIndex()).unreadable).toBe(unreadable + 1);
    expect(await readOwnerFile(fileId)).toMatchObject({ contentType: 'application/pdf', unreadableText: true });
    expect(await readOwnerFile(await store('readable.txt', 'text'))).toMatchObject({ unreadableText: false });
  });
});

describe('a deleted file', () => {
  it('is found again once it has been restored, but not once it has been erased', async () => {
    const fileId = await store('deleted.txt', 'numbat');
    await pda.call('DELETE', `/api/v2.6/files/file/${fileId}`);
    expect(await findIds('numbat')).toEqual([]);
    expect((await pda.call('POST', `/api/v2.6/owner/files/file/${fileId}/restore`)).status).toBe(200);
    await waitUntilIndexed();
    expect(await findIds('numbat')).toEqual([fileId]);
    await pda.pda.fileModule.files.erase(fileId);
    expect(await findIds('numbat')).toEqual([]);
  });
});

describe('the index of the text of files', () => {
  it('leaves out excluded sources until they are included again', async () => {
    await store('diary.txt', 'bandicoot', 'secret');
    const includedId = await store('note.txt', 'bandicoot');
    await change({ excludedSources: ['secret'] });
    expect(await findIds('bandicoot')).toEqual([includedId]);
    await store('later.txt', 'bandicoot', 'secret');
    expect(await findIds('bandicoot')).toEqual([includedId]);
    await change({ excludedSources: [] });
    await waitUntilIndexed();
    expect(await findIds('bandicoot')).toHaveLength(3);
  });

  it.skipIf(!IS_THOROUGH_RUN)('is emptied when it is turned off, and stays off after a restart', async () => {
    const fileId = await store('off.txt', 'potoroo');
    const { bytes } = await readIndex();
    expect(bytes).toBeGreaterThan(0);
    expect(await change({ fileTexts: false })).toMatchObject({ enabled: false, remaining: 0 });
    expect(await search('potoroo')).toEqual({ matches: [], isComplete: false });
    await expect.poll(async () => (await readIndex()).bytes, { timeout: 60_000, interval: 20 }).toBeLessThan(bytes);
    await pda.restart();
    expect(await search('potoroo')).toEqual({ matches: [], isComplete: false });
    await change({ fileTexts: true });
    await waitUntilIndexed();
    expect(await findIds('potoroo')).toEqual([fileId]);
  });

  it('is independent of the index of records', async () => {
    const fileId = await store('independent.txt', 'bilby');
    await change({ enabled: false });
    expect(await findIds('bilby')).toEqual([fileId]);
    await change({ enabled: true });
  });

  it.skipIf(!IS_THOROUGH_RUN)('keeps the files that were stored before a restart', async () => {
    const fileId = await store('kept.txt', 'quoll');
    await pda.restart();
    expect(await findIds('quoll')).toEqual([fileId]);
    expect(await pda.pda.verify()).toEqual([]);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });
});
