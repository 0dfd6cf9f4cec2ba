import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { erasurePreviewSchema } from '../server/wire/erasure.ts';
import { exposureSchema } from '../server/wire/exposure.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { deletionSchema } from '../server/wire/owner.ts';
import { readDatabase } from './support/database-check.ts';
import { createInvitedGuest, createGuestBrowser, titleOf } from './support/guests.ts';
import { openRequest } from './support/http.ts';
import { cellsIn, chartOf, createSharing, pathOf, SHARED_VIEWS, tableOf } from './support/shared-views.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, removeUsers } from './support/users.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let pda: TestPda;
beforeAll(async () => {
  // Response validation would read a download to its end before the first byte is sent.
  pda = await startTestPda({ strict: false });
});
afterAll(() => pda.close());
beforeEach(async () => {
  await removeUsers(pda);
});

const { store, requestShare, share, stop, listSharedViews } = createSharing(() => pda);
/** Returns the number of tables and charts that the exposure report counts as open. */
const countOpenViews = async (): Promise<number> =>
  exposureSchema.parse((await pda.call('GET', '/api/v2.6/owner/exposure')).json).open.sharedViews;

describe('table shared with a guest', () => {
  it('shows only the shared columns of matching records, including later ones', async () => {
    const [id = ''] = await store('walks/days', [
      { day: '2026-03-01', steps: 12_000, secret: 'at the doctor' },
      { day: '2026-03-02', steps: 300.0625, secret: 'at home' },
    ]);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const filters = [{ is: 'range' as const, field: 'steps', min: 1000 }];
    const view = await share('walks/days', userId, tableOf(['day', 'steps'], { filters }));
    expect((await browser.get('/guest')).text).toContain(`href="${pathOf(view)}"`);
    const firstPage = await browser.get(pathOf(view));
    expect([firstPage.status, titleOf(firstPage)]).toEqual([200, 'Long walks']);
    expect(cellsIn(firstPage)).toEqual([['2026-03-01', '12000']]);

    await store('walks/days', [{ day: '2026-03-03', steps: 15_000, secret: 'by the seaside' }, 'steps', ['steps']]);
    const laterPage = await browser.get(pathOf(view));
    expect(cellsIn(laterPage)).toEqual([
      ['2026-03-01', '12000'],
      ['2026-03-03', '15000'],
    ]);
    const csv = await browser.get(`${pathOf(view)}/csv`);
    expect([csv.status, csv.text]).toEqual([200, 'day 1,steps 2\r\n2026-03-01,12000\r\n2026-03-03,15000\r\n']);
    expect(csv.headers['content-disposition']).toBe('attachment; filename="Long walks.csv"');
    for (const page of [firstPage, laterPage, csv]) {
      // None of these texts can occur in a random id, token or port.
      expect(page.text).not.toMatch(/doctor|seaside|at home|300\.06/u);
      expect(page.text).not.toContain(id);
    }
  });

  it('is a copy: changing the saved view does not affect it, and sharing again replaces it', async () => {
    await store('walks/copies', [{ day: 'Monday', secret: 'x' }]);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share('walks/copies', userId, tableOf(['day']));
    await pda.call('PUT', '/api/v2.6/owner/record-views?endpoint=walks/copies', {
      json: [{ name: 'Long walks', view: 'columns=%5B%7B%22path%22%3A%22secret%22%7D%5D' }],
    });
    expect(cellsIn(await browser.get(pathOf(view)))).toEqual([['Monday']]);
    const newView = await share('walks/copies', userId, tableOf(['secret']));
    expect(newView.sharedViewId).toBe(view.sharedViewId);
    expect(cellsIn(await browser.get(pathOf(view)))).toEqual([['x']]);
    expect(await listSharedViews()).toEqual([newView]);
  });

  it('is divided into pages, and query parameters show no other columns or records', async () => {
    await store(
      'walks/many',
      Array.from({ length: 120 }, (_, n) => ({ n, secret: 'hidden' })),
    );
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share('walks/many', userId, tableOf(['n'], { sorts: [{ field: 'n', descending: false }] }));
    const readCells = async (query: string) => cellsIn(await browser.get(`${pathOf(view)}${query}`)).flat();
    expect(await readCells('')).toEqual(Array.from({ length: 50 }, (_, n) => String(n)));
    expect(await readCells('?page=3')).toEqual(Array.from({ length: 20 }, (_, n) => String(n + 100)));
    expect(await readCells('?page=4')).toEqual([]);
    expect((await browser.get(`${pathOf(view)}?page=2`)).text).toContain('Records 51 to 100 of 120');
    for (const query of ['?columns=secret', '?page=1&take=1000&filters=%5B%5D', '?endpoint=walks/days', '?page=-1'])
      expect(await readCells(query), query).toEqual(Array.from({ length: 50 }, (_, n) => String(n)));
  });

  it('escapes and shortens hostile content, and never shows objects', async () => {
    const longText = 'y'.repeat(1_000_000);
    await store('walks/hostile', [
      JSON.parse(
        JSON.stringify({
          html: '<script>alert(1)</script>',
          bidi: 'a\u202Eb\u2066c',
          long: longText,
          a: { inner: 'buried' },
        }),
      ),
      { html: '=1+1', list: ['one', { inner: 'buried' }, true, 2], long: null, a: false },
    ]);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share(
      'walks/hostile',
      userId,
      tableOf(['html', 'bidi', 'long', 'list', 'a', '__proto__', 'constructor', 'a"b', '']),
    );
    const page = await browser.get(pathOf(view));
    const [firstRow = [], secondRow = []] = cellsIn(page);
    expect(firstRow.slice(0, 2)).toEqual(['&lt;script&gt;alert(1)&lt;/script&gt;', 'a b c']);
    expect(firstRow[2]).toBe(`${'y'.repeat(200)}…`);
    expect(firstRow.slice(3)).toEqual(['', 'not shared', '', '', '', 'not shared']);
    expect(secondRow).toEqual(['=1+1', '', '', 'one, true, 2', 'no', '', '', '', 'not shared']);
    const csv = await browser.get(`${pathOf(view)}/csv`);
    expect(csv.text).toContain('\'=1+1,,,"one, true, 2",false');
    for (const reply of [page, csv]) expect(reply.text).not.toMatch(/buried|[\u202E\u2066]/u);
    expect(page.text).not.toContain('<script');
    expect(page.headers['content-security-policy']).not.toMatch(/script|unsafe/u);
  });

  it('shows all digits of long whole numbers, such as ids', async () => {
    const body = '[{"id": 1234567890123456789, "amount": -9007199254740993}, {"id": 0.1, "amount": 1e3}]';
    expect((await pda.call('POST', '/api/v2.6/data/walks/ids', { body })).status).toBe(201);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const definition = tableOf(['id', 'amount']);
    if (definition.kind === 'table') definition.columns[1] = { path: 'amount', name: 'amount 2', type: 'number' };
    const view = await share('walks/ids', userId, definition);
    expect(cellsIn(await browser.get(pathOf(view)))).toEqual([
      ['1234567890123456789', '-9,007,199,254,740,993'],
      ['0.1', '1,000'],
    ]);
    expect((await browser.get(`${pathOf(view)}/csv`)).text).toBe(
      'id 1,amount 2\r\n1234567890123456789,-9007199254740993\r\n0.1,1000\r\n',
    );
  });

  it('shows records that are plain values, and hides records that are objects', async () => {
    await store('walks/plain', ['one', { n: 'hidden' }, 2]);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share('walks/plain', userId, tableOf(['']));
    expect(cellsIn(await browser.get(pathOf(view)))).toEqual([['one'], ['not shared'], ['2']]);
    expect((await browser.get(`${pathOf(view)}/csv`)).text).toBe('Value\r\none\r\n\r\n2\r\n');
  });

  it('has an escaped name, and a name with a bidirectional control character is refused', async () => {
    await store('walks/names', [{ n: 1 }]);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const definition = tableOf(['n']);
    const refusedReply = await requestShare('walks/names', userId, definition, { name: 'a\u202Eb' });
    expect([refusedReply.status, errorOf(refusedReply).error]).toEqual([400, 'invalid_input']);
    const view = await share('walks/names', userId, definition, { name: '</h1><img src=x>"' });
    for (const path of ['/guest', pathOf(view)]) {
      const { text } = await browser.get(path);
      expect(text).toContain('&lt;/h1&gt;&lt;img src=x&gt;&quot;');
      expect(text).not.toContain('<img');
    }
  });
});

describe('shared table', () => {
  beforeAll(async () => {
    await store('walks/rights', [{ n: 1, secret: 2 }]);
  });
  const missingTitle = 'This is not available';

  it('belongs to one guest and one kind of page', async () => {
    const { browser, userId } = await createInvitedGuest(pda, []);
    const otherGuest = await createInvitedGuest(pda, [], 'Alan');
    const view = await share('walks/rights', userId, tableOf(['n']));
    const chart = await share('walks/rights', userId, chartOf({ kind: 'values', field: 'n' }));
    for (const path of [pathOf(view), `${pathOf(view)}/csv`, pathOf(chart)])
      expect([(await otherGuest.browser.get(path)).status, titleOf(await otherGuest.browser.get(path))], path).toEqual([
        404,
        missingTitle,
      ]);
    for (const path of [
      `/guest/tables/${chart.sharedViewId}`,
      `/guest/tables/${chart.sharedViewId}/csv`,
      `/guest/charts/${view.sharedViewId}`,
      `/guest/tables/${UNKNOWN_ID}`,
    ])
      expect((await browser.get(path)).status, path).toBe(404);
    const anonymousBrowser = createGuestBrowser(pda);
    expect((await anonymousBrowser.get(pathOf(view))).headers.location).toBe('/guest/sign-in');
    // The cookie of a guest is valid only for guest pages.
    const cookie = { cookie: browser.cookie ?? '' };
    expect((await pda.call('GET', SHARED_VIEWS, { token: null, headers: cookie })).status).toBe(401);
    expect((await browser.get('/api/v2.6/data/walks/rights')).status).toBe(401);
  });

  it.each([
    ['sharing is stopped', 'stopped'],
    ['it expires', 'ended'],
    ['its endpoint is deleted', 'deleted'],
    ['its namespace is erased', 'erased'],
  ])('disappears immediately when %s', async (_, event) => {
    const endpoint = `walks-${event}/days`;
    await store(endpoint, [{ n: 1 }]);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const ends = pda.clock.now() + 3_600_000;
    const view = await share(endpoint, userId, tableOf(['n']), event === 'ended' ? { ends } : {});
    expect((await browser.get(pathOf(view))).status).toBe(200);
    expect(await countOpenViews()).toBe(1);
    if (event === 'stopped') expect((await stop(view)).json).toEqual(view);
    else if (event === 'ended') pda.clock.advance(3_600_000);
    else if (event === 'deleted') await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint } });
    else await erase(`walks-${event}`);
    for (const path of [pathOf(view), `${pathOf(view)}/csv`])
      expect(titleOf(await browser.get(path))).toBe(missingTitle);
    expect((await browser.get('/guest')).text).not.toContain(view.sharedViewId);
    expect(await listSharedViews()).toEqual([]);
    expect(await countOpenViews()).toBe(0);
    expect((await stop(view)).status).toBe(404);
    // New records at the same endpoint are different data.
    await store(endpoint, [{ n: 2 }]);
    expect(titleOf(await browser.get(pathOf(view)))).toBe(missingTitle);
  });

  const countGrants = () =>
    readDatabase(pda.home, (db) => db.prepare<[], number>('SELECT count(*) FROM view_grants').pluck().get());
  const erase = async (target: string): Promise<void> => {
    const preview = await pda.call('GET', `/api/v2.6/owner/erasure-preview?kind=namespace&target=${target}`);
    const { typed } = erasurePreviewSchema.parse(preview.json);
    const json = { kind: 'namespace', target, typed, password: OWNER.password };
    expect((await pda.call('POST', '/api/v2.6/owner/erasures', { json })).status).toBe(202);
    await expect.poll(countGrants).toBe(0);
  };

  it.each([1, 150])('reappears when a deletion is undone, after %i later records', async (count) => {
    const endpoint = `walks-undone/after-${count}`;
    await store(endpoint, [{ n: 'earlier' }]);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share(endpoint, userId, tableOf(['n']));
    const deletion = await pda.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint } });
    await store(
      endpoint,
      Array.from({ length: count }, (_, n) => ({ n })),
    );
    const laterView = await share(endpoint, userId, tableOf(['n']), { name: 'Short walks' });
    const { deletionId } = deletionSchema.parse(deletion.json);
    expect((await pda.call('POST', `/api/v2.6/owner/deletions/${deletionId}/undo`)).status).toBe(200);
    expect(await listSharedViews()).toEqual([view, laterView]);
    for (const { sharedViewId } of [view, laterView]) {
      const page = await browser.get(`/guest/tables/${sharedViewId}`);
      expect(cellsIn(page).slice(0, 2)).toEqual([['earlier'], ['0']]);
    }
  });

  it('is deleted after its end when the owner shares another table', async () => {
    const { userId } = await addUser(pda, 'grace');
    await store('walks/limit', [{ n: 1 }]);
    await share('walks/limit', userId, tableOf(['n']), { ends: pda.clock.now() + 1000 });
    pda.clock.advance(1000);
    await share('walks/limit', userId, tableOf(['n']), { name: 'Short walks' });
    expect(countGrants()).toBe(1);
  });

  it('ends when the guest is deleted, and otherwise stays after a restart', async () => {
    const grace = await addUser(pda, 'grace');
    const alan = await addUser(pda, 'alan');
    await share('walks/rights', grace.userId, tableOf(['n']));
    const remainingView = await share('walks/rights', alan.userId, tableOf(['n']));
    expect(await countOpenViews()).toBe(2);
    await pda.pda.users.disable(alan.userId);
    expect(await countOpenViews()).toBe(1);
    await pda.call('PUT', `/users/user/${grace.userId}/delete`);
    await pda.restart();
    expect(await listSharedViews()).toEqual([remainingView]);
  });

  const CAUSES = ['sharing is stopped', 'the table is replaced', 'the guest is removed', 'the guest is blocked'];
  it.each(IS_THOROUGH_RUN ? CAUSES : CAUSES.slice(0, 1))('aborts a running download when %s', async (cause) => {
    const endpoint = `walks/large-${cause.replaceAll(' ', '-')}`;
    for (let batch = 0; batch < 4; batch += 1)
      await store(
        endpoint,
        Array.from({ length: 1000 }, (_, n) => ({ n, text: `${n} `.repeat(1000).slice(0, 2000) })),
      );
    const { browser, userId } = await createInvitedGuest(pda, []);
    const columns = ['text', 'n'];
    const view = await share(endpoint, userId, tableOf(columns));
    const url = `http://${pda.host}${pathOf(view)}/csv`;
    const response = await openRequest(url, { headers: { cookie: browser.cookie ?? '' } });
    expect(response.statusCode).toBe(200);
    if (cause === 'sharing is stopped') await stop(view);
    else if (cause === 'the guest is removed') await pda.pda.users.remove(userId);
    else if (cause === 'the guest is blocked') await pda.pda.users.disable(userId);
    else await share(endpoint, userId, tableOf(columns.slice(1)));
    response.on('error', () => undefined).resume();
    await new Promise<void>((resolve) => response.once('close', resolve));
    expect(response.complete).toBe(false);
  });
});

describe('the owner', () => {
  it('cannot share with an unknown user, share missing data or invalid columns, or set an end in the past', async () => {
    await store('walks/refused', [{ n: 1 }]);
    const { userId } = await addUser(pda, 'grace');
    const table = tableOf(['n']);
    for (const [reply, status] of [
      [requestShare('walks/refused', UNKNOWN_ID, table), 404],
      [requestShare('walks/nowhere', userId, table), 404],
      [requestShare('walks/refused', userId, table, { ends: pda.clock.now() }), 400],
      [requestShare('walks/refused', userId, tableOf([])), 400],
      [requestShare('walks/refused', userId, { ...table, columns: [{ path: 'n', name: ' ' }] }), 400],
      [requestShare('walks/refused', userId, tableOf(['n', 'n'])), 400],
    ] as const)
      expect((await reply).status).toBe(status);
    expect(await listSharedViews()).toEqual([]);
  });

  it('finds each decision and each read in the access history', async () => {
    await store('walks/history', [{ n: 1 }, { n: 2 }]);
    const { browser, userId } = await createInvitedGuest(pda, []);
    const view = await share('walks/history', userId, tableOf(['n']));
    const chart = await share('walks/history', userId, chartOf({ kind: 'values', field: 'n' }), { name: 'Numbers' });
    // A HEAD request downloads nothing, so it has no entry.
    const headers = { cookie: browser.cookie ?? '' };
    expect((await pda.call('HEAD', `${pathOf(view)}/csv`, { token: null, headers })).status).toBe(200);
    for (const path of [pathOf(view), `${pathOf(view)}/csv`, pathOf(chart)])
      expect((await browser.get(path)).status).toBe(200);
    await stop(view);
    const table = { kind: 'table', name: 'Long walks', detail: 'Grace' };
    const numbers = { kind: 'chart', name: 'Numbers', detail: 'Grace' };
    const readAccess = { endpoints: ['walks/history'], fields: ['n'] };
    const guestRows = ledgerPageSchema.parse(
      (await pda.call('GET', `/api/v2.6/owner/ledger?user=${userId}`)).json,
    ).rows;
    expect(guestRows.slice(0, 3)).toMatchObject([
      { action: 'GET /guest/charts/:sharedViewId', consent: numbers, records: 0, ...readAccess },
      { action: 'GET /guest/tables/:sharedViewId/csv', consent: table, records: 2, ...readAccess },
      { action: 'GET /guest/tables/:sharedViewId', consent: table, records: 2, ...readAccess },
    ]);
    const decisions = await pda.call('GET', '/api/v2.6/owner/ledger?act=decision&take=3');
    expect(ledgerPageSchema.parse(decisions.json).rows).toMatchObject([
      { action: 'DELETE /api/v2.6/owner/shared-views/:sharedViewId', consent: table },
      { action: 'POST /api/v2.6/owner/shared-views', consent: numbers },
      { action: 'POST /api/v2.6/owner/shared-views', consent: table },
    ]);
  });
});
