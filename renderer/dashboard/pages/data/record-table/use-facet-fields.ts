import { useState } from 'react';
import type { BrowsedRecord, Field } from '../../../../shared/api/contract.ts';
import { facetFieldsOf } from './facet-fields.ts';

/**
 * Chooses the fields from the first loaded records, so that they stay the same when a filter changes the records.
 * Returns undefined until records are loaded.
 */
export function useFacetFields(
  fields: readonly Field[],
  records: readonly BrowsedRecord[] | undefined,
): readonly Field[] | undefined {
  const [choice, setChoice] = useState<{ fields: readonly Field[]; facets: readonly Field[] }>();
  if (choice?.fields === fields) return choice.facets;
  if (fields.length === 0 || records === undefined || records.length === 0) return choice?.facets;
  const facets = facetFieldsOf(fields, records);
  setChoice({ fields, facets });
  return facets;
}
