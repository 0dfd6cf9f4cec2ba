import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { PreviewSource } from '../../api/sharing/debits.ts';
import type { Asked } from './login-parameters.ts';

/** Name of an application as everybody may know it; empty for one that is not known here. */
export const publicName = (id: string | undefined) =>
  queryOptions({
    queryKey: ['public-name', id ?? ''],
    queryFn: async ({ signal }) =>
      (await call('GET /api/v2.6/applications/:id/hmi', { params: { id: id ?? '' } }, signal)).info.name,
    enabled: id !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Asked once for each look: asking again is a new journey, and a refused one is written down each time. */
export const loginRequest = (asked: Asked) =>
  queryOptions({
    queryKey: ['login-request', asked],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/login-request', { query: { ...asked } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

/** What would leave to an application if it were allowed now, whether it is set up or not. */
export const applicationPreview = (id: string, edition: string): PreviewSource => ({
  queryKey: ['applications', 'preview', id, edition],
  load: ({ narrowing, skip, take }, signal) =>
    call(
      'POST /api/v2.6/owner/applications/:id/preview',
      { params: { id }, body: { skip, take, ...(narrowing === undefined ? {} : { narrowing }) } },
      signal,
    ),
});
