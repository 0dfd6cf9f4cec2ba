import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import { createAccessTrace } from '../../../../platform/auth/access-trace.ts';
import { previewSchema } from '../../../../wire/debits.ts';
import { ledgerRecordsSchema, type LedgerRow } from '../../../../wire/ledger.ts';
import { rowsOf } from '../../access-log/recording/access-recorder.test-support.ts';
import {
  aBundle,
  aProposal,
  REQUESTER,
  NOT_ENABLED,
  startDebits,
  store,
  type DebitCalls,
  type DebitTest,
} from '../harness.test-support.ts';
import { createDebitValues } from './reader.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let token: string;
let proposeAndEnable: DebitTest['proposeAndEnable'];
beforeEach(async () => {
  ({ pda, owner, requester, token, proposeAndEnable } = await startDebits([REQUESTER], { strict: false }));
});
afterEach(() => pda.close());

const createDays = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({ n, even: n % 2 === 0, text: `day ${n}` }));
const getText = async (path: string, calls = owner): Promise<string> => {
  const reply = await calls.call('GET', path);
  expect(reply.status, reply.text.slice(0, 300)).toBe(200);
  return reply.text;
};
const EVEN_DAYS = [{ field: 'even', operator: { operator: 'in' as const, value: true } }];

describe('values', () => {
  it('are current at the time of the request, with filters, order, limit and unrounded numbers', async () => {
    const bundle = {
      days: {
        endpoints: [{ endpoint: 'a/days', filters: EVEN_DAYS, mapping: { is: 'n' } }],
        limit: 3,
        orderBy: 'n',
        ordering: 'descending' as const,
      },
      big: { endpoints: [{ endpoint: 'a/big' }] },
    };
    await proposeAndEnable({ bundle: { name: 'b', bundle } });
    expect(await requester.values('lunch')).toStrictEqual({ days: [], big: [] });
    await store(pda, 'a/days', createDays(9));
    await pda.call('POST', '/api/v2.6/data/a/big', { body: '{"n":12345678901234567890.10}' });
    expect(await requester.values('lunch')).toMatchObject({ days: [{ is: 8 }, { is: 6 }, { is: 4 }] });
    expect(await getText('data-debit/lunch/values', requester)).toContain('"data":{"n":12345678901234567890.10}');
    await store(pda, 'a/days', { n: 10, even: true });
    expect(await requester.values('lunch')).toMatchObject({ days: [{ is: 10 }, { is: 8 }, { is: 6 }] });
  });

  it('report which conditions are met, and are empty while a condition is not met', async () => {
    await store(pda, 'a/days', createDays(4));
    const conditions = {
      name: 'conditions',
      bundle: {
        many: {
          endpoints: [
            { endpoint: 'a/days', filters: [{ field: 'n', operator: { operator: 'in' as const, value: 5 } }] },
          ],
        },
        some: { endpoints: [{ endpoint: 'a/days' }], limit: 10 },
        never: { endpoints: [{ endpoint: 'a/days' }], limit: 0 },
      },
    };
    const { never: _, ...possibleConditions } = conditions.bundle;
    await proposeAndEnable({ bundle: aBundle('days', 'a/days', { is: 'n' }), conditions });
    expect(await getText('data-debit/lunch/values', requester)).toBe(
      '{"conditions":{"many":false,"some":true,"never":false},"bundle":{}}',
    );
    await requester.update('lunch', {
      bundle: aBundle('days', 'a/days', { is: 'n' }),
      conditions: { name: 'conditions', bundle: possibleConditions },
    });
    await owner.enable('lunch');
    expect(await getText('data-debit/lunch/values', requester)).toBe(
      '{"conditions":{"many":false,"some":true},"bundle":{}}',
    );
    await store(pda, 'a/days', { n: 5 });
    const reply = JSON.parse(await getText('data-debit/lunch/values', requester)) as {
      conditions: unknown;
      bundle: { days: unknown[] };
    };
    expect([reply.conditions, reply.bundle.days.length]).toStrictEqual([{ many: true, some: true }, 5]);
    // The owner's preview is the same.
    expect(await getText('data-debit/lunch/preview')).toBe(await getText('data-debit/lunch/values', requester));
  });

  it('are from the approved version, even if an update has the same bundle name', async () => {
    await store(pda, 'a/days', createDays(2));
    await proposeAndEnable({ bundle: aBundle('days', 'a/days', { is: 'n' }) });
    await requester.update('lunch', { bundle: aBundle('days', 'a/days') });
    expect(await requester.values('lunch')).toStrictEqual({ days: [{ is: 0 }, { is: 1 }] });
    await owner.enable('lunch');
    expect(await requester.values('lunch')).toStrictEqual({ days: createDays(2) });
  });

  it('contain no deleted records', async () => {
    await store(pda, 'a/days', createDays(3));
    await proposeAndEnable({ bundle: aBundle('days', 'a/days', { is: 'n' }) });
    await pda.call('DELETE', '/api/v2.6/data/a/days');
    expect(await requester.values('lunch')).toStrictEqual({ days: [] });
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'are cut off in the middle of a streamed response when the owner disables the Data Debit',
    async () => {
      // The records exceed the connection's buffers, so that the rest of the response waits for the client.
      const largeRecords = Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(6000) }));
      for (let round = 0; round < 3; round += 1) await store(pda, 'a/days', largeRecords);
      await proposeAndEnable({ bundle: aBundle('days', 'a/days') });
      const reply = await fetch(`http://127.0.0.1:${pda.port}/api/v2.6/data-debit/lunch/values`, {
        headers: { 'x-auth-token': token },
      });
      const reader = reply.body?.getReader();
      expect((await reader?.read())?.done).toBe(false);
      await owner.disable('lunch');
      let bytes = 0;
      const readRest = async (): Promise<void> => {
        for (;;) {
          const chunk = await reader?.read();
          if (chunk?.done !== false) return;
          bytes += chunk.value.byteLength;
        }
      };
      await expect(readRest()).rejects.toThrow();
      expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
      // Only bytes that were already in network buffers arrive.
      expect(bytes).toBeLessThan(12_000_000);
    },
  );

  it('are not returned if the owner disables the Data Debit while they are being read', async () => {
    await store(pda, 'a/days', createDays(2));
    await proposeAndEnable({ bundle: aBundle('days', 'a/days'), cancelAtPeriodEnd: false });
    const { debits, queries } = pda.pda;
    const readBundle: typeof queries.readBundle = async (...read) => {
      const text = await queries.readBundle(...read);
      await owner.disable('lunch');
      return text;
    };
    const debitValues = createDebitValues({ debits, queries: { ...queries, readBundle }, clock: pda.clock });
    const { principal } = await pda.pda.owner.authenticate(token);
    const caller = { principal, trace: createAccessTrace(), headersOnly: false, admitLongRead: () => undefined };
    await expect(debitValues.values('lunch', caller)).rejects.toMatchObject({ code: 'data_debit_not_enabled' });
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'are refused to all requests that start after the owner disables the Data Debit',
    async () => {
      await store(pda, 'a/days', createDays(500));
      await proposeAndEnable({ bundle: aBundle('days', 'a/days', { is: 'n' }), cancelAtPeriodEnd: false });
      const responses: { requestedAt: number; status: number }[] = [];
      const requestValues = async (): Promise<void> => {
        const requestedAt = performance.now();
        responses.push({ requestedAt, status: (await requester.call('GET', 'data-debit/lunch/values')).status });
      };
      const readers = Array.from({ length: 8 }, async () => {
        for (let round = 0; round < 12; round += 1) await requestValues();
      });
      await expect.poll(() => responses.length, { interval: 1 }).toBeGreaterThan(0);
      await owner.disable('lunch');
      const disabledAt = performance.now();
      await Promise.all(readers);
      await requestValues();
      expect(responses.filter(({ requestedAt, status }) => requestedAt > disabledAt && status === 200)).toStrictEqual(
        [],
      );
      expect(new Set(responses.map(({ status }) => status))).toStrictEqual(new Set([200, 400]));
    },
  );
});

describe('the access log of values', () => {
  const readRows = async (): Promise<LedgerRow[]> =>
    (await rowsOf(pda, 'debit=lunch')).filter(({ action }) => action.endsWith('/values'));

  it.skipIf(!IS_THOROUGH_RUN)(
    'names the records, fields and permission of a read, and the reason for a refusal',
    async () => {
      await store(pda, 'a/days', createDays(4));
      await store(pda, 'a/other', createDays(1));
      const bundle = {
        days: { endpoints: [{ endpoint: 'a/days', filters: EVEN_DAYS, mapping: { is: 'n', 'a.b': 'text' } }] },
        other: { endpoints: [{ endpoint: 'a/other', mapping: { is: 'n' } }] },
        again: { endpoints: [{ endpoint: 'a/days', mapping: { is: 'n' } }], limit: 1 },
      };
      const { permissionsLatest } = await requester.propose('lunch', { bundle: { name: 'b', bundle } });
      expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
      await owner.enable('lunch');
      const ids = Object.values(
        (
          JSON.parse(await getText('data-debit/lunch/values', requester)) as {
            bundle: Record<string, { recordId: string }[]>;
          }
        ).bundle,
      )
        .flat()
        .map(({ recordId }) => recordId);
      // A preview by the owner does not count as a read.
      await getText('data-debit/lunch/preview');
      const [allowedRow, refusedRow] = await readRows();
      expect(allowedRow).toMatchObject({
        who: { kind: 'application', name: 'requester' },
        outcome: 'allowed',
        consent: { kind: 'debit', name: 'lunch', detail: permissionsLatest.permissionId },
        records: 3,
        fields: ['is', 'a.b'],
      });
      expect(allowedRow?.endpoints.toSorted()).toStrictEqual(['a/days', 'a/other']);
      expect(refusedRow).toMatchObject({
        outcome: 'refused',
        reason: 'data_debit_not_enabled',
        consent: { kind: 'debit', name: 'lunch' },
        records: 0,
      });
      const { records } = ledgerRecordsSchema.parse(
        (await owner.call('GET', `owner/ledger/${allowedRow?.id}/records`)).json,
      );
      expect(records.map(({ recordId }) => recordId).toSorted()).toStrictEqual([...new Set(ids)].toSorted());
      expect(await owner.findAsOwner('lunch')).toMatchObject({
        reads: 1,
        recordsShared: 3,
        refused: 1,
        lastRead: new Date(pda.clock.now()).toISOString(),
      });
    },
  );

  it('distinguishes entire records from narrowed ones', async () => {
    await store(pda, 'a/days', createDays(2));
    await proposeAndEnable({ bundle: aBundle('days', 'a/days') });
    await requester.values('lunch');
    const { permissionsLatest } = await requester.update('lunch', { bundle: aBundle('days', 'a/days') });
    const { permissionId } = permissionsLatest;
    await owner.grant('lunch', { permissionId, narrowing: { keep: [{ property: 'days', entry: 0, fields: ['n'] }] } });
    await requester.values('lunch');
    expect((await readRows()).map(({ fields, records }) => [fields, records])).toStrictEqual([
      [['n'], 2],
      [null, 2],
    ]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('contains an entry for a streamed response', async () => {
    await store(pda, 'a/days', createDays(5000));
    await proposeAndEnable({ bundle: aBundle('days', 'a/days', { is: 'n' }) });
    expect((await requester.values('lunch'))['days']).toHaveLength(5000);
    expect((await readRows())[0]).toMatchObject({ records: 5000, outcome: 'allowed' });
  });

  it('names no record that only a condition read', async () => {
    await store(pda, 'a/days', createDays(2));
    await store(pda, 'a/gate', createDays(1));
    await proposeAndEnable({ bundle: aBundle('days', 'a/days'), conditions: aBundle('open', 'a/gate') });
    expect((await requester.values('lunch'))['days']).toHaveLength(2);
    expect((await readRows())[0]).toMatchObject({ records: 2, endpoints: ['a/days'], outcome: 'allowed' });
  });

  it('names no record if a condition is not met', async () => {
    await store(pda, 'a/days', createDays(2));
    await proposeAndEnable({ bundle: aBundle('days', 'a/days'), conditions: aBundle('never', 'a/nothing') });
    expect(await requester.values('lunch')).toStrictEqual({});
    expect((await readRows())[0]).toMatchObject({ records: 0, fields: [], outcome: 'allowed' });
  });
});

describe('the preview', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'returns before the approval exactly the bytes that `values` returns after it',
    async () => {
      await store(pda, 'a/days', createDays(30));
      await requester.propose('lunch', { bundle: aBundle('days', 'a/days', { is: 'n', text: 'text' }) });
      const previewBefore = await getText('data-debit/lunch/preview');
      expect(previewBefore).toContain('"is":29');
      await owner.enable('lunch');
      expect(await getText('data-debit/lunch/values', requester)).toBe(previewBefore);
      expect(await getText('data-debit/lunch/preview')).toBe(previewBefore);
      await owner.disable('lunch');
      expect(await owner.expectRefusal('GET', 'data-debit/lunch/preview')).toStrictEqual(NOT_ENABLED);
    },
  );

  const previewOf = async (body: object) => {
    const reply = await owner.call('POST', 'owner/debits/lunch/preview', body);
    expect(reply.status, reply.text.slice(0, 300)).toBe(200);
    return previewSchema.parse(reply.json);
  };

  it.skipIf(!IS_THOROUGH_RUN)('pages through the shared records and counts them', async () => {
    await store(pda, 'a/days', createDays(10));
    await store(pda, 'a/other', createDays(3));
    const bundle = {
      days: {
        endpoints: [{ endpoint: 'a/days', filters: EVEN_DAYS, mapping: { is: 'n' } }, { endpoint: 'a/other' }],
        limit: 6,
      },
      none: { endpoints: [{ endpoint: 'a/none' }] },
    };
    const { permissionsLatest } = await requester.propose('lunch', {
      bundle: { name: 'b', bundle },
      conditions: aBundle('c', 'a/none'),
    });
    const { permissionId } = permissionsLatest;
    const firstPage = await previewOf({ permissionId, take: 4 });
    expect(firstPage.properties.map(({ records, ...head }) => ({ ...head, shown: records.length }))).toStrictEqual([
      {
        property: 'days',
        matching: 8,
        leaving: 6,
        shown: 4,
        limit: 6,
        entries: [
          { endpoint: 'a/days', endpointRecords: 10, entire: false, fields: ['is'], excluded: false },
          { endpoint: 'a/other', endpointRecords: 3, entire: true, fields: ['n', 'even', 'text'], excluded: false },
        ],
      },
      {
        property: 'none',
        matching: 0,
        leaving: 0,
        shown: 0,
        limit: null,
        entries: [{ endpoint: 'a/none', endpointRecords: 0, entire: true, fields: [], excluded: false }],
      },
    ]);
    expect(firstPage.conditions).toStrictEqual({ c: false });
    const secondPage = await previewOf({ permissionId, skip: 4, take: 4 });
    const pagedRecords = [...(firstPage.properties[0]?.records ?? []), ...(secondPage.properties[0]?.records ?? [])];
    expect(pagedRecords).toHaveLength(6);
    expect(secondPage.bytes).toBe(JSON.stringify(secondPage.properties[0]?.records).length + 2);
    await requester.update('lunch', { bundle: { name: 'b', bundle } });
    await owner.find('lunch');
    await owner.enable('lunch');
    const { bundle: values } = JSON.parse(await getText('data-debit/lunch/values', requester)) as {
      bundle: { days: unknown };
    };
    expect(pagedRecords).toStrictEqual(values.days);
    expect((await previewOf({ permissionId, skip: 6, take: 4 })).properties[0]?.records).toStrictEqual([]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('contains the records that a narrowed request returns after the approval', async () => {
    await store(pda, 'a/days', createDays(5));
    await store(pda, 'a/other', createDays(5));
    const bundle = {
      days: {
        endpoints: [
          { endpoint: 'a/days', mapping: { is: 'n' } },
          { endpoint: 'a/other', mapping: { is: 'n', t: 'text' } },
        ],
        limit: 7,
        orderBy: 'is',
      },
      gone: { endpoints: [{ endpoint: 'a/days' }] },
    };
    const { permissionsLatest } = await requester.propose('lunch', { bundle: { name: 'b', bundle } });
    const { permissionId } = permissionsLatest;
    const narrowing = {
      drop: [
        { property: 'days', entry: 0 },
        { property: 'days', entry: 1, fields: ['t'] },
        { property: 'gone', entry: 0 },
      ],
    };
    const preview = await previewOf({ permissionId, narrowing });
    // Four of the seven requested records are at `a/days`, whose records are hidden.
    expect(
      preview.properties.map(({ property, matching, leaving, records, entries }) => [
        property,
        matching,
        leaving,
        records.length,
        entries.map(({ excluded }) => excluded),
      ]),
    ).toStrictEqual([
      ['days', 5, 3, 3, [true, false]],
      ['gone', 0, 0, 0, [true]],
    ]);
    await owner.grant('lunch', { permissionId, narrowing });
    const { bundle: values } = JSON.parse(await getText('data-debit/lunch/values', requester)) as {
      bundle: Record<string, unknown[]>;
    };
    expect(values).toStrictEqual({ days: preview.properties[0]?.records });
    // A later preview shows the granted data.
    expect((await previewOf({ permissionId })).properties).toStrictEqual(preview.properties);
  });

  it('is limited to permissions of the same Data Debit and to 500 records per page', async () => {
    const { permissionsLatest } = await requester.propose('lunch');
    await requester.propose('dinner', aProposal('dinner'));
    const { permissionId } = permissionsLatest;
    expect(await owner.expectRefusal('POST', 'owner/debits/dinner/preview', { permissionId })).toStrictEqual([
      404,
      'not_found',
    ]);
    expect(await owner.expectRefusal('POST', 'owner/debits/lunch/preview', { permissionId, take: 501 })).toStrictEqual([
      400,
      'invalid_input',
    ]);
  });
});
