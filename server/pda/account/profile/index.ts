import { PROFILE_BUNDLE } from '../../../wire/profile.ts';
import type { AccessLogModule } from '../../sharing/access-log/index.ts';
import type { Database } from '../../storage/index.ts';
import { profileRoutes } from './routes.ts';
import { createProfileService, type ProfileParts } from './service.ts';
import { createProfileStore } from './store.ts';

/** Dependencies of the profile module. */
export type ProfileModuleParts = Omit<ProfileParts, 'store'> & {
  db: Database;
  accessLog: Pick<AccessLogModule, 'publicReads'>;
  baseOf: (host: string) => string;
};

/** Creates the module of the owner's profile and the public page. */
export const createProfileModule = ({ db, accessLog, baseOf, ...parts }: ProfileModuleParts) => {
  const store = createProfileStore(db);
  const profile = createProfileService({ ...parts, store });

  return {
    routes: profileRoutes({ profile, publicReads: accessLog.publicReads, baseOf }),
    /** Returns the e-mail address in the owner's profile, whether or not it is public. */
    ownerEmail: () => profile.email(),
    /**
     * Returns the number of fields that the owner made public, or of the properties of the profile bundle if a program
     * registered one.
     */
    publicFieldCount: (): number => {
      if (parts.isStored(PROFILE_BUNDLE)) return Object.keys(parts.queries.bundle(PROFILE_BUNDLE)).length;
      return store.row().public.length + (store.isPhotoPublic() ? 1 : 0);
    },
  };
};
