import type { OwnerProfile, ProfileField, ProfileValues } from '../../../../server/wire/profile.ts';
import { call } from '../../../shared/api/client.ts';
import { queryClient, refresh, routeQuery } from '../../../shared/api/query-client.ts';

// The owner's profile. The query key equals the topic of the PDA's change events.

export type { OwnerProfile, ProfileField, ProfileText, ProfileValues } from '../../../../server/wire/profile.ts';

export const profile = routeQuery(['profile'], 'GET /api/v2.6/owner/profile', {});

/** Refetches the exposure too, because it contains the number of public fields. */
async function cacheProfile(state: OwnerProfile): Promise<OwnerProfile> {
  queryClient.setQueryData(profile.queryKey, state);
  await queryClient.invalidateQueries({ queryKey: ['exposure'] });
  return state;
}

export async function saveProfile(body: ProfileValues): Promise<OwnerProfile> {
  return cacheProfile(await call('PUT /api/v2.6/owner/profile', { body }));
}

export async function setFieldPublic(field: ProfileField, isPublic: boolean): Promise<OwnerProfile> {
  return cacheProfile(await call('PUT /api/v2.6/owner/profile/public', { body: { field, public: isPublic } }));
}

export async function uploadPhoto(body: Blob): Promise<OwnerProfile> {
  return cacheProfile(await call('PUT /api/v2.6/owner/profile/photo', { body }));
}

export async function removePhoto(): Promise<OwnerProfile> {
  return cacheProfile(await call('DELETE /api/v2.6/owner/profile/photo', {}));
}

/** Removes the bundle that replaces the public profile, so that the switches of the fields apply again. */
export async function removeProfileBundle(): Promise<void> {
  await call('DELETE /api/v2.6/data-bundle/*name', { params: { name: 'phata' } });
  await refresh('profile', 'exposure');
}
