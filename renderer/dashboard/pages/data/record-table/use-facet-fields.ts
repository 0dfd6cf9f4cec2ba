import { useState } from 'react';
import type { BrowsedRecord, Field } from '../../../../shared/api/contract.ts';
import { facetFieldsOf } from './facet-fields.ts';

/**
 * Returns the fields whose values are counted beside the table. They are chosen from the first records that are loaded
 * and then kept, so that a filter does not replace the counts under the pointer.
 */
export function useFacetFields(
  fields: readonly Field[],
  records: readonly BrowsedRecord[] | undefined,
): readonly Field[] {
  const [chosen, setChosen] = useState<{ fields: readonly Field[]; facets: readonly Field[] }>();
  if (chosen?.fields === fields) return chosen.facets;
  if (fields.length === 0 || records === undefined || records.length === 0) return chosen?.facets ?? [];
  const facets = facetFieldsOf(fields, records);
  setChosen({ fields, facets });
  return facets;
}
