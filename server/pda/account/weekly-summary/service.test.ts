import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../tests/support/applications.ts';
import { storeFile } from '../../../../tests/support/files.ts';
import { invite } from '../../../../tests/support/guests.ts';
import { createSharing, tableOf } from '../../../../tests/support/shared-views.ts';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { addUser } from '../../../../tests/support/users.ts';
import { isoTime } from '../../../platform/clock.ts';
import { shareLinkSchema } from '../../../wire/share-links.ts';
import { weeklySummarySchema, type WeeklySummary } from '../../../wire/weekly-summary.ts';
import { createDebitCalls, DAY_SECONDS } from '../../sharing/debits/harness.test-support.ts';

const STEPS = '/api/v2.6/data/fitness/steps';
const DAY_MS = 86_400_000;

let pda: TestPda;
// The clock begins on Thursday, 15 January 2026, 12:00 UTC.
beforeAll(async () => {
  const roles = [{ role: 'namespaceread', detail: 'fitness' }];
  pda = await startTestPda({ config: { applications: [anApplication({ id: 'notes', roles })] } });
  await pda.call('POST', STEPS, { json: 1 });
  const token = await setUpApplication(pda, 'notes');
  for (let read = 0; read < 3; read += 1) await pda.call('GET', STEPS, { token });
  await pda.call('GET', '/api/v2.6/data/finance/accounts', { token });
});
afterAll(() => pda.close());

const readSummary = async (timeZone = 'UTC'): Promise<WeeklySummary> => {
  const reply = await pda.call('GET', `/api/v2.6/owner/weekly-summary?timeZone=${timeZone}`);
  expect(reply.status).toBe(200);
  return weeklySummarySchema.parse(reply.json);
};

describe('the weekly summary', () => {
  it('is empty before the first complete week', async () => {
    expect(await readSummary()).toEqual({
      from: '2026-01-05',
      to: '2026-01-11',
      readers: [],
      moreReaders: 0,
      isPartial: false,
      news: [],
      ending: [],
      moreEnding: 0,
    });
  });

  it('lists readers with their data, decisions of the owner, and links that end soon', async () => {
    const { fileId } = await storeFile(pda, 'a.txt', 'x');
    const link = async (name: string, days: number) =>
      pda.call('POST', '/api/v2.6/owner/share-links', {
        json: { name, fileIds: [fileId], expires: pda.clock.now() + days * DAY_MS },
      });
    expect((await link('Soon', 10)).status).toBe(200);
    await link('Later', 60);
    pda.clock.advance(5 * DAY_MS);
    pda.token = await pda.signIn();
    const week = await readSummary();
    expect(week).toMatchObject({
      from: '2026-01-12',
      to: '2026-01-18',
      readers: [
        {
          who: { kind: 'application', name: 'notes' },
          name: expect.any(String),
          requests: 4,
          refused: 1,
          records: 3,
          endpoints: ['fitness/steps'],
        },
      ],
      ending: [{ kind: 'link', name: 'Soon', end: '2026-01-25T12:00:00.000Z' }],
    });
    expect(week.news.map(({ action }) => action)).toEqual([
      'POST /api/v2.6/owner/share-links',
      'POST /api/v2.6/owner/share-links',
      'GET /api/v2.6/applications/:id/setup',
    ]);
  });

  it('lists what ends within two weeks, including paused consents but not used-up links', async () => {
    const { fileId } = await storeFile(pda, 'once.txt', 'x');
    const expires = pda.clock.now() + 3 * DAY_MS;
    const json = { name: 'Once', fileIds: [fileId], expires, opensMax: 1 };
    const { path } = shareLinkSchema.parse((await pda.call('POST', '/api/v2.6/owner/share-links', { json })).json);
    expect((await readSummary()).ending.map(({ name }) => name)).toContain('Once');
    const openAnonymously = (url: string) => pda.call('GET', url, { token: null, headers: { accept: 'text/html' } });
    const url = /href="(?<url>[^"]+)"/u
      .exec((await openAnonymously(path)).text)
      ?.groups?.['url']?.replaceAll('&amp;', '&');
    const content = new URL((await openAnonymously(url ?? '')).headers.location ?? '');
    expect((await openAnonymously(content.pathname + content.search)).text).toBe('x');

    const owner = createDebitCalls(pda);
    await owner.propose('lunch', { period: 15 * DAY_SECONDS });
    await owner.enable('lunch');
    await owner.pause('lunch', isoTime(pda.clock.now() + 2 * DAY_MS));
    const { userId } = await addUser(pda, 'grace');
    const sharing = createSharing(() => pda);
    await sharing.share('fitness/steps', userId, tableOf(['']), { ends: pda.clock.now() + 6 * DAY_MS });
    await invite(pda, [], { name: 'Alan', days: 7 });
    expect((await readSummary()).ending).toMatchObject([
      { kind: 'link', name: 'Soon' },
      { kind: 'table', name: 'Long walks', person: 'grace' },
      { kind: 'invitation', name: 'Alan' },
      { kind: 'debit', id: 'lunch', name: 'Lunch Ltd', end: '2026-01-30T12:00:00.000Z' },
    ]);
  });

  it('omits tables that are shared with a disabled user', async () => {
    const { userId } = await addUser(pda, 'katherine');
    const sharing = createSharing(() => pda);
    await sharing.share('fitness/steps', userId, tableOf(['']), { ends: pda.clock.now() + DAY_MS });
    const people = async () => (await readSummary()).ending.map(({ person }) => person);
    expect(await people()).toContain('katherine');
    expect((await pda.call('PUT', `/users/user/${userId}/disable`)).status).toBe(200);
    expect(await people()).not.toContain('katherine');
  });

  it('lists the five items that end first, and counts the others', async () => {
    const before = await readSummary();
    for (let guest = 0; guest < 5; guest += 1) await invite(pda, [], { name: `Guest ${guest}`, days: 13 });
    const { ending, moreEnding } = await readSummary();
    expect(ending).toHaveLength(5);
    expect(ending.length + moreEnding).toBe(before.ending.length + before.moreEnding + 5);
  });

  it('refuses an unknown time zone', async () => {
    expect((await pda.call('GET', '/api/v2.6/owner/weekly-summary?timeZone=Mars')).status).toBe(400);
  });
});
