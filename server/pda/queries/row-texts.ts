import type { CombinatorEntry, Mapping } from '../../wire/query.ts';
import { parseAllExactly, type Json } from './json.ts';
import { compileMapping } from './mapping.ts';
import type { FoundRow } from './store.ts';

/**
 * An entry of which less is answered than it finds: other output fields, or nothing of its records at all. What is found, in which order
 * and up to which limit stays as the entry itself says.
 */
export type ReadEntry = CombinatorEntry & { show?: Mapping | 'nothing' };

/** The records of some rows as JSON text, with commas between them. */
export type RowTexts = (rows: readonly FoundRow[]) => string;

const mappings = new WeakMap<object, (value: Json) => Json>();
const mapper = (mapping: Mapping): ((value: Json) => Json) => {
  let known = mappings.get(mapping);
  if (known === undefined) mappings.set(mapping, (known = compileMapping(mapping)));
  return known;
};

/** @param metaOf further members, after a comma; for entries without a mapping */
export const compileRowTexts = (entries: readonly ReadEntry[], metaOf: (row: FoundRow) => string): RowTexts => {
  const shapes = entries.map(({ endpoint, mapping, show }) => {
    const shown = show === undefined || show === 'nothing' ? mapping : show;
    const map = shown === undefined || shown === null ? undefined : mapper(shown);
    return { endpoint, map, head: `{"endpoint":${JSON.stringify(endpoint)},"recordId":"` };
  });

  /** Stored text goes out as it is. What is mapped is read and written all at once: a call for each costs more than the work. */
  const mapped = (rows: readonly FoundRow[]): string => {
    const values = parseAllExactly(rows.map(({ data }) => data));
    const records = rows.map(({ entry, id }, index) => {
      const shape = shapes[entry];
      return { endpoint: shape?.endpoint, recordId: id, data: shape?.map?.(values[index] ?? null) };
    });
    return JSON.stringify(records).slice(1, -1);
  };
  const stored = (row: FoundRow): string => `${shapes[row.entry]?.head}${row.id}","data":${row.data}${metaOf(row)}}`;

  if (shapes.every(({ map }) => map === undefined)) return (rows) => rows.map(stored).join(',');
  if (shapes.every(({ map }) => map !== undefined)) return mapped;
  return (rows) => rows.map((row) => (shapes[row.entry]?.map === undefined ? stored(row) : mapped([row]))).join(',');
};
