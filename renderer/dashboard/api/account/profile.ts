import { queryOptions } from '@tanstack/react-query';
import type { OwnerProfile, ProfileField, ProfileValues } from '../../../../server/wire/profile.ts';
import { call } from '../../../shared/api/client.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

/** What the owner says of themselves. The key is the topic by which the PDA tells of changes. */

export type { OwnerProfile, ProfileField, ProfileText, ProfileValues } from '../../../../server/wire/profile.ts';

export const profile = queryOptions({
  queryKey: ['profile'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/profile', {}, signal),
});

/** What is open to everybody is on the page of the address too. */
async function cacheProfile(now: OwnerProfile): Promise<OwnerProfile> {
  queryClient.setQueryData(profile.queryKey, now);
  await queryClient.invalidateQueries({ queryKey: ['exposure'] });
  return now;
}

export async function saveProfile(body: ProfileValues): Promise<OwnerProfile> {
  return cacheProfile(await call('PUT /api/v2.6/owner/profile', { body }));
}

export async function setFieldPublic(field: ProfileField, shown: boolean): Promise<OwnerProfile> {
  return cacheProfile(await call('PUT /api/v2.6/owner/profile/public', { body: { field, public: shown } }));
}

export async function uploadPhoto(body: Blob): Promise<OwnerProfile> {
  return cacheProfile(await call('PUT /api/v2.6/owner/profile/photo', { body }));
}

export async function removePhoto(): Promise<OwnerProfile> {
  return cacheProfile(await call('DELETE /api/v2.6/owner/profile/photo', {}));
}

/** The bundle that a program registered in place of the profile goes; the switches count again. */
export async function removeProfileBundle(): Promise<void> {
  await call('DELETE /api/v2.6/data-bundle/*name', { params: { name: 'phata' } });
  await queryClient.invalidateQueries({ queryKey: profile.queryKey });
}
