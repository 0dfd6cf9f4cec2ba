import type { ProfileField } from '../../../../../server/wire/profile.ts';
import { call } from '../../../../shared/api/client.ts';
import { removeProfileBundle, setFieldPublic } from '../../../api/account/profile.ts';
import { makeAllFilesPrivate, revokeAllFileAccess } from '../../../api/files/queries.ts';
import { revokeShareLink } from '../../../api/files/share-links.ts';
import { refreshFunctions } from '../../../api/functions/queries.ts';
import { unshareView } from '../../../api/shared-views.ts';
import type { EndableAccess } from './reader.ts';

/** Makes each field of the profile private. Removes the profile's bundle, which would otherwise stay public. */
async function makeProfilePrivate(fields: readonly ProfileField[], hasBundle: boolean): Promise<void> {
  for (const field of fields) await setFieldPublic(field, false);
  if (hasBundle) await removeProfileBundle();
}

/** Ends the access and refetches dependent queries. @throws {Problem} if a request fails */
export async function endAccess(access: EndableAccess): Promise<void> {
  switch (access.kind) {
    case 'person':
      return revokeAllFileAccess(access.userId);
    case 'view':
      return unshareView(access.sharedViewId);
    case 'link':
      return revokeShareLink(access.linkId);
    case 'function':
      await call('GET /api/v2.6/she/function/:id/disable', { params: { id: access.id } });
      return refreshFunctions();
    case 'public files':
      return makeAllFilesPrivate();
    case 'profile':
      return makeProfilePrivate(access.fields, access.hasBundle);
  }
}
