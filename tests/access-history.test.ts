import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OWNER_DECISIONS } from '../renderer/dashboard/pages/history/owner-decisions.ts';
import { history as german } from '../renderer/dashboard/messages/de/history.ts';
import { history as english } from '../renderer/dashboard/messages/en/history.ts';
import { NON_REQUEST_ACTIONS } from '../server/wire/access-kinds.ts';
import { ledgerPageSchema, type LedgerRow } from '../server/wire/ledger.ts';
import { EXAMPLE_NAMES, exampleRow, SENTENCES } from './support/access-sentences.ts';
import { VARIANTS } from './support/access-variants.ts';
import { anApplication } from './support/applications.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

/** The access history names every request that it contains, and the decisions of the owner. */

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({
    config: { applications: [anApplication({ id: 'requester', roles: [{ role: 'datadebit' }] })] },
  });
});
afterAll(() => pda.close());

/**
 * Routes without a token that leave no entry under their own path. Some are recorded by their effect, such as
 * `sign-in`, some redirect to a route that is recorded, and some read nothing of the owner.
 */
const UNRECORDED_PUBLIC_ROUTES: ReadonlySet<string> = new Set([
  'GET /healthz',
  'GET /publickey',
  'GET /.well-known/former-keys.json',
  'GET /.well-known/jwks.json',
  'GET /users/access_token',
  'GET /api/v2.6/healthz',
  'GET /api/v2.6/version',
  'GET /api/v2.6/openapi.json',
  'GET /api/v2.6/applications/:id/hmi',
  'GET /api/v2.6/files/content/:fileId',
  'POST /api/v2.6/exchange/proof',
  'GET /share/:token/:fileId',
  'GET /invitation/:token',
  'POST /invitation/:token',
  'GET /guest/sign-in',
  'POST /guest/sign-in',
  'POST /guest/sign-in/passkey',
  'POST /guest/sign-out',
  'GET /guest/files/:fileId/content',
  'GET /guest/account',
  'POST /guest/sessions/end',
  'POST /guest/sessions/:sessionId/end',
  'POST /guest/password',
  'POST /guest/leave',
  'GET /guest/passkeys/new',
  'POST /guest/passkeys/new',
  'POST /guest/passkeys',
  'GET /guest/passkeys/:passkeyId/remove',
  'POST /guest/passkeys/:passkeyId/remove',
  'PUT /storage/:fileId',
  'GET /api/v2.6/owner/setup',
  'POST /api/v2.6/owner/restore',
  'POST /api/v2.6/owner/restore/look',
  'POST /api/v2.6/owner/setup',
  'GET /api/v2.6/owner/sign-in-ways',
  'POST /api/v2.6/owner/password-strength',
  'GET /docs',
  'GET /docs/',
  'GET /docs/*page',
  'GET /api/v2.6/owner/exports/:ticket',
  'GET /api/v2.6/owner/ledger-exports/:ticket',
  'GET /api/v2.6/owner/move/exports/:ticket',
]);
/** The languages, in the order of the texts in `SENTENCES`. */
const LANGUAGES = ['en', 'de'] as const;

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

  it('are tested for each action that the access history can contain', () => {
    const actions = new Set([
      ...Object.keys(NON_REQUEST_ACTIONS),
      'function run',
      ...pda.pda.routes
        .filter(({ access, ownerDecision }) => access.auth !== 'owner' || ownerDecision)
        .map(({ method, path }) => `${method} ${path}`)
        .filter((action) => !UNRECORDED_PUBLIC_ROUTES.has(action)),
    ]);
    expect([...actions].toSorted()).toEqual(Object.keys(SENTENCES).toSorted());
    const routes = new Set(pda.pda.routes.map(({ method, path }) => `${method} ${path}`));
    expect([...UNRECORDED_PUBLIC_ROUTES].filter((action) => !routes.has(action))).toEqual([]);
  });

  // Test files share modules, and the texts are loaded once.
  afterAll(async () => {
    vi.resetModules();
    const { loadTexts } = await import('../renderer/shared/messages/texts.ts');
    await loadTexts('en');
  });

  it.each(LANGUAGES)(
    'name every action, including those of refused requests, in the expected words (%s)',
    async (language) => {
      vi.resetModules();
      const { loadTexts } = await import('../renderer/shared/messages/texts.ts');
      await loadTexts(language);
      const { entrySentence } = await import('../renderer/dashboard/pages/history/entry-text.ts');
      const sentences = Object.keys(SENTENCES).map((action) => [
        action,
        // The format of numbers separates with narrow and non-breaking spaces.
        entrySentence(exampleRow(action), EXAMPLE_NAMES).text.replaceAll(/[\u202F\u00A0]/gu, ' '),
      ]);
      const position = LANGUAGES.indexOf(language);
      expect(sentences).toEqual(Object.entries(SENTENCES).map(([action, texts]) => [action, texts[position]]));
      const { otherRequest } = { en: english, de: german }[language].actions;
      const refusedRow = { outcome: 'refused', status: 403, reason: 'forbidden' } as const;
      const requests = pda.pda.routes
        .filter(({ access }) => access.auth !== 'public' && access.auth !== 'owner')
        .map(({ method, path }) => `${method} ${path}`);
      for (const action of requests) {
        const { text } = entrySentence({ ...exampleRow(action), ...refusedRow }, EXAMPLE_NAMES);
        expect(text, action).not.toContain({ en: english, de: german }[language].refusedActions.otherRequest);
      }
      const unnamed = sentences.filter(([, text]) => text?.includes(otherRequest));
      expect(unnamed).toEqual([]);
      for (const variant of VARIANTS) expect(entrySentence(variant.row, EXAMPLE_NAMES).text).toBe(variant[language]);
    },
  );
});

describe("the owner's decisions", () => {
  it('are in the access history with the consent that they are about, and refused ones are not', async () => {
    const before = (await rows()).length;
    await pda.call('GET', '/api/v2.6/applications/requester/setup');
    await pda.call('GET', '/api/v2.6/applications/requester/disable');
    await pda.call('GET', '/api/v2.6/applications/unknown/disable');
    await pda.call('GET', '/api/v2.6/data-debit/unknown/disable');
    const [disableRow, setUpRow, ...otherRows] = await rows();
    expect(otherRows).toHaveLength(before);
    const consent = { kind: 'application', name: 'requester', detail: '' };
    expect([setUpRow, disableRow]).toMatchObject([
      { who: { kind: 'owner' }, action: 'GET /api/v2.6/applications/:id/setup', consent, outcome: 'allowed' },
      { who: { kind: 'owner' }, action: 'GET /api/v2.6/applications/:id/disable', consent, outcome: 'allowed' },
    ]);
  });

  it('include the public profile and exports, but not bundles that are not public', async () => {
    const before = (await rows()).length;
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
    const all = await rows();
    const decisions = all.slice(0, all.length - before).toReversed();
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
    expect((await rows())[0]).toMatchObject({
      who: { kind: 'owner' },
      action: 'GET /api/v2.6/files/allowAccessPublic/:fileId',
      endpoints: ['files:photos'],
      files: [{ fileId, name: 'hills.txt' }],
      records: 1,
    });
  });
});
