import type { CombinatorEntry, Mapping } from '../../../../wire/query.ts';
import type { FieldEquality } from '../../records/service.ts';
import { parseAllExactly, type Json } from '../language/json.ts';
import { compileRecordMapping } from '../language/mapping.ts';
import type { QueryRow } from '../store.ts';

export type ReadEntry = CombinatorEntry & {
  /** Output fields in place of the mapping; `nothing` hides the records, which count towards `skip` and `take`. */
  show?: Mapping | 'nothing';
  /** Further conditions of this read only. */
  equal?: readonly FieldEquality[];
};

export type RowSerializer = {
  serialize(rows: readonly QueryRow[]): string;
  /** Returns the JSON text before and after the data of one record. */
  frame(row: QueryRow): { head: string; tail: string };
  endpointOf(entry: number): string | undefined;
  /** Returns the mapping of an entry as JSON text; null if its records are sent unchanged. */
  mappingOf(entry: number): string | null;
  /** Returns true if a record of this size is serialised on the main thread. */
  isSmall(entry: number, bytes: number): boolean;
};

/** Largest product of record bytes and output fields for which a record is mapped on the main thread. */
const MAIN_THREAD_MAPPING_MAX_FIELD_BYTES = 2_000_000;
/** Largest record that is serialised on the main thread, mapped or not. */
const MAIN_THREAD_RECORD_MAX_BYTES = 256_000;

const countFields = (mapping: Mapping): number =>
  Object.values(mapping).reduce(
    (sum, source) => sum + (typeof source === 'string' ? 1 : 1 + countFields(source.mappings)),
    0,
  );

const mappers = new WeakMap<object, (value: Json) => Json>();
const mapperOf = (mapping: Mapping): ((value: Json) => Json) => {
  let mapper = mappers.get(mapping);
  if (mapper === undefined) mappers.set(mapping, (mapper = compileRecordMapping(mapping)));
  return mapper;
};

/** @param metaOf returns further members of a record with a leading comma, for entries without a mapping */
export const compileRowSerializer = (
  entries: readonly ReadEntry[],
  metaOf: (row: QueryRow) => string,
): RowSerializer => {
  const shapes = entries.map(({ endpoint, mapping, show }) => {
    const outputMapping = show === undefined || show === 'nothing' ? mapping : show;
    const isMapped = outputMapping !== undefined && outputMapping !== null;
    const map = isMapped ? mapperOf(outputMapping) : undefined;
    return {
      endpoint,
      map,
      mapping: isMapped ? outputMapping : null,
      fields: isMapped ? countFields(outputMapping) : 0,
      head: `{"endpoint":${JSON.stringify(endpoint)},"recordId":"`,
    };
  });

  /** Maps records in one batch, because a call per record costs more than the mapping itself. */
  const serializeMapped = (rows: readonly QueryRow[]): string => {
    const values = parseAllExactly(rows.map(({ data }) => data));
    const records = rows.map(({ entry, id }, index) => {
      const shape = shapes[entry];
      return { endpoint: shape?.endpoint, recordId: id, data: shape?.map?.(values[index] ?? null) };
    });
    return JSON.stringify(records).slice(1, -1);
  };
  const serializeStored = (row: QueryRow): string =>
    `${shapes[row.entry]?.head}${row.id}","data":${row.data}${metaOf(row)}}`;

  const serializeEach = (rows: readonly QueryRow[]): string =>
    rows.map((row) => (shapes[row.entry]?.map === undefined ? serializeStored(row) : serializeMapped([row]))).join(',');

  return {
    serialize: shapes.every(({ map }) => map !== undefined) ? serializeMapped : serializeEach,
    frame: (row) => ({
      head: `${shapes[row.entry]?.head}${row.id}","data":`,
      tail: `${shapes[row.entry]?.map === undefined ? metaOf(row) : ''}}`,
    }),
    endpointOf: (entry) => shapes[entry]?.endpoint,
    mappingOf: (entry) => {
      const mapping = shapes[entry]?.mapping ?? null;
      return mapping === null ? null : JSON.stringify(mapping);
    },
    isSmall: (entry, bytes) =>
      bytes <= MAIN_THREAD_RECORD_MAX_BYTES &&
      bytes * (shapes[entry]?.fields ?? 0) <= MAIN_THREAD_MAPPING_MAX_FIELD_BYTES,
  };
};
