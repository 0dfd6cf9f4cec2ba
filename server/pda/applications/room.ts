import type { Application } from '../../wire/applications.ts';
import type { Database } from '../storage/index.ts';
import { createFixedCatalogue } from './catalogue.ts';
import { loginRoutes } from './login-routes.ts';
import { createLoginService, type LoginParts } from './login-service.ts';
import { ownerApplicationRoutes } from './owner-routes.ts';
import { applicationRoutes } from './routes.ts';
import { createApplicationService, type ApplicationParts } from './service.ts';
import { createApplicationStore } from './store.ts';

export type ApplicationRoomParts = Omit<ApplicationParts, 'store' | 'catalogue'> &
  Omit<LoginParts, 'applications'> & {
    db: Database;
    /** Those of `config.json`. */
    known: readonly Application[];
  };

/** Applications and their sign-in, put together. */
export const createApplicationRoom = ({ db, known, ...parts }: ApplicationRoomParts) => {
  const store = createApplicationStore(db);
  const applications = createApplicationService({ ...parts, store, catalogue: createFixedCatalogue(known) });
  const login = createLoginService({ ...parts, applications });
  return {
    applications,
    /** The version that the owner approved; empty when it was never set up. */
    approvedVersion: (id: string): string => store.find(id)?.version ?? '',
    routes: [
      ...applicationRoutes({ applications }),
      ...ownerApplicationRoutes({ applications }),
      ...loginRoutes({ login }),
    ] as const,
    close: () => applications.close(),
  };
};
