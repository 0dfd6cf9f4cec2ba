import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER_DECISIONS, entrySentence } from '../renderer/dashboard/pages/history/entry-text.ts';
import { history as german } from '../renderer/dashboard/messages/de/history.ts';
import { history as english } from '../renderer/dashboard/messages/en/history.ts';
import { ledgerPageSchema, type LedgerRow } from '../server/wire/ledger.ts';
import { anApplication } from './support/applications.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

/** The access history names every request that it contains, and the decisions of the owner. */

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({
    config: { applications: [anApplication({ id: 'asker', roles: [{ role: 'datadebit' }] })] },
  });
});
afterAll(() => pda.close());

const names = {
  applicationName: (id: string) => id,
  consentName: ({ name }: { name: string }) => name,
  consentGiven: () => undefined,
};
const rows = async (): Promise<LedgerRow[]> =>
  ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=200')).json).rows;

describe('the sentences of the access history', () => {
  it('exist for exactly the decisions of the owner that are recorded, in each language', () => {
    const recordedRoutes = pda.pda.routes.filter(({ ownerDecision }) => ownerDecision === true);
    expect(Object.keys(OWNER_DECISIONS).toSorted()).toEqual(
      recordedRoutes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    const decisions = [...new Set(Object.values(OWNER_DECISIONS))].toSorted();
    for (const { decisions: sentences } of [english, german])
      expect(Object.keys(sentences).toSorted()).toEqual(decisions);
  });

  it('exist for each request that others than the owner can send', () => {
    const row: LedgerRow = {
      id: 1,
      time: '2026-03-04T12:00:00.000Z',
      who: { kind: 'application', name: 'acme' },
      action: '',
      outcome: 'allowed',
      status: 200,
      reason: null,
      consent: null,
      endpoints: [],
      records: 0,
      fields: null,
      bytes: 0,
      address: '',
      count: 1,
      last: null,
    };
    const unnamedActions = pda.pda.routes
      .filter(({ access }) => access.auth !== 'public' && access.auth !== 'owner')
      .map(({ method, path }) => `${method} ${path}`)
      .filter((action) => entrySentence({ ...row, action }, names).action === english.actions.otherRequest);
    expect(unnamedActions).toEqual([]);
  });
});

describe("the owner's decisions", () => {
  it('are in the access history with the consent that they are about, and refused ones are not', async () => {
    const before = (await rows()).length;
    await pda.call('GET', '/api/v2.6/applications/asker/setup');
    await pda.call('GET', '/api/v2.6/applications/asker/disable');
    await pda.call('GET', '/api/v2.6/applications/unknown/disable');
    await pda.call('GET', '/api/v2.6/data-debit/unknown/disable');
    const [disabled, setUp, ...others] = await rows();
    expect(others).toHaveLength(before);
    const consent = { kind: 'application', name: 'asker', detail: '' };
    expect([setUp, disabled]).toMatchObject([
      { who: { kind: 'owner' }, action: 'GET /api/v2.6/applications/:id/setup', consent, outcome: 'allowed' },
      { who: { kind: 'owner' }, action: 'GET /api/v2.6/applications/:id/disable', consent, outcome: 'allowed' },
    ]);
  });

  it('about files name their source, and do not count as reads', async () => {
    const json = { name: 'hills.txt', source: 'photos' };
    const { fileId, contentUrl } = (await pda.call('POST', '/api/v2.6/files/upload', { json })).json as {
      fileId: string;
      contentUrl: string;
    };
    await pda.call('PUT', new URL(contentUrl).pathname + new URL(contentUrl).search, { body: 'x', token: null });
    await pda.call('PUT', `/api/v2.6/files/file/${fileId}/complete`);
    await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
    expect((await rows())[0]).toMatchObject({
      who: { kind: 'owner' },
      action: 'GET /api/v2.6/files/allowAccessPublic/:fileId',
      endpoints: ['files:photos'],
      records: 0,
    });
  });
});
