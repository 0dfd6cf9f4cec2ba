import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OWNER_DECISIONS } from '../renderer/dashboard/pages/history/owner-decisions.ts';
import { history as german } from '../renderer/dashboard/messages/de/history.ts';
import { history as english } from '../renderer/dashboard/messages/en/history.ts';
import { EVENT_ACTIONS } from '../server/wire/access-kinds.ts';
import { ledgerPageSchema, type LedgerRow } from '../server/wire/ledger.ts';
import { EXAMPLE_NAMES, exampleRow, ACCESS_SENTENCES } from './support/access-sentences.ts';
import { ACCESS_VARIANTS } from './support/access-variants.ts';
import { anApplication } from './support/applications.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({
    config: { applications: [anApplication({ id: 'requester', roles: [{ role: 'datadebit' }] })] },
  });
});
afterAll(() => pda.close());

/** Public routes whose requests are not logged under their own path, with the reason. */
const UNRECORDED_PUBLIC_ROUTES: Readonly<Record<string, string>> = {
  'GET /healthz': 'contains no data of the owner',
  'GET /publickey': 'contains only public keys',
  'GET /.well-known/former-keys.json': 'contains only public keys',
  'GET /.well-known/jwks.json': 'contains only public keys',
  'GET /users/access_token': 'recorded as `sign-in`',
  'GET /api/v2.6/healthz': 'contains no data of the owner',
  'GET /api/v2.6/version': 'contains no data of the owner',
  'GET /api/v2.6/openapi.json': 'contains no data of the owner',
  'GET /api/v2.6/applications/:id/hmi': 'contains only what the exchange published',
  'GET /api/v2.6/files/content/:fileId': 'redirects to `/storage`, which is recorded',
  'POST /api/v2.6/exchange/proof': 'proves only that the PDA owns its address',
  'GET /share/:token/:fileId': 'redirects to `/storage`, which is recorded',
  'GET /invitation/:token': 'contains only the invitation itself',
  'POST /invitation/:token': 'recorded as `invitation-accepted` or `password-change`',
  'GET /guest/sign-in': 'a form without data of the owner',
  'POST /guest/sign-in': 'recorded as `sign-in`',
  'POST /guest/sign-in/passkey': 'recorded as `sign-in`',
  'POST /guest/sign-out': 'recorded as `sign-out`',
  'GET /guest/files/:fileId/content': 'redirects to `/storage`, which is recorded',
  'GET /guest/account': "contains only the guest's own account",
  'POST /guest/sessions/end': 'recorded as `sign-out`',
  'POST /guest/sessions/:sessionId/end': 'recorded as `sign-out`',
  'POST /guest/password': 'recorded as `password-change`',
  'POST /guest/leave': 'recorded as `guest-left`',
  'GET /guest/passkeys/new': 'a form without data of the owner',
  'POST /guest/passkeys/new': 'a step of the form without data of the owner',
  'POST /guest/passkeys': 'recorded as `passkey-added`',
  'GET /guest/passkeys/:passkeyId/remove': 'a form without data of the owner',
  'POST /guest/passkeys/:passkeyId/remove': 'recorded as `passkey-removed`',
  'PUT /storage/:fileId': 'part of an upload that is recorded',
  'GET /api/v2.6/owner/setup': "contains only the state of the setup and the owner's name",
  'POST /api/v2.6/owner/restore': 'only for a PDA that is not set up',
  'POST /api/v2.6/owner/restore/list': 'only for a PDA that is not set up',
  'POST /api/v2.6/owner/setup': 'recorded as `set-up`',
  'GET /api/v2.6/owner/sign-in-ways': 'contains only what a sign-in needs',
  'POST /api/v2.6/owner/password-strength': 'contains no data of the owner',
  'GET /docs': 'the guide contains no data of the owner',
  'GET /docs/': 'the guide contains no data of the owner',
  'GET /docs/*page': 'the guide contains no data of the owner',
  'GET /api/v2.6/owner/exports/:ticket': 'the owner downloads an export whose creation is recorded',
  'GET /api/v2.6/owner/files/archives/:ticket': 'the owner downloads an archive whose creation is recorded',
  'GET /api/v2.6/owner/ledger-exports/:ticket': 'the owner downloads an export whose creation is recorded',
  'GET /api/v2.6/owner/move/exports/:ticket': 'recorded as `export-all`',
};
/** The languages, in the order of the sentences in `ACCESS_SENTENCES`. */
const LANGUAGES = ['en', 'de'] as const;

const readRows = async (): Promise<LedgerRow[]> =>
  ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=200')).json).rows;

describe('access history sentences', () => {
  it('exist in each language for exactly the recorded owner decisions', () => {
    const recordedRoutes = pda.pda.routes.filter(({ ownerDecision }) => ownerDecision === true);
    expect(Object.keys(OWNER_DECISIONS).toSorted()).toEqual(
      recordedRoutes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    const decisions = [...new Set(Object.values(OWNER_DECISIONS))].toSorted();
    for (const { decisions: sentences } of [english, german])
      expect(Object.keys(sentences).toSorted()).toEqual(decisions);
  });

  it('are tested for each possible action', () => {
    const actions = new Set([
      ...Object.keys(EVENT_ACTIONS),
      'function run',
      ...pda.pda.routes
        .filter(({ access, ownerDecision }) => access.auth !== 'owner' || ownerDecision)
        .map(({ method, path }) => `${method} ${path}`)
        .filter((action) => !Object.hasOwn(UNRECORDED_PUBLIC_ROUTES, action)),
    ]);
    expect([...actions].toSorted()).toEqual(Object.keys(ACCESS_SENTENCES).toSorted());
    const routes = new Set(pda.pda.routes.map(({ method, path }) => `${method} ${path}`));
    expect(Object.keys(UNRECORDED_PUBLIC_ROUTES).filter((action) => !routes.has(action))).toEqual([]);
  });

  // Other test files use the same modules and expect English messages.
  afterAll(async () => {
    vi.resetModules();
    const { loadTexts } = await import('../renderer/shared/messages/texts.ts');
    await loadTexts('en');
  });

  it.each(LANGUAGES)(
    'have the expected words for every action, and specific words for a refused one (%s)',
    async (language) => {
      vi.resetModules();
      const { loadTexts } = await import('../renderer/shared/messages/texts.ts');
      await loadTexts(language);
      const { entrySentence } = await import('../renderer/dashboard/pages/history/entry-text.ts');
      const sentences = Object.keys(ACCESS_SENTENCES).map((action) => [
        action,
        // Formatted numbers contain narrow and non-breaking spaces.
        entrySentence(exampleRow(action), EXAMPLE_NAMES).text.replaceAll(/[\u202F\u00A0]/gu, ' '),
      ]);
      const position = LANGUAGES.indexOf(language);
      expect(sentences).toEqual(Object.entries(ACCESS_SENTENCES).map(([action, texts]) => [action, texts[position]]));
      const { otherRequest } = { en: english, de: german }[language].actions;
      const refusedRow = { outcome: 'refused', status: 403, reason: 'forbidden' } as const;
      const requests = pda.pda.routes
        .filter(({ access }) => access.auth !== 'public' && access.auth !== 'owner')
        .map(({ method, path }) => `${method} ${path}`);
      for (const action of requests) {
        const { text } = entrySentence({ ...exampleRow(action), ...refusedRow }, EXAMPLE_NAMES);
        expect(text, action).not.toContain({ en: english, de: german }[language].refusedActions.otherRequest);
      }
      const unnamedSentences = sentences.filter(([, text]) => text?.includes(otherRequest));
      expect(unnamedSentences).toEqual([]);
      for (const variant of ACCESS_VARIANTS)
        expect(entrySentence(variant.row, EXAMPLE_NAMES).text).toBe(variant[language]);
    },
  );
});

describe("the owner's decisions", () => {
  it('are recorded with the consent they concern, unless they failed', async () => {
    const previousCount = (await readRows()).length;
    await pda.call('GET', '/api/v2.6/applications/requester/setup');
    await pda.call('GET', '/api/v2.6/applications/requester/disable');
    await pda.call('GET', '/api/v2.6/applications/unknown/disable');
    await pda.call('GET', '/api/v2.6/data-debit/unknown/disable');
    const [disableRow, setUpRow, ...otherRows] = await readRows();
    expect(otherRows).toHaveLength(previousCount);
    const consent = { kind: 'application', name: 'requester', detail: '' };
    expect([setUpRow, disableRow]).toMatchObject([
      { who: { kind: 'owner' }, action: 'GET /api/v2.6/applications/:id/setup', consent, outcome: 'allowed' },
      { who: { kind: 'owner' }, action: 'GET /api/v2.6/applications/:id/disable', consent, outcome: 'allowed' },
    ]);
  });

  it('include the public profile and exports, but not bundles that are not public', async () => {
    const previousCount = (await readRows()).length;
    const field = { field: 'name', public: true };
    const bundle = { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } };
    await pda.call('POST', '/api/v2.6/data/fitness/steps', { json: 1 });
    expect((await pda.call('PUT', '/api/v2.6/owner/profile/public', { json: field })).status).toBe(200);
    expect((await pda.call('POST', '/api/v2.6/data-bundle/mine', { json: bundle })).status).toBe(200);
    for (const method of ['POST', 'PUT'])
      expect((await pda.call(method, '/api/v2.6/data-bundle/phata', { json: bundle })).status).toBe(200);
    expect((await pda.call('DELETE', '/api/v2.6/data-bundle/phata')).status).toBe(200);
    expect((await pda.call('DELETE', '/api/v2.6/data-bundle/mine')).status).toBe(200);
    const records = { endpoint: 'fitness/steps', format: 'csv' };
    expect((await pda.call('POST', '/api/v2.6/owner/exports', { json: records })).status).toBe(201);
    const history = { format: 'csv', filter: {} };
    expect((await pda.call('POST', '/api/v2.6/owner/ledger-exports', { json: history })).status).toBe(201);
    const allRows = await readRows();
    const decisions = allRows.slice(0, allRows.length - previousCount).toReversed();
    expect(decisions.map(({ action, endpoints, consent }) => [action, endpoints, consent])).toEqual([
      ['PUT /api/v2.6/owner/profile/public', [], { kind: 'profile', name: 'name', detail: 'public' }],
      ['POST /api/v2.6/data-bundle/*name', [], null],
      ['PUT /api/v2.6/data-bundle/*name', [], null],
      ['DELETE /api/v2.6/data-bundle/*name', [], null],
      ['POST /api/v2.6/owner/exports', ['fitness/steps'], null],
      ['POST /api/v2.6/owner/ledger-exports', [], null],
    ]);
  });

  it('about files are recorded with the file and its endpoint', async () => {
    const json = { name: 'hills.txt', source: 'photos' };
    const { fileId, contentUrl } = (await pda.call('POST', '/api/v2.6/files/upload', { json })).json as {
      fileId: string;
      contentUrl: string;
    };
    await pda.call('PUT', new URL(contentUrl).pathname + new URL(contentUrl).search, { body: 'x', token: null });
    await pda.call('PUT', `/api/v2.6/files/file/${fileId}/complete`);
    await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
    expect((await readRows())[0]).toMatchObject({
      who: { kind: 'owner' },
      action: 'GET /api/v2.6/files/allowAccessPublic/:fileId',
      endpoints: ['files:photos'],
      files: [{ fileId, name: 'hills.txt' }],
      records: 1,
    });
  });
});
