import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';

const WORDS = ['storm', 'calm', 'rain', 'sun', 'fog', 'hail'];
const NOTES = Array.from({ length: 3000 }, (_, index) => ({
  note: `Day ${index}: ${WORDS[index % 6]} and ${WORDS[(index * 5) % 6]}`,
}));

let pda: TestPda;
const search = async (): Promise<string[]> => {
  const reply = await pda.call('GET', '/api/v2.6/combinator/storms?take=5000');
  return (JSON.parse(reply.text) as { data: { note: string } }[]).map((record) => record.data.note);
};

beforeAll(async () => {
  pda = await startTestPda();
  await pda.call('POST', '/api/v2.6/data/diary/notes', { json: NOTES });
});
afterAll(() => pda.close());

describe('a text search through a combinator', () => {
  it('returns the same results before and after its index is built, and then finds new records', async () => {
    const entries = [
      {
        endpoint: 'diary/notes',
        filters: [
          {
            field: 'note',
            transformation: { transformation: 'searchable' },
            operator: { operator: 'find', search: 'STORM' },
          },
        ],
      },
    ];
    expect((await pda.call('POST', '/api/v2.6/combinator/storms', { json: entries })).status).toBe(201);
    const expectedNotes = NOTES.map((record) => record.note).filter((note) => note.includes('storm'));
    expect(await search()).toEqual(expectedNotes);
    await pda.pda.indexes.waitUntilIdle();
    expect([...pda.pda.indexes.readyNames()].some((name) => name.startsWith('query_text_'))).toBe(true);
    expect(await search()).toEqual(expectedNotes);

    await pda.call('POST', '/api/v2.6/data/diary/notes', { json: { note: 'a late storm' } });
    expect(await search()).toEqual([...expectedNotes, 'a late storm']);
    await pda.restart();
    expect(await search()).toEqual([...expectedNotes, 'a late storm']);
  });

  it('loses its index when the combinator is removed', async () => {
    await pda.call('DELETE', '/api/v2.6/combinator/storms');
    await pda.pda.indexes.waitUntilIdle();
    expect([...pda.pda.indexes.readyNames()]).toEqual([]);
    expect((await pda.call('POST', '/api/v2.6/data/diary/notes', { json: { note: 'one more storm' } })).status).toBe(
      201,
    );
  });
});
