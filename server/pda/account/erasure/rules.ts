import type { ErasureCounts, ErasureKind, ErasureRemainder } from '../../../wire/erasure.ts';
import { isObject } from '../../../wire/values.ts';

/** `from` is inclusive and `below` is exclusive: `0` follows `/` in ASCII. */
export const pathRangeOf = (namespace: string): { from: string; below: string } => ({
  from: `${namespace}/`,
  below: `${namespace}0`,
});

/** Returns the ids of functions whose output derives from these endpoints, directly or through other functions. */
export const findDerivedFunctions = (
  endpoints: Iterable<string>,
  functions: readonly { id: string; reads: readonly string[]; writes: string }[],
): string[] => {
  const affectedEndpoints = new Set(endpoints);
  const derivedFunctions = new Set<string>();
  for (let sizeBefore = -1; derivedFunctions.size > sizeBefore;) {
    sizeBefore = derivedFunctions.size;
    for (const { id, reads, writes } of functions) {
      if (derivedFunctions.has(id) || !reads.some((endpoint) => affectedEndpoints.has(endpoint))) continue;
      derivedFunctions.add(id);
      affectedEndpoints.add(writes);
    }
  }
  return [...derivedFunctions].toSorted();
};

/** Replacement for strings in a consent. Keeps the consent's structure valid. */
const ERASED_TEXT = 'erased';

const eraseValues = (value: unknown): unknown => {
  if (typeof value === 'string') return ERASED_TEXT;
  if (typeof value === 'number') return 0;
  if (Array.isArray(value)) return value.map(eraseValues);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, eraseValues(member)]));
};

/** Erases the operands of all filters. Retains fields, endpoints and mappings, which state the owner's agreement. */
export const eraseFilterOperands = (bundle: unknown): unknown => {
  if (Array.isArray(bundle)) return bundle.map(eraseFilterOperands);
  if (!isObject(bundle)) return bundle;
  return Object.fromEntries(
    Object.entries(bundle).map(([key, value]) => {
      if (key !== 'operator' || !isObject(value) || typeof value['operator'] !== 'string')
        return [key, eraseFilterOperands(value)];
      const { operator, ...operands } = value;
      return [key, { operator, ...(eraseValues(operands) as object) }];
    }),
  );
};

export const remaindersOf = (
  kind: ErasureKind,
  facts: { sameContent: boolean; unassigned: boolean },
): ErasureRemainder[] => {
  if (kind === 'everything') return ['config'];
  if (kind === 'file') return facts.sameContent ? ['ledger', 'sameContent'] : ['ledger'];
  const commonRemainders = ['ledger', 'consents', 'queries', 'counts'] as const;
  return facts.unassigned ? [...commonRemainders, 'unassigned'] : [...commonRemainders];
};

export const NO_COUNTS: ErasureCounts = {
  records: 0,
  deletedRecords: 0,
  derivedRecords: 0,
  imports: 0,
  files: 0,
  bytes: 0,
  sessions: 0,
  consents: 0,
};

/** Bytes per second that a slow disk rewrites, including the write-ahead log and the checkpoint. */
const REWRITE_BYTES_PER_SECOND = 30_000_000;

export const estimateWriteStopSeconds = (databaseBytes: number): number =>
  Math.ceil(databaseBytes / REWRITE_BYTES_PER_SECOND);
