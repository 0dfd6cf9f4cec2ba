import { queryOptions } from '@tanstack/react-query';
import { findApprovedPermission } from '../../../../server/wire/current-permission.ts';
import { call } from '../../../shared/api/client.ts';
import type { OwnerApplication, Permission } from '../../../shared/api/contract.ts';
import { isNotFound } from '../../../shared/api/problem.ts';
import type { PreviewSource } from '../../api/sharing/debits.ts';
import type { LoginParameters } from './login-parameters.ts';

/**
 * Query of an application's name. Fails if this PDA does not know the application. Before the owner has signed in, it
 * also fails for an application that config.json defines.
 */
export const publicName = (id: string | undefined) =>
  queryOptions({
    queryKey: ['public-name', id ?? ''],
    queryFn: async ({ signal }) =>
      (await call('GET /api/v2.6/applications/:id/hmi', { params: { id: id ?? '' } }, signal)).info.name,
    enabled: id !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Returns undefined if no version is approved, or if the approved one has no Data Debit with a running or scheduled
 * permission.
 */
async function fetchApprovedPermission(
  { approved, debitKey }: OwnerApplication,
  signal: AbortSignal,
): Promise<Permission | undefined> {
  if (approved === null || debitKey === null) return undefined;
  try {
    const { debit } = await call('GET /api/v2.6/owner/debits/*key', { params: { key: debitKey } }, signal);
    return findApprovedPermission(debit.permissions);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Query of the request in a login URL and of the approved permission. Fails if that permission cannot be loaded,
 * because an update must start with its exclusions. Not refetched in the background: a newer request would replace the
 * one under review, and each request with an unregistered redirect URL is logged.
 */
export const loginRequest = (parameters: LoginParameters) =>
  queryOptions({
    queryKey: ['login-request', parameters],
    queryFn: async ({ signal }) => {
      const request = await call('GET /api/v2.6/owner/login-request', { query: { ...parameters } }, signal);
      const { application, state } = request;
      const needsConsent = state === 'consent' && application !== null;
      return {
        request,
        approvedPermission: needsConsent ? await fetchApprovedPermission(application, signal) : undefined,
      };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export const applicationPreview = (id: string, edition: string): PreviewSource => ({
  queryKey: ['applications', 'preview', id, edition],
  load: ({ narrowing, skip, take }, signal) =>
    call(
      'POST /api/v2.6/owner/applications/:id/preview',
      { params: { id }, body: { skip, take, ...(narrowing === undefined ? {} : { narrowing }) } },
      signal,
    ),
});
