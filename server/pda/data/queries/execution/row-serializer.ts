import type { CombinatorEntry, Mapping } from '../../../../wire/query.ts';
import type { FieldEquality } from '../../records/service.ts';
import { parseAllExactly, type Json } from '../language/json.ts';
import { compileRecordMapping } from '../language/mapping.ts';
import type { FoundRow } from '../store.ts';

/**
 * An entry of which less is answered than it finds: other output fields, or nothing of its records at all. What is found, in which order
 * and up to which limit stays as the entry itself says.
 */
export type ReadEntry = CombinatorEntry & {
  show?: Mapping | 'nothing';
  /** Further conditions of this read alone. */
  equal?: readonly FieldEquality[];
};

/** How the records of a read become JSON text. */
export type RowTexts = {
  /** The records of some rows, with commas between them. */
  of(rows: readonly FoundRow[]): string;
  /** What stands around the data of one record. */
  frame(row: FoundRow): { head: string; tail: string };
  /** The mapping of an entry as JSON text; null when its records leave as they are stored. */
  mappingOf(entry: number): string | null;
  /** Returns true if a record of this size is serialised on the main thread. */
  isSmall(entry: number, bytes: number): boolean;
};

/** Bytes of a record that is put into words on the main thread, times the output fields of its mapping. */
const MAIN_THREAD_MAPPING = 2_000_000;
/** Bytes of a record that leaves as it is stored. */
const MAIN_THREAD_RECORD_BYTES = 256_000;

const fieldsIn = (mapping: Mapping): number =>
  Object.values(mapping).reduce(
    (sum, source) => sum + (typeof source === 'string' ? 1 : 1 + fieldsIn(source.mappings)),
    0,
  );

const mappings = new WeakMap<object, (value: Json) => Json>();
const mapper = (mapping: Mapping): ((value: Json) => Json) => {
  let known = mappings.get(mapping);
  if (known === undefined) mappings.set(mapping, (known = compileRecordMapping(mapping)));
  return known;
};

/** @param metaOf further members, after a comma; for entries without a mapping */
export const compileRowTexts = (entries: readonly ReadEntry[], metaOf: (row: FoundRow) => string): RowTexts => {
  const shapes = entries.map(({ endpoint, mapping, show }) => {
    const shown = show === undefined || show === 'nothing' ? mapping : show;
    const isMapped = shown !== undefined && shown !== null;
    const map = isMapped ? mapper(shown) : undefined;
    return {
      endpoint,
      map,
      mapping: isMapped ? shown : null,
      fields: isMapped ? fieldsIn(shown) : 0,
      head: `{"endpoint":${JSON.stringify(endpoint)},"recordId":"`,
    };
  });

  /** Sends stored text unchanged. Mapped records are processed in one batch, because a call per record costs more than the work. */
  const mapped = (rows: readonly FoundRow[]): string => {
    const values = parseAllExactly(rows.map(({ data }) => data));
    const records = rows.map(({ entry, id }, index) => {
      const shape = shapes[entry];
      return { endpoint: shape?.endpoint, recordId: id, data: shape?.map?.(values[index] ?? null) };
    });
    return JSON.stringify(records).slice(1, -1);
  };
  const stored = (row: FoundRow): string => `${shapes[row.entry]?.head}${row.id}","data":${row.data}${metaOf(row)}}`;

  const textOf = (): ((rows: readonly FoundRow[]) => string) => {
    if (shapes.every(({ map }) => map === undefined)) return (rows) => rows.map(stored).join(',');
    if (shapes.every(({ map }) => map !== undefined)) return mapped;
    return (rows) => rows.map((row) => (shapes[row.entry]?.map === undefined ? stored(row) : mapped([row]))).join(',');
  };

  return {
    of: textOf(),
    frame: (row) => ({
      head: `${shapes[row.entry]?.head}${row.id}","data":`,
      tail: `${shapes[row.entry]?.map === undefined ? metaOf(row) : ''}}`,
    }),
    mappingOf: (entry) => {
      const mapping = shapes[entry]?.mapping ?? null;
      return mapping === null ? null : JSON.stringify(mapping);
    },
    isSmall: (entry, bytes) =>
      bytes <= MAIN_THREAD_RECORD_BYTES && bytes * (shapes[entry]?.fields ?? 0) <= MAIN_THREAD_MAPPING,
  };
};
