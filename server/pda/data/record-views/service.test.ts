import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { MAX_RECORD_VIEWS } from '../../../wire/limits.ts';
import { type RecordView, recordViewsSchema } from '../../../wire/record-views.ts';

const pathOf = (endpoint: string): string => `/api/v2.6/owner/record-views?endpoint=${endpoint}`;
const view = { name: 'Long walks', view: 'by=steps&dir=down' };

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const put = (endpoint: string, json: unknown) => pda.call('PUT', pathOf(endpoint), { json });
const save = async (endpoint: string, views: unknown): Promise<RecordView[]> =>
  recordViewsSchema.parse((await put(endpoint, views)).json);
const read = async (endpoint: string): Promise<RecordView[]> =>
  recordViewsSchema.parse((await pda.call('GET', pathOf(endpoint))).json);

describe('saved views', () => {
  it('are stored per endpoint and in order, keep their ids and survive a restart', async () => {
    const [firstView, secondView] = await save('views/a', [view, { ...view, name: 'Newest' }]);
    await save('views/b', [view]);
    const renamedView = { ...firstView, name: 'Walks' };
    expect(await save('views/a', [secondView, renamedView])).toEqual([secondView, renamedView]);
    await pda.restart();
    expect(await read('views/a')).toEqual([secondView, renamedView]);
    expect(await save('views/a', [])).toEqual([]);
    expect(await read('views/b')).toHaveLength(1);
  });

  it('are added after the others, even by concurrent requests', async () => {
    const [savedView] = await save('views/added', [view]);
    const names = ['one', 'two', 'three'];
    const add = (name: string) => pda.call('POST', pathOf('views/added'), { json: { ...view, name } });
    const replies = await Promise.all(names.map(add));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [firstView, ...addedViews] = await read('views/added');
    expect(firstView).toEqual(savedView);
    expect(addedViews.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect((await add(' ')).status).toBe(400);
  });

  it('with the id of a view of another endpoint get a new id, and leave the other endpoint unchanged', async () => {
    const [otherView] = await save('views/b', [view]);
    const [copiedView] = await save('views/c', [{ ...otherView, name: 'Copied' }]);
    expect(copiedView?.id).not.toBe(otherView?.id);
    expect(await read('views/b')).toEqual([otherView]);
  });

  it.each([[{ ...view, name: ' ' }], [{ ...view, name: 'x'.repeat(81) }], [{ name: 'Walks' }], [{ ...view, id: '1' }]])(
    'are rejected if they are invalid: %j',
    async (json) => {
      expect((await put('views/a', [json])).status).toBe(400);
    },
  );

  it('are limited to MAX_RECORD_VIEWS per endpoint', async () => {
    const views = Array.from({ length: MAX_RECORD_VIEWS + 1 }, () => view);
    expect((await put('views/a', views)).status).toBe(400);
    expect(await save('views/a', views.slice(1))).toHaveLength(MAX_RECORD_VIEWS);
    expect((await pda.call('POST', pathOf('views/a'), { json: view })).status).toBe(409);
    expect(await read('views/a')).toHaveLength(MAX_RECORD_VIEWS);
  });
});
