import type { ErasureCounts, ErasureKind, ErasureRemainder } from '../../../wire/erasure.ts';

/** Pure decisions about erasing: no clock, no I/O. */

/** The paths of a namespace: from the first (inclusive) to the last (exclusive). `0` follows `/`. */
export const pathsOf = (namespace: string): { from: string; below: string } => ({
  from: `${namespace}/`,
  below: `${namespace}0`,
});

/** What a function reads and where it stores. */
export type Reader = { id: string; reads: readonly string[]; writes: string };

/** Functions that made something of these endpoints, also at second hand: one reads what another one stored. */
export const derivedFrom = (endpoints: Iterable<string>, functions: readonly Reader[]): string[] => {
  const tainted = new Set(endpoints);
  const found = new Set<string>();
  for (let before = -1; found.size > before;) {
    before = found.size;
    for (const { id, reads, writes } of functions) {
      if (found.has(id) || !reads.some((endpoint) => tainted.has(endpoint))) continue;
      found.add(id);
      tainted.add(writes);
    }
  }
  return [...found].toSorted();
};

/** Stands for a text that was in a consent: the shape of it stays valid, so that the consent can still be read. */
const GONE = 'erased';

const emptied = (value: unknown): unknown => {
  if (typeof value === 'string') return GONE;
  if (typeof value === 'number') return 0;
  if (Array.isArray(value)) return value.map(emptied);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, emptied(one)]));
};

const isOperator = (value: unknown): value is { operator: string } =>
  typeof value === 'object' && value !== null && 'operator' in value && typeof value.operator === 'string';

/** A bundle without the values that its filters compare with. Fields, endpoints and mappings stay: they say what was agreed to. */
export const withoutValues = (bundle: unknown): unknown => {
  if (Array.isArray(bundle)) return bundle.map(withoutValues);
  if (typeof bundle !== 'object' || bundle === null) return bundle;
  return Object.fromEntries(
    Object.entries(bundle).map(([key, value]) => {
      if (key !== 'operator' || !isOperator(value)) return [key, withoutValues(value)];
      const { operator, ...operands } = value;
      return [key, { operator, ...(emptied(operands) as object) }];
    }),
  );
};

/** What stays, by kind. */
export const remaindersOf = (
  kind: ErasureKind,
  found: { sameContent: boolean; unassigned: boolean },
): ErasureRemainder[] => {
  if (kind === 'everything') return ['config'];
  if (kind === 'file') return found.sameContent ? ['ledger', 'sameContent'] : ['ledger'];
  const always = ['ledger', 'consents', 'queries', 'counts'] as const;
  return found.unassigned ? [...always, 'unassigned'] : [...always];
};

export const NOTHING: ErasureCounts = {
  records: 0,
  deletedRecords: 0,
  derivedRecords: 0,
  imports: 0,
  files: 0,
  bytes: 0,
  sessions: 0,
  consents: 0,
};

/** Bytes of the database rewritten per second on a slow disk, through the write-ahead log and back. */
const REWRITTEN_PER_SECOND = 30_000_000;

/** Seconds for which nothing can be stored, about; a little more than it takes on most machines. */
export const waitFor = (databaseBytes: number): number => Math.ceil(databaseBytes / REWRITTEN_PER_SECOND);
