import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DataNames } from '../../shared/components/program-names.ts';
import { endpoints } from '../api/queries.ts';
import { dataNamesOf } from './data-names.ts';

const NO_ENDPOINTS: readonly never[] = [];

/** Returns the owner's names of endpoints and fields, for texts about data. */
export function useDataNames(): DataNames {
  const summaries = useQuery(endpoints).data;
  return useMemo(() => dataNamesOf(summaries ?? NO_ENDPOINTS), [summaries]);
}
