import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { silentLog } from '../../../../platform/log.ts';
import { deletionSchema } from '../../../../wire/owner.ts';
import { recordSchema } from '../../../../wire/records.ts';
import { recordSearchSchema, searchIndexSchema, type SearchIndexChange } from '../../../../wire/search.ts';
import { timelineMatchesSchema } from '../../../../wire/timeline.ts';
import { createWriter } from '../../../storage/writer.ts';
import { createSearchService, type FileTextSearch } from './service.ts';
import type { SearchStore } from './store.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const post = async (endpoint: string, json: unknown): Promise<string[]> => {
  const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json });
  expect(reply.status).toBe(201);
  return [reply.json].flat().map((record) => (record as { recordId: string }).recordId);
};
const search = async (text: string) => {
  const reply = await pda.call('GET', `/api/v2.6/owner/search?${new URLSearchParams({ text }).toString()}`);
  expect(reply.status).toBe(200);
  return recordSearchSchema.parse(reply.json);
};
const readIndex = async () => searchIndexSchema.parse((await pda.call('GET', '/api/v2.6/owner/search-index')).json);
const change = async (json: SearchIndexChange) =>
  searchIndexSchema.parse((await pda.call('PUT', '/api/v2.6/owner/search-index', { json })).json);
const untilIndexed = () => expect.poll(async () => (await readIndex()).remaining).toBe(0);
const matches = async (text: string): Promise<string[]> => {
  await untilIndexed();
  return (await search(text)).matches.map(({ recordId }) => recordId);
};

describe('the search over all records', () => {
  it('finds texts and numbers of any endpoint, ignoring case and accents, by the beginning of the last word', async () => {
    const [dinner] = await post('diary/days', { text: 'Abendessen im Café Zürich', with: { name: 'Ada' } });
    const [payment] = await post('bank/payments', { payee: 'Cafe Central', amount: 4711.5 });
    expect(new Set(await matches('cafe'))).toEqual(new Set([dinner, payment]));
    expect(await matches('ZURICH cafe')).toEqual([dinner]);
    expect(await matches('abend')).toEqual([dinner]);
    expect(await matches('zur cafe')).toEqual([]);
    expect(await matches('4711')).toEqual([payment]);
    expect(await matches('payee')).toEqual([]);
  });

  it('returns name, endpoint and an excerpt around the match', async () => {
    await post('notes/long', { title: 'First', text: `${'word '.repeat(100)} marmalade and more`, tags: ['jam'] });
    await untilIndexed();
    const [match] = (await search('marmalade')).matches;
    expect(match).toMatchObject({ endpoint: 'notes/long', name: 'Long' });
    expect(match?.excerpt).toMatch(/^…word .*marmalade and more · jam$/u);
  });

  it('ranks records with more occurrences first, and newer records first among equals', async () => {
    const ids = await post('ranks/texts', [{ t: 'quince' }, { t: 'quince quince quince' }, { t: 'quince' }]);
    expect(await matches('quince')).toEqual([ids[1], ids[2], ids[0]]);
  });

  it('ranks up to 5,000 matches, and returns the newest first if there are more', async () => {
    const textsOf = (count: number) => Array.from({ length: count }, () => ({ t: 'sloe' }));
    const [bestId] = await post('ranks/oldest', [{ t: 'sloe sloe sloe' }, ...textsOf(2499)]);
    await post('ranks/newer', textsOf(2500));
    expect((await matches('sloe'))[0]).toBe(bestId);
    const [newestId] = await post('ranks/newest', { t: 'sloe' });
    expect((await matches('sloe'))[0]).toBe(newestId);
  });

  it.each(['"', '*', 'a" OR "b', 'NEAR(a b)', 'words:quince', '^quince', 'quince - ranks', '\u202E', '\\', "'; --"])(
    'accepts %s as plain text',
    async (text) => {
      await search(text);
    },
  );

  it('continues after records that contain neither texts nor numbers', async () => {
    await post('empty/values', [{}, true, null, [], { done: false }, '']);
    const [id] = await post('empty/texts', { t: 'loganberry' });
    expect(await matches('loganberry')).toEqual([id]);
  });

  it('indexes deeply nested and large records', async () => {
    const nestedJson = `${'{"a":'.repeat(100)}"pomegranate"${'}'.repeat(100)}`;
    const [deepId] = await post('hostile/deep', JSON.parse(nestedJson));
    const [largeId] = await post('hostile/large', { text: `persimmon ${'x'.repeat(200_000)}` });
    expect(await matches('pomegranate')).toEqual([deepId]);
    expect(await matches('persimmon')).toEqual([largeId]);
  });

  it('finds every word of the beginning of a large record, whatever escapes its JSON has', async () => {
    const body = String.raw`{"text": "first line\nkumquat J\u00fcrgen\tsalak ${'x'.repeat(70_000)}"}`;
    const reply = await pda.call('POST', '/api/v2.6/data/hostile/escapes', { body });
    const { recordId } = recordSchema.parse(reply.json);
    for (const word of ['kumquat', 'jurgen', 'salak']) expect(await matches(word), word).toEqual([recordId]);
    expect((await search('kumquat')).matches[0]?.excerpt).toContain('kumquat Jürgen salak');
    // Only the beginning of the text is indexed, which can end within an escape.
    for (const length of [99_986, 99_987, 99_988, 99_989, 99_990, 99_991])
      await post('hostile/cut', { text: `${'x'.repeat(length)}\u0001\u0001` });
    expect(await matches('salak')).toEqual([recordId]);
  });

  it('keeps its index consistent after a change of its settings', async () => {
    await post('rebuilt/texts', { t: 'damson' });
    await matches('damson');
    await change({ enabled: true, excludedSources: ['rebuilt'] });
    await untilIndexed();
    expect(await pda.pda.verify()).toEqual([]);
    await change({ enabled: true, excludedSources: [] });
  });

  it('rejects a search without text', async () => {
    expect((await pda.call('GET', '/api/v2.6/owner/search?text=%20')).status).toBe(400);
  });
});

describe('a changed or deleted record', () => {
  it('is found by its new words only', async () => {
    const [id = ''] = await post('changes/texts', { t: 'apricot' });
    expect(await matches('apricot')).toEqual([id]);
    await pda.call('PUT', '/api/v2.6/data', {
      json: [{ endpoint: 'changes/texts', recordId: id, data: { t: 'nectarine' } }],
    });
    expect((await search('apricot')).matches).toEqual([]);
    expect(await matches('nectarine')).toEqual([id]);
  });

  it('is not found after its deletion, and is found again after the undo', async () => {
    const [id = ''] = await post('changes/deleted', { t: 'mirabelle' });
    expect(await matches('mirabelle')).toEqual([id]);
    const deletion = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { records: [id] } });
    expect((await search('mirabelle')).matches).toEqual([]);
    const { deletionId } = deletionSchema.parse(deletion.json);
    await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`);
    expect(await matches('mirabelle')).toEqual([id]);
  });
});

describe('an endpoint under "Recently deleted"', () => {
  it('is not searched, and hides no matches of other endpoints, however many it has', async () => {
    const [id] = await post('kept/texts', { t: 'tamarillo among other words' });
    await post(
      'deleted/texts',
      Array.from({ length: 600 }, () => ({ t: 'tamarillo' })),
    );
    await untilIndexed();
    expect((await search('tamarillo')).matches).toHaveLength(8);
    await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'deleted/texts' } });
    expect(await matches('tamarillo')).toEqual([id]);
  });
});

describe('the search index', () => {
  it.skipIf(!IS_THOROUGH_RUN)('excludes sources, and is rebuilt when the excluded sources change', async () => {
    const [id] = await post('secret/diary', { t: 'elderberry' });
    const [otherId] = await post('public/diary', { t: 'elderberry' });
    expect(new Set(await matches('elderberry'))).toEqual(new Set([id, otherId]));
    await change({ excludedSources: ['secret'] });
    expect(await matches('elderberry')).toEqual([otherId]);
    await post('secret/diary', { t: 'gooseberry' });
    expect(await matches('gooseberry')).toEqual([]);
    expect((await change({ excludedSources: [] })).excludedSources).toEqual([]);
    expect(await matches('gooseberry')).toHaveLength(1);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'finds no records of a restored endpoint whose source was excluded after the deletion',
    async () => {
      await post('health/days', { t: 'boysenberry' });
      expect(await matches('boysenberry')).toHaveLength(1);
      const deletion = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'health/days' } });
      await change({ excludedSources: ['health'] });
      await untilIndexed();
      const { deletionId } = deletionSchema.parse(deletion.json);
      expect((await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`)).status).toBe(200);
      expect(await matches('boysenberry')).toEqual([]);
      const timelineMatches = async () => {
        const reply = await pda.call('GET', '/api/v2.6/owner/timeline/search?text=boysenberry');
        return timelineMatchesSchema.parse(reply.json).matches;
      };
      expect(await timelineMatches()).toEqual([]);
      await change({ excludedSources: [] });
      expect(await matches('boysenberry')).toHaveLength(1);
      expect(await timelineMatches()).toHaveLength(1);
    },
  );

  it('finds the records of one endpoint in the timeline, and none if its name contains NUL', async () => {
    await post('timeline/one', { t: 'cloudberry' });
    await post('timeline/two', { t: 'cloudberry' });
    await untilIndexed();
    const countMatches = async (source: string): Promise<number> => {
      const reply = await pda.call('GET', `/api/v2.6/owner/timeline/search?text=cloudberry&source=${source}`);
      expect(reply.status).toBe(200);
      const { matches: timelineMatches, undated } = timelineMatchesSchema.parse(reply.json);
      return timelineMatches.length + undated;
    };
    expect(await countMatches('timeline%2Fone')).toBe(1);
    expect(await countMatches('%00')).toBe(0);
  });

  it('is reported as incomplete while it is off, even for a search without words', async () => {
    await change({ enabled: false, fileTexts: false });
    const nothing = { matches: [], isComplete: false };
    for (const text of ['medlar', '?!']) expect(await search(text), text).toEqual({ ...nothing, files: nothing });
    await change({ enabled: true, fileTexts: true });
    await untilIndexed();
    expect(await search('?!')).toMatchObject({ matches: [], isComplete: true });
  });

  it.skipIf(!IS_THOROUGH_RUN)('stays off after a restart, and is empty while it is off', async () => {
    await post('switch/texts', { t: 'medlar' });
    expect(await matches('medlar')).toHaveLength(1);
    const bytesBefore = (await readIndex()).bytes;
    const disabledIndex = await change({ enabled: false });
    expect(disabledIndex).toMatchObject({ enabled: false, remaining: 0 });
    expect(disabledIndex.bytes).toBeLessThan(bytesBefore);
    await pda.restart();
    await post('switch/texts', { t: 'medlar' });
    expect(await search('medlar')).toMatchObject({ matches: [], isComplete: false });
    await change({ enabled: true });
    expect(await matches('medlar')).toHaveLength(2);
  });

  it.skipIf(!IS_THOROUGH_RUN)('indexes records that were stored before a restart', async () => {
    await post(
      'many/texts',
      Array.from({ length: 3000 }, (_, n) => ({ t: `greengage ${n}` })),
    );
    await pda.restart();
    await post('many/texts', { t: 'one more' });
    expect(await matches('greengage 2999')).toHaveLength(1);
    expect(await matches('greengage 0')).toHaveLength(1);
  });
});

describe('a failing search of the text of files', () => {
  it('returns the records, and reports that files are missing', async () => {
    const record = { id: '00000000-0000-4000-8000-000000000000', path: 'a/b', created: 0, text: 'bread' };
    const service = createSearchService({
      store: {
        settings: () => ({ enabled: true, excludedSources: [], fileTexts: true }),
        search: async () => [record],
        isComplete: () => true,
      } as unknown as SearchStore,
      indexer: { start: () => undefined, close: async () => undefined },
      writer: createWriter(new Database(':memory:')),
      displayOf: () => ({ name: 'B' }),
      log: silentLog(),
    });
    service.setFileTexts({
      search: () => Promise.reject(new Error('the index is damaged')),
      isComplete: () => true,
    } as unknown as FileTextSearch);
    const { matches, isComplete, files } = await service.search('bread', 8);
    expect(matches).toMatchObject([{ recordId: record.id }]);
    expect([isComplete, files]).toEqual([true, { matches: [], isComplete: false }]);
  });
});
