import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createInvitedGuest } from '../../../../tests/support/guests.ts';
import { cellsIn, createSharing, pathOf, tableOf } from '../../../../tests/support/shared-views.ts';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { addUser, removeUsers } from '../../../../tests/support/users.ts';
import { guestPreviewSchema } from '../../../wire/invitations.ts';
import { ledgerPageSchema } from '../../../wire/ledger.ts';
import { deletionSchema } from '../../../wire/owner.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());
beforeEach(() => removeUsers(pda));

const { store, requestShare, share, stop, listSharedViews } = createSharing(() => pda);

const call = async (method: string, path: string, json: unknown) => {
  const reply = await pda.call(method, `/api/v2.6/${path}`, { json });
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply;
};
const move = (from: string, to: string, records: readonly string[]) =>
  call('POST', 'owner/record-moves', { from, to, records, moveEqual: true });

/** Stores records with the values 0, 1, 2 … of `n`. */
const storeNumbers = (endpoint: string, count: number): Promise<string[]> =>
  store(
    endpoint,
    Array.from({ length: count }, (_, n) => ({ n, kind: n % 2 === 0 ? 'even' : 'odd', secret: 'withheld' })),
  );
const pick = (ids: readonly string[], ...positions: number[]): string[] =>
  positions.map((position) => ids[position] ?? '');

describe('a shared table of selected records', () => {
  it('shows exactly these records as they are now, on the page, in the CSV file and in the preview', async () => {
    const endpoint = 'selected/content';
    const ids = await storeNumbers(endpoint, 4);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share(endpoint, userId, tableOf(['n'], { records: pick(ids, 2, 0) }));
    expect(cellsIn(await browser.get(pathOf(view)))).toEqual([['0'], ['2']]);

    await call('PUT', 'data', [{ endpoint, recordId: ids[2], data: { n: 'changed', secret: 'withheld' } }]);
    await storeNumbers(endpoint, 2);
    const page = await browser.get(pathOf(view));
    expect(cellsIn(page)).toEqual([['0'], ['changed']]);
    expect(page.text).toContain('Records 1 to 2 of 2');
    const csv = await browser.get(`${pathOf(view)}/csv`);
    expect(csv.text).toBe('n 1\r\n0\r\nchanged\r\n');
    const preview = await pda.call(
      'GET',
      `/api/v2.6/owner/guests/${userId}/preview?${new URLSearchParams({ path: pathOf(view) }).toString()}`,
    );
    const { html } = guestPreviewSchema.parse(preview.json);
    expect(cellsIn({ ...page, text: html })).toEqual([['0'], ['changed']]);
    for (const text of [page.text, csv.text, html]) expect(text).not.toContain('withheld');

    const { rows } = ledgerPageSchema.parse((await pda.call('GET', `/api/v2.6/owner/ledger?user=${userId}`)).json);
    expect(rows.slice(0, 2)).toMatchObject([
      { action: 'GET /guest/tables/:sharedViewId/csv', records: 2, endpoints: [endpoint], fields: ['n'] },
      { action: 'GET /guest/tables/:sharedViewId', records: 2, endpoints: [endpoint], fields: ['n'] },
    ]);
    await stop(view);
    expect((await browser.get(pathOf(view))).status).toBe(404);
  });

  it('loses records that are deleted or moved, until they are restored or moved back', async () => {
    const endpoint = 'selected/leaving';
    const ids = await storeNumbers(endpoint, 4);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share(endpoint, userId, tableOf(['n'], { records: pick(ids, 0, 1, 2) }));
    const shownValues = async () => cellsIn(await browser.get(pathOf(view))).flat();

    const deletion = await call('POST', 'owner/deletions', { records: pick(ids, 0) });
    expect(await shownValues()).toEqual(['1', '2']);
    await move(endpoint, 'selected/elsewhere', pick(ids, 1));
    expect(await shownValues()).toEqual(['2']);
    expect((await browser.get(`${pathOf(view)}/csv`)).text).toBe('n 1\r\n2\r\n');
    await call('POST', 'owner/deletions', { records: pick(ids, 2) });
    expect((await browser.get(pathOf(view))).text).toContain('This table has no records at the moment.');
    await move(endpoint, 'selected/elsewhere', pick(ids, 3));
    await move('selected/elsewhere', endpoint, pick(ids, 1, 3));
    expect(await shownValues()).toEqual(['1']);
    await call('POST', `owner/deletions/${deletionSchema.parse(deletion.json).deletionId}/undo`, undefined);
    expect(await shownValues()).toEqual(['0', '1']);
  });

  it('applies search, filters and order to these records only, page by page', async () => {
    const endpoint = 'selected/filtered';
    const ids = await storeNumbers(endpoint, 130);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const records = ids.slice(10);
    const sorts = [{ field: 'n', descending: true }];
    const filters = [{ is: 'range' as const, field: 'n', max: 20 }];
    const shownValues = async (selection: Parameters<typeof tableOf>[1], query = '') => {
      const view = await share(endpoint, userId, tableOf(['n'], selection));
      return cellsIn(await browser.get(`${pathOf(view)}${query}`)).flat();
    };
    expect(await shownValues({ records, search: 'odd', filters, sorts })).toEqual(['19', '17', '15', '13', '11']);
    expect(await shownValues({ records, sorts }, '?page=3')).toEqual(
      Array.from({ length: 20 }, (_, position) => String(29 - position)),
    );
    expect(await shownValues({ records: pick(ids, 5), search: 'even' })).toEqual([]);
  });

  it('is refused for records that are not at the endpoint and for an invalid list, and shares nothing', async () => {
    const endpoint = 'selected/refused';
    const [firstId = '', deletedId = '', movedId = ''] = await storeNumbers(endpoint, 3);
    const [otherId = ''] = await storeNumbers('selected/other', 1);
    await call('POST', 'owner/deletions', { records: [deletedId] });
    await move(endpoint, 'selected/other', [movedId]);
    const { userId } = await addUser(pda, 'grace');
    // An id with the sequence number of the first record and other random bits.
    const forgedId = `${firstId.slice(0, -1)}${firstId.endsWith('0') ? '1' : '0'}`;
    for (const record of [deletedId, movedId, otherId, forgedId]) {
      const reply = await requestShare(endpoint, userId, tableOf(['n'], { records: [firstId, record] }));
      expect([reply.status, errorOf(reply).error], record).toEqual([404, 'not_found']);
      expect(errorOf(reply).cause).toContain('no longer at this endpoint');
    }
    for (const records of [[], [firstId, firstId.toUpperCase()], ['1']])
      expect((await requestShare(endpoint, userId, tableOf(['n'], { records }))).status).toBe(400);
    expect(await listSharedViews()).toEqual([]);
  });

  it('is replaced by a table of the same name, which survives a restart', async () => {
    const endpoint = 'selected/replaced';
    const ids = await storeNumbers(endpoint, 3);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share(endpoint, userId, tableOf(['n'], { records: pick(ids, 0) }));
    const newView = await share(endpoint, userId, tableOf(['n'], { records: pick(ids, 1, 2) }));
    expect(newView.sharedViewId).toBe(view.sharedViewId);
    expect(cellsIn(await browser.get(pathOf(view)))).toEqual([['1'], ['2']]);
    await pda.restart();
    expect(await listSharedViews()).toEqual([newView]);
  });
});
