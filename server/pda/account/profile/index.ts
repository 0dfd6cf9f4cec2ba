import type { Clock } from '../../../platform/clock.ts';
import { PROFILE_BUNDLE } from '../../../wire/profile.ts';
import type { LedgerService } from '../../sharing/access-log/service.ts';
import type { Database } from '../../storage/index.ts';
import { profileRoutes } from './routes.ts';
import { createProfileService, type ProfileParts } from './service.ts';
import { createProfileStore } from './store.ts';
import { createPublicReads } from './public-reads.ts';

/** Dependencies of the profile module. */
export type ProfileModuleParts = Omit<ProfileParts, 'store'> & {
  db: Database;
  ledger: Pick<LedgerService, 'write' | 'addCount'>;
  networkOf: (address: string) => string;
  baseOf: (host: string) => string;
  clock: Clock;
};

/** Creates the module of the owner's profile and the public page. */
export const createProfileModule = ({ db, ledger, networkOf, baseOf, clock, ...parts }: ProfileModuleParts) => {
  const store = createProfileStore(db);
  const profile = createProfileService({ ...parts, store });
  const publicReads = createPublicReads({ ledger, writer: parts.writer, networkOf, now: () => clock.now() });

  return {
    routes: profileRoutes({ profile, publicReads, baseOf }),
    /** Returns the e-mail address in the owner's profile, whether or not it is public. */
    ownerEmail: () => profile.email(),
    /** Returns the maximum number of publicly readable fields. */
    publicFieldCount: (): number => {
      if (parts.isStored(PROFILE_BUNDLE)) return Object.keys(parts.queries.bundle(PROFILE_BUNDLE)).length;
      return store.row().public.length + (store.isPhotoPublic() ? 1 : 0);
    },
  };
};
