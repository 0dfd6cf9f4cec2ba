import { useQuery } from '@tanstack/react-query';
import type { DataNames } from '../../shared/components/program-names.ts';
import { endpoints } from '../api/queries.ts';
import { type DataDisplay, dataDisplayOf } from './data-names.ts';

/** The owner's names, icons and colours for data, wherever it is named, such as in requests and consents. */

const NO_ENDPOINTS: readonly never[] = [];

/** Returns the owner's names, icons and colours; while they are loading, only names derived from the path. */
export function useDataDisplay(): DataDisplay {
  return dataDisplayOf(useQuery(endpoints).data ?? NO_ENDPOINTS);
}

/** Returns the owner's names; while they are loading, names derived from the path. */
export function useDataNames(): DataNames {
  return useDataDisplay().names;
}
