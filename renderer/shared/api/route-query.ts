import { queryOptions } from '@tanstack/react-query';
import type { PdaApi } from '../../../server/pda/pda.ts';
import { call } from './client.ts';
import type { RequestInput, Route } from './contract.ts';

/** A query for the response of a route: `routeQuery(['sessions'], 'GET /api/v2.6/owner/sessions', {})`. */
export const routeQuery = <R extends Route>(queryKey: readonly unknown[], route: R, request: RequestInput<PdaApi[R]>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => call(route, request, signal) });
