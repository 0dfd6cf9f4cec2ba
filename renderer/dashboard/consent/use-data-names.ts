import { useQuery } from '@tanstack/react-query';
import type { DataNames } from '../../shared/components/display-names.ts';
import { endpoints } from '../api/queries.ts';
import { type DataDisplay, dataDisplayOf } from './data-names.ts';

const NO_ENDPOINTS: readonly never[] = [];

/** Returns the owner's names, icons and colours; until they are loaded, only names derived from paths. */
export function useDataDisplay(): DataDisplay {
  return dataDisplayOf(useQuery(endpoints).data ?? NO_ENDPOINTS);
}

/** Returns the owner's names; until they are loaded, names derived from paths. */
export function useDataNames(): DataNames {
  return useDataDisplay().names;
}
