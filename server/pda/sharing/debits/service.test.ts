import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../tests/support/applications.ts';
import { errorOf, type TestPda } from '../../../../tests/support/test-pda.ts';
import { debitSchema } from '../../../wire/debits.ts';
import {
  aBundle,
  aProposal,
  REQUESTER,
  DAY_SECONDS,
  createDebitCalls,
  NOT_ENABLED,
  NOW,
  SHARED_VALUES,
  startDebits,
  storeEvents,
  type DebitCalls,
} from './harness.test-support.ts';

const OTHER = anApplication({ id: 'other', roles: [{ role: 'datadebit' }] });
const BANK = anApplication({ id: 'bank', roles: [{ role: 'datadebit', detail: 'bank/loan' }] });
const READER = anApplication({ id: 'reader', roles: [{ role: 'namespaceread', detail: 'calendar' }] });

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
beforeEach(async () => {
  ({ pda, owner, requester } = await startDebits([REQUESTER, OTHER, BANK, READER]));
  await storeEvents(pda);
});
afterEach(() => pda.close());

describe('a proposal', () => {
  it('is refused with the name of the field that contains a bidirectional control character', async () => {
    for (const [field, problem] of [
      ['requestClientName', 'use one line, without control characters or characters that change the text direction'],
      ['purpose', 'use no control characters and no characters that change the text direction'],
    ] as const) {
      for (const [method, key] of [
        ['POST', 'disguised'],
        ['PUT', 'lunch'],
      ] as const) {
        if (method === 'PUT' && field === 'requestClientName') await requester.propose('lunch');
        const json = aProposal(key, { [field]: 'Lunch \u202Edetcejer' });
        const reply = await requester.call(method, `data-debit/${key}`, json);
        expect([reply.status, errorOf(reply).cause], method).toStrictEqual([400, `body.${field}: ${problem}`]);
      }
    }
    expect(await owner.expectRefusal('GET', 'data-debit/disguised')).toStrictEqual([404, 'not_found']);
    expect((await owner.find('lunch')).requestClientName).toBe('Lunch Ltd');
  });

  it('returns the whole Data Debit and shares nothing yet', async () => {
    const createdDebit = await requester.propose('lunch', {
      requestDescription: 'Hello',
      requestClientCallbackUrl: 'https://lunch.example.com/hook',
    });
    const { bundle, purpose, termsUrl, requestClientName, requestClientUrl, requestClientLogoUrl } = aProposal('lunch');
    const permission = {
      permissionId: createdDebit.permissionsLatest.permissionId,
      state: 'waiting',
      dateCreated: NOW,
      purpose,
      start: NOW,
      period: 30 * DAY_SECONDS,
      cancelAtPeriodEnd: true,
      termsUrl,
      bundle,
      accepted: false,
      active: false,
      end: '2026-02-14T12:00:00.000Z',
    };
    expect(createdDebit).toStrictEqual({
      dataDebitKey: 'lunch',
      state: 'pending',
      dateCreated: NOW,
      permissions: [permission],
      permissionsLatest: permission,
      requestClientName,
      requestClientUrl,
      requestClientLogoUrl,
      requestApplicationId: 'requester',
      requestDescription: 'Hello',
      active: false,
      accepted: false,
      start: NOW,
      end: '2026-02-14T12:00:00.000Z',
    });
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
  });

  it('makes `values` return the documented error before it is enabled', async () => {
    await requester.propose('lunch');
    const reply = await requester.call('GET', 'data-debit/lunch/values');
    const { error, message, cause } = errorOf(reply);
    expect([reply.status, error, message, cause]).toStrictEqual([
      400,
      'data_debit_not_enabled',
      'Bad Request',
      'Data Debit lunch not enabled',
    ]);
  });

  it('accepts an ISO 8601 duration and a time with an offset', async () => {
    const createdDebit = await requester.propose('lunch', { period: 'P1DT1H', start: '2026-01-15T14:00:00+02:00' });
    expect([createdDebit.permissionsLatest.period, createdDebit.start]).toStrictEqual([90_000, NOW]);
  });

  it.each([
    ['2026-11-01T00:00:00+0100', '2026-10-31T23:00:00.000Z'],
    ['2026-11-01T00:00:00+01', '2026-10-31T23:00:00.000Z'],
    ['2026-11-01T00:00Z', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01T00:00:00', '2026-11-01T00:00:00.000Z'],
    ['2026-11-01', '2026-11-01T00:00:00.000Z'],
    [1_793_491_200_000, '2026-11-01T00:00:00.000Z'],
  ])('parses the start %s as %s', async (start, expected) => {
    expect((await requester.propose('lunch', { start })).start).toBe(expected);
  });

  const timeExpected = 'must be an ISO 8601 date and time such as 2026-01-31T09:30:00Z, or Unix milliseconds';
  const periodExpected = 'must be a whole number of seconds, or an ISO 8601 duration such as P30D or PT12H';
  const noMonths = 'use weeks, days, hours, minutes or seconds: months and years have no fixed length';
  it.each<[object, string, string]>([
    [{ start: 'tomorrow' }, 'start', timeExpected],
    [{ start: '2026-02-30' }, 'start', timeExpected],
    [{ start: null }, 'start', timeExpected],
    [{ start: '1969-12-31' }, 'start', 'must be between the years 1970 and 9999'],
    [{ period: 'P1M' }, 'period', noMonths],
    [{ period: 'P1Y' }, 'period', noMonths],
    [{ period: 'PT0.5S' }, 'period', 'must be a whole number of seconds'],
    [{ period: 0.5 }, 'period', 'must be a whole number of seconds'],
    [{ period: 'a while' }, 'period', periodExpected],
    [{ period: null }, 'period', periodExpected],
    [{ period: 'P0D' }, 'period', 'must be at least one second'],
    [{ period: 'P5300W' }, 'period', 'must be at most 100 years'],
  ])('is refused with path and problem if its start or period is invalid: %j', async (changes, field, problem) => {
    const reply = await requester.call('POST', 'data-debit/lunch', { ...aProposal('lunch'), ...changes });
    const { error, cause, details } = errorOf(reply);
    expect([reply.status, error, cause]).toStrictEqual([400, 'invalid_input', `body.${field}: ${problem}`]);
    expect(details).toStrictEqual([{ path: `body.${field}`, problem }]);
  });

  it('accepts a path with non-ASCII characters as its key', async () => {
    const key = 'städte/Offer-1.2~x';
    const createdDebit = debitSchema.parse(
      (
        await requester.call(
          'POST',
          `data-debit/${encodeURIComponent(key)}`,
          aProposal(key, { bundle: aBundle('b', 'calendar/events') }),
        )
      ).json,
    );
    expect(createdDebit.dataDebitKey).toBe(key);
    expect((await owner.enable('st%C3%A4dte/Offer-1.2~x')).state).toBe('enabled');
  });

  it('is refused without a change if it is invalid', async () => {
    const invalidProposals: [string, string, object][] = [
      ['a body with a different key', 'lunch', { dataDebitKey: 'dinner' }],
      ['a period of zero seconds', 'lunch', { period: 0 }],
      ['a period of half a second', 'lunch', { period: 0.5 }],
      ['a period in months', 'lunch', { period: 'P1M' }],
      ['an invalid start', 'lunch', { start: 'tomorrow' }],
      ['a javascript: URL', 'lunch', { termsUrl: 'javascript:alert(1)' }],
      ['an invalid callback URL', 'lunch', { requestClientCallbackUrl: 'ftp://lunch.example.com' }],
      ['a bundle without a name', 'lunch', { bundle: { bundle: aBundle('b', 'x/y').bundle } }],
      ['an empty bundle', 'lunch', { bundle: { name: 'b', bundle: {} } }],
      ['an end after the year 9999', 'lunch', { start: '9999-12-31T00:00:00Z', period: 'P1W' }],
      ['an unknown field', 'lunch', { role: 'owner' }],
      ['the ID of another application', 'lunch', { requestApplicationId: 'other' }],
      ['a reserved key prefix', 'app-lunch', {}],
      ['a reserved key prefix in capitals', 'APP-lunch', {}],
      ['a key that ends with a reserved path segment', 'lunch/values', {}],
      ['a key that ends with another reserved segment', 'lunch/grant', {}],
      ['a bundle name that ends with a reserved segment', 'lunch', { bundle: aBundle('lunch/structure', 'x/y') }],
    ];
    for (const [problem, key, changes] of invalidProposals) {
      const refusal = await requester.expectRefusal('POST', `data-debit/${key}`, { ...aProposal(key), ...changes });
      expect([problem, ...refusal]).toStrictEqual([problem, 400, 'invalid_input']);
      expect((await owner.call('GET', 'data-debit')).json, problem).toStrictEqual([]);
    }
    // The refused requests reserved no names.
    await requester.propose('lunch');
  });

  it('can be made by the owner and by applications with the right to request its key', async () => {
    const reader = createDebitCalls(pda, await setUpApplication(pda, 'reader'));
    const bank = createDebitCalls(pda, await setUpApplication(pda, 'bank'));
    expect(await reader.expectRefusal('POST', 'data-debit/lunch', aProposal('lunch'))).toStrictEqual([
      403,
      'forbidden',
    ]);
    expect(await bank.expectRefusal('POST', 'data-debit/lunch', aProposal('lunch'))).toStrictEqual([403, 'forbidden']);
    await bank.propose('bank/loan');
    await owner.propose('mine');
    expect((await owner.findAsOwner('mine')).requester).toStrictEqual({
      kind: 'owner',
      name: 'owner',
      site: 'lunch.example.com',
    });
    expect((await owner.findAsOwner('bank/loan')).requester).toMatchObject({ kind: 'application', name: 'bank' });
  });
});

describe('keys and bundle names', () => {
  it('must be unique, including the names of conditions', async () => {
    await requester.propose('lunch', { conditions: aBundle('awake', 'calendar/events') });
    const debitBefore = await owner.find('lunch');
    const expectedRefusal = [400, 'already_exists'];
    expect(await requester.expectRefusal('POST', 'data-debit/lunch', aProposal('lunch'))).toStrictEqual(
      expectedRefusal,
    );
    for (const name of ['lunch-bundle', 'awake']) {
      const bundle = aBundle(name, 'calendar/events');
      expect(await requester.expectRefusal('POST', 'data-debit/other', aProposal('other', { bundle }))).toStrictEqual(
        expectedRefusal,
      );
      expect(
        await requester.expectRefusal('POST', 'data-debit/other', aProposal('other', { conditions: bundle })),
      ).toStrictEqual(expectedRefusal);
    }
    const sameNames = { bundle: aBundle('same', 'a/b'), conditions: aBundle('same', 'a/c') };
    expect(await requester.expectRefusal('POST', 'data-debit/other', aProposal('other', sameNames))).toStrictEqual(
      expectedRefusal,
    );
    expect(await owner.find('lunch')).toStrictEqual(debitBefore);
    expect(await owner.expectRefusal('GET', 'data-debit/other')).toStrictEqual([404, 'not_found']);
    // A refused request reserves no names.
    await requester.propose('other', { bundle: aBundle('same', 'a/b') });
  });

  it('must differ from the names of plain bundles, in both directions', async () => {
    const { bundle } = aBundle('plain', 'calendar/events');
    expect((await owner.call('POST', 'data-bundle/plain', bundle)).status).toBe(200);
    const expectedRefusal = [400, 'already_exists'];
    expect(
      await requester.expectRefusal(
        'POST',
        'data-debit/lunch',
        aProposal('lunch', { bundle: aBundle('plain', 'a/b') }),
      ),
    ).toStrictEqual(expectedRefusal);

    await requester.propose('lunch');
    await owner.enable('lunch');
    for (const method of ['POST', 'PUT'])
      expect(await owner.expectRefusal(method, 'data-bundle/lunch-bundle', bundle)).toStrictEqual(expectedRefusal);
    expect(await owner.expectRefusal('DELETE', 'data-bundle/lunch-bundle')).toStrictEqual(expectedRefusal);
    expect(await owner.expectRefusal('GET', 'data-bundle/lunch-bundle')).toStrictEqual([404, 'not_found']);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    await requester.update('lunch', { bundle: aBundle('lunch-more', 'calendar/events') });
    await owner.enable('lunch');
    expect(await owner.expectRefusal('PUT', 'data-bundle/lunch-more', bundle)).toStrictEqual(expectedRefusal);
    expect(
      await requester.expectRefusal('PUT', 'data-debit/lunch', aProposal('lunch', { bundle: aBundle('plain', 'a/b') })),
    ).toStrictEqual(expectedRefusal);
    // A name becomes available when its plain bundle is deleted.
    expect((await owner.call('DELETE', 'data-bundle/plain')).status).toBe(200);
    await requester.update('lunch', { bundle: aBundle('plain', 'a/b') });
  });

  it('stay reserved after a Data Debit is removed', async () => {
    await requester.propose('lunch');
    await owner.enable('lunch');
    await owner.remove('lunch');
    expect(await requester.expectRefusal('POST', 'data-debit/lunch', aProposal('lunch'))).toStrictEqual([
      400,
      'already_exists',
    ]);
    const bundle = aBundle('lunch-bundle', 'calendar/events');
    expect(await requester.expectRefusal('POST', 'data-debit/other', aProposal('other', { bundle }))).toStrictEqual([
      400,
      'already_exists',
    ]);
  });

  it('are reserved by exactly one of several concurrent requests', async () => {
    const proposeConcurrently = async (key: (index: number) => string, changes: object): Promise<number[]> => {
      const calls = Array.from({ length: 100 }, (_, index) =>
        requester.call('POST', `data-debit/${key(index)}`, aProposal(key(index), changes)),
      );
      return (await Promise.all(calls)).map(({ status }) => status).toSorted((a, b) => a - b);
    };
    const oneSuccess = [201, ...Array.from({ length: 99 }, () => 400)];
    expect(await proposeConcurrently(() => 'lunch', {})).toStrictEqual(oneSuccess);
    expect(await proposeConcurrently((index) => `key-${index}`, { bundle: aBundle('wanted', 'a/b') })).toStrictEqual(
      oneSuccess,
    );
    expect((await owner.find('lunch')).permissions).toHaveLength(1);

    const { permissionId } = (await requester.propose('both', { bundle: aBundle('both', 'a/b') })).permissionsLatest;
    const concurrentCalls = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0
        ? owner.call('POST', 'data-bundle/both', aBundle('both', 'a/b').bundle)
        : owner.call('POST', 'owner/debits/both/grant', { permissionId }),
    );
    expect((await Promise.all(concurrentCalls)).filter(({ status }) => status < 300)).toHaveLength(1);
  });
});

describe('access to a Data Debit', () => {
  it('is limited to the owner and the requesting application', async () => {
    const otherCalls = createDebitCalls(pda, await setUpApplication(pda, 'other'));
    const reader = createDebitCalls(pda, await setUpApplication(pda, 'reader'));
    await requester.propose('lunch');
    await owner.enable('lunch');
    for (const caller of [otherCalls, reader]) {
      for (const path of ['', '/values'])
        expect(await caller.expectRefusal('GET', `data-debit/lunch${path}`)).toStrictEqual([404, 'not_found']);
      expect(await caller.expectRefusal('PUT', 'data-debit/lunch', aProposal('lunch'))).toStrictEqual([
        404,
        'not_found',
      ]);
      expect((await caller.call('GET', 'data-debit')).json).toStrictEqual([]);
    }
    expect(await requester.find('lunch')).toStrictEqual(await owner.find('lunch'));
  });

  it('includes the application on whose behalf the owner makes the request', async () => {
    await owner.propose('lunch', { requestApplicationId: 'requester' });
    await owner.enable('lunch');
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    const otherCalls = createDebitCalls(pda, await setUpApplication(pda, 'other'));
    expect(await otherCalls.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual([404, 'not_found']);
    expect(
      await owner.expectRefusal('PUT', 'data-debit/lunch', aProposal('lunch', { requestApplicationId: 'other' })),
    ).toStrictEqual([400, 'invalid_input']);
  });

  it('applies to lists, which are paged with the newest first', async () => {
    for (const key of ['one', 'two', 'three']) await requester.propose(key);
    await owner.propose('mine');
    const keys = async (calls: typeof owner, query = ''): Promise<string[]> =>
      debitSchema
        .array()
        .parse((await calls.call('GET', `data-debit${query}`)).json)
        .map((debit) => debit.dataDebitKey);
    expect(await keys(owner)).toStrictEqual(['mine', 'three', 'two', 'one']);
    expect(await keys(requester)).toStrictEqual(['three', 'two', 'one']);
    expect(await keys(owner, '?skip=1&take=2')).toStrictEqual(['three', 'two']);
    expect(await owner.expectRefusal('GET', 'data-debit?take=-1')).toStrictEqual([400, 'invalid_input']);
  });

  it('ends when the application is disabled', async () => {
    await requester.propose('lunch');
    await owner.enable('lunch');
    await owner.call('GET', 'applications/requester/disable');
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual([401, 'not_authenticated']);
    expect((await owner.find('lunch')).state).toBe('disabled');
  });
});
