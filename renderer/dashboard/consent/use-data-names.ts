import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DataNames } from '../../shared/components/program-names.ts';
import { endpoints } from '../api/queries.ts';
import { dataNamesOf } from './data-names.ts';

/** The owner's names for endpoints, fields and namespaces, for use in messages such as requests and consents. */

const NO_ENDPOINTS: readonly never[] = [];

/** Returns the owner's names; while they are loading, names derived from the path. */
export function useDataNames(): DataNames {
  const summaries = useQuery(endpoints).data;
  return useMemo(() => dataNamesOf(summaries ?? NO_ENDPOINTS), [summaries]);
}
