import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime } from '../../../../platform/clock.ts';
import { actOf, ACTS } from '../../../../wire/access-kinds.ts';
import type { LedgerFilter, LedgerRow } from '../../../../wire/ledger.ts';
import { anEntry, recordsWith, idOf, openAccessLog, type TestAccessLog } from '../harness.test-support.ts';
import type { AccessLogEntry } from '../service.ts';

/* Compares the search of the access log with a filter over all entries. */

type WrittenEntry = { entry: AccessLogEntry; time: number; id: number };

const MAX_SEQ = 60;
const ENTRIES_PER_COMMIT = 7;

const principal = fc.constantFrom(
  { kind: 'application', name: 'notes' } as const,
  { kind: 'application', name: 'steps' } as const,
  { kind: 'contract', name: 'research' } as const,
  { kind: 'exchange', name: '' } as const,
  { kind: 'owner', name: '' } as const,
  { kind: 'user', name: 'u-1', person: 'Grace' } as const,
  { kind: 'user', name: 'u-1', person: 'Hopper' } as const,
  { kind: 'user', name: 'u-2', person: 'Grace' } as const,
);
const consent = fc.constantFrom(
  null,
  { kind: 'debit', name: 'weather', detail: 'first' } as const,
  { kind: 'debit', name: 'weather', detail: 'second' } as const,
  { kind: 'debit', name: 'notes', detail: '' } as const,
  { kind: 'application', name: 'notes', detail: '1.0.0' } as const,
  { kind: 'contract', name: 'research', detail: '' } as const,
);
const seqs = fc.oneof(
  fc.constant([] as number[]),
  fc.tuple(fc.nat(MAX_SEQ), fc.nat(9)).map(([first, length]) => Array.from({ length }, (_, index) => first + index)),
  fc.array(fc.nat(MAX_SEQ), { maxLength: 12 }),
);
const entry: fc.Arbitrary<AccessLogEntry> = fc
  .record({
    who: principal,
    consent,
    seqs,
    refused: fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
    action: fc.constantFrom('GET /api/v2.6/data/*', 'POST /api/v2.6/data/*', 'GET /storage/:fileId', 'sign-in'),
    endpoint: fc.constantFrom('fitness/steps', 'photos/list'),
  })
  .map(({ who, action, endpoint, refused, consent: entryConsent, seqs: entrySeqs }) =>
    anEntry({
      who,
      action,
      consent: entryConsent,
      status: refused ? 403 : 200,
      reason: refused ? 'forbidden' : null,
      records: refused ? new Map() : new Map([[endpoint, entrySeqs]]),
    }),
  );
/** Milliseconds since the previous entry. Negative values simulate a clock that is set back. */
const step = fc.oneof(fc.constant(0), fc.nat(5), fc.integer({ min: -2000, max: 5000 }));

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const START = Date.UTC(2026, 0, 15, 12);
const moment = fc.integer({ min: -1000, max: 20_000 }).map((ms) => START + ms);
const filter: fc.Arbitrary<LedgerFilter> = fc.record({
  application: optional(fc.constantFrom('notes', 'steps', 'unknown')),
  debit: optional(fc.constantFrom('weather', 'notes')),
  user: optional(fc.constantFrom('u-1', 'u-2', 'u-3')),
  contract: optional(fc.constantFrom('research')),
  record: optional(fc.nat(MAX_SEQ + 5).map(idOf)),
  outcome: optional(fc.constantFrom('allowed', 'refused')),
  who: optional(fc.constantFrom('owner', 'exchange', 'visitor')),
  act: optional(fc.constantFrom(...ACTS)),
  endpoint: optional(fc.constantFrom('fitness/steps', 'photos/list', 'other/none')),
  search: optional(
    fc.constantFrom('', 'steps', 'grace', 'WALK study', '203.0.113', 'photos weather', 'data', '%', 'nothing'),
  ),
  from: optional(moment),
  to: optional(moment),
  before: fc.constant(undefined),
  take: fc.constantFrom(1, 3, 20, 999),
});
const partialFilter: fc.Arbitrary<LedgerFilter> = fc
  .tuple(
    filter,
    fc.subarray([
      'application',
      'debit',
      'user',
      'contract',
      'record',
      'outcome',
      'who',
      'act',
      'endpoint',
      'search',
      'from',
      'to',
    ] as const),
  )
  .map(([fullFilter, keys]) => {
    const ledgerFilter: LedgerFilter = { take: fullFilter.take };
    for (const key of keys) Object.assign(ledgerFilter, { [key]: fullFilter[key] });
    return ledgerFilter;
  });

const STEPS_NAME = 'Walk Study';

const hasWords = (
  { who, consent: entryConsent, records, fields, address }: AccessLogEntry,
  search: string,
): boolean => {
  const nameOf = (kind: string, id: string): string => (kind === 'application' && id === 'steps' ? STEPS_NAME : '');
  const texts = [
    who.name,
    nameOf(who.kind, who.name),
    who.kind === 'user' ? who.person : '',
    entryConsent?.name ?? '',
    entryConsent?.detail ?? '',
    ...records.keys(),
    ...(fields ?? []),
    address,
  ].map((text) => text.toLowerCase());
  return search
    .toLowerCase()
    .split(' ')
    .every((word) => texts.some((text) => text.includes(word)));
};

const matches = ({ entry: writtenEntry, time }: WrittenEntry, searchFilter: LedgerFilter): boolean => {
  const { who, consent: entryConsent, action, reason, records } = writtenEntry;
  return (
    (searchFilter.who === undefined || who.kind === searchFilter.who) &&
    (searchFilter.act === undefined || searchFilter.act === actOf(action, who.kind === 'owner')) &&
    (searchFilter.endpoint === undefined || records.has(searchFilter.endpoint)) &&
    (searchFilter.search === undefined || hasWords(writtenEntry, searchFilter.search)) &&
    (searchFilter.application === undefined || (who.kind === 'application' && who.name === searchFilter.application)) &&
    (searchFilter.debit === undefined ||
      (entryConsent?.kind === 'debit' && entryConsent.name === searchFilter.debit)) &&
    (searchFilter.user === undefined || (who.kind === 'user' && who.name === searchFilter.user)) &&
    (searchFilter.contract === undefined ||
      (who.kind === 'contract' && who.name === searchFilter.contract) ||
      (entryConsent?.kind === 'contract' && entryConsent.name === searchFilter.contract)) &&
    (searchFilter.record === undefined || [...records.values()].flat().map(idOf).includes(searchFilter.record)) &&
    (searchFilter.outcome === undefined || searchFilter.outcome === (reason === null ? 'allowed' : 'refused')) &&
    (searchFilter.from === undefined || time >= searchFilter.from) &&
    (searchFilter.to === undefined || time <= searchFilter.to)
  );
};

const fill = async (
  { accessLog, clock, writer }: TestAccessLog,
  newEntries: readonly (readonly [AccessLogEntry, number])[],
): Promise<WrittenEntry[]> => {
  const writtenEntries: WrittenEntry[] = [];
  for (let offset = 0; offset < newEntries.length; offset += ENTRIES_PER_COMMIT) {
    await writer.write((tx) => {
      for (const [newEntry, ms] of newEntries.slice(offset, offset + ENTRIES_PER_COMMIT)) {
        clock.advance(ms);
        writtenEntries.push({ entry: newEntry, time: clock.now(), id: accessLog.record(tx, newEntry) });
      }
    });
  }
  return writtenEntries.toReversed();
};

const allPages = async ({ accessLog }: TestAccessLog, searchFilter: LedgerFilter): Promise<LedgerRow[]> => {
  const rows: LedgerRow[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await accessLog.list(before === undefined ? searchFilter : { ...searchFilter, before });
    expect(page.rows.length).toBeLessThanOrEqual(searchFilter.take);
    rows.push(...page.rows);
    if (page.next === null) return rows;
    before = page.next;
  }
};

const compare = async (
  newEntries: readonly (readonly [AccessLogEntry, number])[],
  filters: readonly LedgerFilter[],
): Promise<void> => {
  const testLog = openAccessLog();
  testLog.names.addLookup('application', (id) => (id === 'steps' ? STEPS_NAME : undefined));
  try {
    const writtenEntries = await fill(testLog, newEntries);
    for (const searchFilter of filters) {
      const results = await allPages(testLog, searchFilter);
      const expectedEntries = writtenEntries.filter((row) => matches(row, searchFilter));
      expect(results.map((row) => row.id)).toStrictEqual(expectedEntries.map((row) => row.id));
      expect(results.map((row) => row.time)).toStrictEqual(expectedEntries.map((row) => isoTime(row.time)));
    }
  } finally {
    testLog.accessLog.close();
    testLog.db.close();
  }
};

describe('the search of the access log', () => {
  it('returns all matching entries, newest first, over several pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(entry, step), { maxLength: 60 }),
        fc.array(partialFilter, { minLength: 5, maxLength: 5 }),
        compare,
      ),
      { numRuns: Number(process.env['PDA_RUNS'] ?? 30) },
    );
  });

  it('finds records through several levels of unions', async () => {
    const entryOfRecords = fc.tuple(
      seqs.map((list) => anEntry({ records: recordsWith(...list) })),
      step,
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(entryOfRecords, { minLength: 300, maxLength: 700, size: 'max' }),
        fc.array(
          fc
            .tuple(partialFilter, fc.nat(MAX_SEQ))
            .map(([ledgerFilter, seq]) => ({ ...ledgerFilter, record: idOf(seq) })),
          { minLength: 5, maxLength: 5 },
        ),
        compare,
      ),
      { numRuns: Number(process.env['PDA_RUNS'] ?? 4) },
    );
  });
});
