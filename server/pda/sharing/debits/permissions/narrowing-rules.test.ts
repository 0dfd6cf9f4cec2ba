import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import '../../../../../tests/support/bound-properties.ts';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import type { Narrowing } from '../../../../wire/debits.ts';
import { bundleSchema, type Bundle, type CombinatorEntry, type Mapping } from '../../../../wire/query.ts';
import { startDebits, store, type DebitCalls } from '../harness.test-support.ts';
import { sharedFieldsOf, narrow, narrowingOf, visibleBundle } from './narrowing-rules.ts';

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let count = 0;
let key = '';
beforeAll(async () => {
  ({ pda, owner, requester } = await startDebits());
  const people = (n: number): unknown[] => [{ name: `p${n}`, mail: `p${n}@example.com` }];
  for (let n = 0; n < 6; n += 1) {
    await store(pda, 'a/one', {
      n,
      title: `one ${n}`,
      secret: `s${n}`,
      when: { start: 10 - n, end: n },
      people: people(n),
    });
    await store(pda, 'a/two', {
      n,
      title: `two ${n}`,
      secret: `t${n}`,
      when: { start: n, end: n },
      extra: { deep: n },
    });
  }
});
afterAll(() => pda.close());
beforeEach(() => {
  count += 1;
  key = `debit-${count}`;
});

const grantAndRead = async (bundle: Bundle, narrowing?: unknown): Promise<Record<string, unknown[]>> => {
  const { permissionsLatest } = await requester.propose(key, { bundle: { name: key, bundle } });
  await owner.grant(key, {
    permissionId: permissionsLatest.permissionId,
    ...(narrowing === undefined ? {} : { narrowing }),
  });
  return requester.values(key);
};
const expectRefusedNarrowing = async (bundle: Bundle, narrowing: unknown): Promise<[number, string]> => {
  const { permissionsLatest } = await requester.propose(key, { bundle: { name: key, bundle } });
  const { permissionId } = permissionsLatest;
  const refusal = await owner.expectRefusal('POST', `owner/debits/${key}/grant`, { permissionId, narrowing });
  expect(await requester.expectRefusal('GET', `data-debit/${key}/values`)).toStrictEqual([
    400,
    'data_debit_not_enabled',
  ]);
  expect(await owner.expectRefusal('POST', `owner/debits/${key}/preview`, { permissionId, narrowing })).toStrictEqual(
    refusal,
  );
  return refusal;
};

const firstEntry = (mapping?: Mapping): CombinatorEntry => ({
  endpoint: 'a/one',
  ...(mapping === undefined ? {} : { mapping }),
});
const secondEntry = (mapping?: Mapping): CombinatorEntry => ({
  endpoint: 'a/two',
  ...(mapping === undefined ? {} : { mapping }),
});
const INVALID = [400, 'invalid_input'];

it('the shared fields are null if a field contains the entire record, until that field is dropped', () => {
  const bundle: Bundle = { all: { endpoints: [firstEntry({ t: 'title', everything: 'data.[]' })] } };
  expect(sharedFieldsOf(narrow(bundle, undefined))).toBeNull();
  const drop = [{ property: 'all', entry: 0, fields: ['everything'] }];
  expect(sharedFieldsOf(narrow(bundle, { drop, keep: [] }))).toStrictEqual(['t']);
});

describe('granting a narrowed request', () => {
  it('hides the records of an entry, and does not add other records up to the limit', async () => {
    const bundle = {
      all: { endpoints: [firstEntry({ t: 'title' }), secondEntry({ t: 'title' })], limit: 4, orderBy: 'n' },
    };
    expect(await grantAndRead(bundle, { drop: [{ property: 'all', entry: 0 }] })).toStrictEqual({
      all: [{ t: 'two 0' }, { t: 'two 1' }],
    });
  });

  it('removes a property without visible entries', async () => {
    const bundle = {
      first: { endpoints: [firstEntry({ t: 'title' })], limit: 1 },
      second: { endpoints: [secondEntry({ t: 'title' })], limit: 1 },
    };
    expect(await grantAndRead(bundle, { drop: [{ property: 'first', entry: 0 }] })).toStrictEqual({
      second: [{ t: 'two 0' }],
    });
    const { permissionsActive } = await requester.find(key);
    expect(Object.keys(permissionsActive?.bundle.bundle ?? {})).toStrictEqual(['second']);
    expect(permissionsActive?.asked?.bundle).toStrictEqual(bundle);
  });

  it('removes nested output fields by their top-level name and dotted output fields individually', async () => {
    const mapping = {
      t: 'title',
      'w.s': 'when.start',
      'w.e': 'when.end',
      'who[]': { source: 'people', mappings: { m: 'mail' } },
    };
    const bundle = { all: { endpoints: [firstEntry(mapping)], limit: 1 } };
    expect(
      await grantAndRead(bundle, { drop: [{ property: 'all', entry: 0, fields: ['w.s', 'who[]'] }] }),
    ).toStrictEqual({
      all: [{ t: 'one 0', w: { e: 0 } }],
    });
    const { permissionsActive } = await requester.find(key);
    expect(permissionsActive?.bundle.bundle['all']?.endpoints[0]?.mapping).toStrictEqual({
      t: 'title',
      'w.e': 'when.end',
    });
  });

  it('removes fields that overlap with a removed field', async () => {
    // In the full response, `w.end` is the title and hides `when.end`.
    const bundle = { all: { endpoints: [firstEntry({ t: 'title', w: 'when', 'w.end': 'title' })], limit: 1 } };
    expect(await grantAndRead(bundle, { drop: [{ property: 'all', entry: 0, fields: ['w.end'] }] })).toStrictEqual({
      all: [{ t: 'one 0' }],
    });
  });

  it('hides an entry without remaining fields', async () => {
    const bundle = { all: { endpoints: [firstEntry({ t: 'title' }), secondEntry({ t: 'title' })] } };
    const { all } = await grantAndRead(bundle, { drop: [{ property: 'all', entry: 0, fields: ['t'] }] });
    expect(all).toStrictEqual(Array.from({ length: 6 }, (_, n) => ({ t: `two ${n}` })));
  });

  it('keeps selected top-level fields of entire records', async () => {
    const bundle = { all: { endpoints: [secondEntry()], limit: 1 } };
    expect(
      await grantAndRead(bundle, { keep: [{ property: 'all', entry: 0, fields: ['title', 'extra', 'absent'] }] }),
    ).toStrictEqual({
      all: [{ title: 'two 0', extra: { deep: 0 } }],
    });
  });

  it('orders by a hidden field', async () => {
    const bundle = { all: { endpoints: [firstEntry({ t: 'title', s: 'when.start' })], limit: 2, orderBy: 's' } };
    expect(await grantAndRead(bundle, { drop: [{ property: 'all', entry: 0, fields: ['s'] }] })).toStrictEqual({
      all: [{ t: 'one 5' }, { t: 'one 4' }],
    });
  });

  it('orders by a hidden field that two entries read from different paths', async () => {
    const bundle = {
      all: {
        endpoints: [firstEntry({ t: 'title', s: 'when.start' }), secondEntry({ t: 'title', s: 'when.end' })],
        limit: 3,
        orderBy: 's',
        ordering: 'descending',
      },
    } as const;
    const drop = [0, 1].map((entry) => ({ property: 'all', entry, fields: ['s'] }));
    expect(await grantAndRead(bundleSchema.parse(bundle), { drop })).toStrictEqual({
      all: [{ t: 'one 0' }, { t: 'one 1' }, { t: 'one 2' }],
    });
  });

  it('filters by a hidden field', async () => {
    const filters = [{ field: 'when.start', operator: { operator: 'between' as const, lower: 4, upper: 6 } }];
    const bundle = { all: { endpoints: [{ ...firstEntry({ t: 'title', s: 'when.start' }), filters }] } };
    expect(await grantAndRead(bundle, { drop: [{ property: 'all', entry: 0, fields: ['s'] }] })).toStrictEqual({
      all: [{ t: 'one 5' }],
    });
  });

  it('can shorten the period and end its renewal, but not extend the period', async () => {
    const { permissionsLatest } = await requester.propose(key, { period: 100, cancelAtPeriodEnd: false });
    const { permissionId } = permissionsLatest;
    const grant = (changes: object): object => ({ permissionId, ...changes });
    expect(await owner.expectRefusal('POST', `owner/debits/${key}/grant`, grant({ period: 101 }))).toStrictEqual(
      INVALID,
    );
    expect(
      await owner.expectRefusal('POST', `owner/debits/${key}/grant`, grant({ cancelAtPeriodEnd: false })),
    ).toStrictEqual(INVALID);
    const { debit } = await owner.grant(key, grant({ period: 50, cancelAtPeriodEnd: true }));
    expect([debit.permissionsActive?.period, debit.end]).toStrictEqual([
      50,
      new Date(pda.clock.now() + 50_000).toISOString(),
    ]);
    expect(debit.permissionsActive?.asked).toBeUndefined();
  });

  it('is possible only once', async () => {
    const { permissionsLatest } = await requester.propose(key);
    const { permissionId } = permissionsLatest;
    await owner.grant(key, { permissionId });
    expect(await owner.expectRefusal('POST', `owner/debits/${key}/grant`, { permissionId })).toStrictEqual([
      409,
      'wrong_state',
    ]);
  });

  const twoEntries = { all: { endpoints: [firstEntry({ t: 'title' }), secondEntry()] } };
  it.each<[string, unknown]>([
    ['an unknown property', { drop: [{ property: 'none', entry: 0 }] }],
    ['a property name that every object inherits', { drop: [{ property: 'constructor', entry: 0 }] }],
    ['an unknown entry', { drop: [{ property: 'all', entry: 2 }] }],
    ['an unknown field', { drop: [{ property: 'all', entry: 0, fields: ['t', 'x'] }] }],
    ['dropping fields of entire records', { drop: [{ property: 'all', entry: 1, fields: ['title'] }] }],
    ['keeping fields of an entry with a mapping', { keep: [{ property: 'all', entry: 0, fields: ['t'] }] }],
    ['a field name with a dot', { keep: [{ property: 'all', entry: 1, fields: ['extra.deep'] }] }],
    ['a forbidden field name', { keep: [{ property: 'all', entry: 1, fields: ['__proto__'] }] }],
    ['the same entry twice', { keep: [1, 1].map((entry) => ({ property: 'all', entry, fields: ['title'] })) }],
    ['no fields to keep', { keep: [{ property: 'all', entry: 1, fields: [] }] }],
    ['dropping every entry', { drop: [0, 1].map((entry) => ({ property: 'all', entry })) }],
    [
      'dropping every field of one entry and the other entry',
      {
        drop: [
          { property: 'all', entry: 0, fields: ['t'] },
          { property: 'all', entry: 1 },
        ],
      },
    ],
  ])('is refused for %s, and nothing changes', async (_, narrowing) => {
    expect(await expectRefusedNarrowing(twoEntries, narrowing)).toStrictEqual(INVALID);
    expect((await owner.find(key)).state).toBe('pending');
  });
});

describe('narrowing', () => {
  const fieldName = fc.constantFrom('a', 'b', 'a.x', 'a.y', 'b[]', 'when', 'when.start', 'c');
  const source = fc.constantFrom(
    'title',
    'when',
    'when.start',
    'when.end',
    'people',
    'n',
    'extra',
    'extra.deep',
    'absent',
  );
  const mapping: fc.Arbitrary<Mapping> = fc.dictionary(
    fieldName,
    fc.oneof(
      { weight: 3, arbitrary: source },
      fc.record({ source, mappings: fc.dictionary(fc.constantFrom('m', 'n'), source) }),
    ),
    { minKeys: 1, noNullPrototype: true },
  );
  const entry: fc.Arbitrary<CombinatorEntry> = fc.record(
    { endpoint: fc.constantFrom('a/one', 'a/two'), mapping },
    { requiredKeys: ['endpoint'] },
  );
  const property = fc.record(
    {
      endpoints: fc.array(entry, { minLength: 1, maxLength: 3 }),
      limit: fc.integer({ min: 0, max: 8 }),
      orderBy: fc.oneof(fieldName, fc.constantFrom('when.start', 'title')),
      ordering: fc.constantFrom('ascending' as const, 'descending' as const),
    },
    { requiredKeys: ['endpoints'] },
  );
  const requestedBundles: fc.Arbitrary<Bundle> = fc.dictionary(fc.constantFrom('p', 'q'), property, {
    minKeys: 1,
    noNullPrototype: true,
  });
  const narrowedRequests = requestedBundles.chain((bundle) => {
    const entryRefs = Object.entries(bundle).flatMap(([name, { endpoints }]) =>
      endpoints.map((entryOfProperty, index) => ({
        ref: { property: name, entry: index },
        mapping: entryOfProperty.mapping,
      })),
    );
    const choices = entryRefs.map(({ ref, mapping: entryMapping }) =>
      fc.oneof(
        fc.constant(undefined),
        fc.constant({ drop: ref }),
        entryMapping === undefined || entryMapping === null
          ? fc
              .subarray(['title', 'n', 'when', 'people', 'extra', 'absent'], { minLength: 1 })
              .map((fields) => ({ keep: { ...ref, fields } }))
          : fc.subarray(Object.keys(entryMapping), { minLength: 1 }).map((fields) => ({ drop: { ...ref, fields } })),
      ),
    );
    return fc.tuple(...choices).map((choicesOfEntries): { bundle: Bundle; narrowing: Narrowing } => ({
      bundle,
      narrowing: {
        drop: choicesOfEntries.flatMap((choice) => (choice !== undefined && 'drop' in choice ? [choice.drop] : [])),
        keep: choicesOfEntries.flatMap((choice) => (choice !== undefined && 'keep' in choice ? [choice.keep] : [])),
      },
    }));
  });

  type SharedRecord = { endpoint: string; recordId: string; data: unknown };
  const read = async (
    bundle: Parameters<typeof pda.pda.queries.readBundle>[0],
  ): Promise<Record<string, SharedRecord[]>> => {
    const text = await pda.pda.queries.readBundle(bundle);
    return JSON.parse(typeof text === 'string' ? text : '') as Record<string, SharedRecord[]>;
  };
  /** Returns true if `full` contains every value of `partial` at the same path. */
  const isWithin = (partial: unknown, full: unknown): boolean => {
    if (typeof partial !== 'object' || partial === null) return partial === full;
    if (typeof full !== 'object' || full === null || Array.isArray(partial) !== Array.isArray(full)) return false;
    const fullMembers = new Map<string, unknown>(Object.entries(full));
    return Object.entries(partial).every(
      ([name, value]) => fullMembers.has(name) && isWithin(value, fullMembers.get(name)),
    );
  };

  it('leaves only records and fields of the full response, in the same order', async () => {
    const numRuns = Number(process.env['PDA_RUNS'] ?? 120);
    let grantedCount = 0;
    await fc.assert(
      fc.asyncProperty(narrowedRequests, async ({ bundle, narrowing }) => {
        let narrowedBundle;
        try {
          narrowedBundle = narrow(bundle, narrowing);
        } catch {
          return; // The narrowing would leave nothing.
        }
        grantedCount += 1;
        expect(narrow(bundle, narrowingOf(bundle, narrowedBundle))).toStrictEqual(narrowedBundle);
        const [fullResult, narrowedResult] = [await read(bundle), await read(narrowedBundle)];
        for (const [name, records] of Object.entries(narrowedResult)) {
          let start = 0;
          for (const record of records) {
            // Two entries can return the same record, so search for a later record that contains all fields.
            const position = (fullResult[name] ?? []).findIndex(
              (candidate, index) =>
                index >= start && candidate.recordId === record.recordId && isWithin(record, candidate),
            );
            expect(position).toBeGreaterThanOrEqual(0);
            start = position + 1;
          }
        }
        expect(bundleSchema.safeParse(visibleBundle(narrowedBundle)).success).toBe(true);
        const fields = sharedFieldsOf(narrowedBundle);
        const sharedFields = Object.values(narrowedResult)
          .flat()
          .flatMap(({ data }) => Object.keys(data as object));
        if (fields !== null)
          for (const field of sharedFields)
            expect(fields.map((name) => name.replace(/\[\]/gu, '').split('.')[0])).toContain(field);
      }),
      { numRuns },
    );
    expect(grantedCount).toBeGreaterThan(numRuns / 3);
  });
});
