import type { BrowsedRecord, Field } from '../../../../shared/api/contract.ts';
import { plainText } from '../records/field-format.ts';
import { valueAt } from '../records/columns.ts';

const COUNTED_TYPES: ReadonlySet<Field['type']> = new Set(['text', 'boolean', 'number', 'colour', 'email']);
const MAX_FACETS = 6;
/** Fields with more distinct values in the loaded records get no counts. */
const MAX_DISTINCT_VALUES = 20;
/**
 * Share of distinct values above which a field identifies records rather than grouping them. Fields with one or two
 * distinct values always group records.
 */
const MAX_DISTINCT_SHARE = 0.5;
/** Longer strings are rarely categories. */
const MAX_VALUE_CHARS = 60;

export function facetFieldsOf(fields: readonly Field[], records: readonly Pick<BrowsedRecord, 'data'>[]): Field[] {
  const isFacet = ({ path, type }: Field): boolean => {
    if (path === '' || !COUNTED_TYPES.has(type)) return false;
    const values = records.map(({ data }) => plainText(valueAt(data, path))).filter((text) => text !== '');
    const distinct = new Set(values);
    return (
      distinct.size > 0 &&
      distinct.size <= MAX_DISTINCT_VALUES &&
      (distinct.size <= 2 || distinct.size <= values.length * MAX_DISTINCT_SHARE) &&
      values.every((text) => text.length <= MAX_VALUE_CHARS)
    );
  };
  return fields.filter(isFacet).slice(0, MAX_FACETS);
}
