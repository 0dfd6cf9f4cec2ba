import { createLoginThrottle } from '../../platform/limits/login-throttle.ts';
import type { Core } from '../core/index.ts';
import { VERSION } from '../core/version.ts';
import { ownerRoutes } from './owner/routes.ts';
import { createOwnerService } from './owner/service.ts';
import { createSignInNetworkStore } from './owner/sign-in/network-store.ts';
import { createOwnerStore } from './owner/store.ts';
import { createSecondFactorModule } from './second-factor/index.ts';
import { createUserPasskeyStore } from './user-passkeys/store.ts';
import { createUserPasskeys } from './user-passkeys/service.ts';
import { createUserDirectory } from './users/directory.ts';
import { userRoutes } from './users/routes.ts';
import { createUserService } from './users/service.ts';
import { createUserStore } from './users/store.ts';

/** Creates the services of the owner's account, its second factor, the users and their passkeys. */
export const createIdentity = (parts: Core & { setupCode: string | undefined }) => {
  const { db, ownAddresses, lifecycle, clock } = parts;
  const userStore = createUserStore(db);
  const throttle = createLoginThrottle(clock);

  const owner = createOwnerService({
    ...parts,
    store: createOwnerStore(db),
    networks: createSignInNetworkStore(db),
    isOwnHost: ownAddresses.isOwn,
    userDirectory: createUserDirectory(userStore),
    throttle,
  });
  const users = createUserService({ ...parts, store: userStore, owner, throttle });

  const userPasskeys = createUserPasskeys({
    ...parts,
    store: createUserPasskeyStore(db),
    users,
    owner,
    throttle,
    baseOf: ownAddresses.baseOf,
  });

  const secondFactor = createSecondFactorModule({ ...parts, owner, baseOf: ownAddresses.baseOf });
  lifecycle.onClose('second factor', () => secondFactor.close());

  return {
    owner,
    users,
    userPasskeys,
    secondFactor,
    /** Runs a password check within the limit of concurrent checks, which all accounts of this PDA share. */
    checkPassword: throttle.check,
    routes: [
      ...ownerRoutes({ owner, ownAddresses, version: VERSION }),
      ...secondFactor.routes,
      ...userRoutes({ users }),
    ] as const,
  };
};

export type Identity = ReturnType<typeof createIdentity>;
