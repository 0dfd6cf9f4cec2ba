import { PROFILE_BUNDLE } from '../../../wire/profile.ts';
import type { AccessLogModule } from '../../sharing/access-log/index.ts';
import type { Database } from '../../storage/index.ts';
import { profileRoutes } from './routes.ts';
import { createProfileService, type ProfileParts } from './service.ts';
import { createProfileStore } from './store.ts';

type ProfileModuleParts = Omit<ProfileParts, 'store'> & {
  db: Database;
  accessLog: Pick<AccessLogModule, 'publicReads'>;
  baseOf: (host: string) => string;
};

/** Creates the module for the owner's profile and its public page. */
export const createProfileModule = ({ db, accessLog, baseOf, ...parts }: ProfileModuleParts) => {
  const store = createProfileStore(db);
  const profile = createProfileService({ ...parts, store });

  return {
    routes: profileRoutes({ profile, publicReads: accessLog.publicReads, baseOf }),
    /** Returns the e-mail address in the owner's profile, even if it is not public. */
    readOwnerEmail: () => profile.readEmail(),
    /** Returns the number of public fields, or of properties of the profile bundle if one is stored. */
    countPublicFields: (): number => {
      if (parts.isBundleStored(PROFILE_BUNDLE)) return Object.keys(parts.queries.bundle(PROFILE_BUNDLE)).length;
      return store.readRow().public.length + (store.isPhotoPublic() ? 1 : 0);
    },
  };
};
