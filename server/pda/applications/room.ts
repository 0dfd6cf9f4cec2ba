import type { Application } from '../../wire/applications.ts';
import type { Database, Transaction } from '../storage/index.ts';
import { createCatalogue, type Published } from './catalogue.ts';
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
    /** Those of the exchange. */
    published: Published;
  };

/** Applications and their sign-in, put together. */
export const createApplicationRoom = ({ db, known, published, ...parts }: ApplicationRoomParts) => {
  const store = createApplicationStore(db);
  const applications = createApplicationService({ ...parts, store, catalogue: createCatalogue(known, published) });
  const login = createLoginService({ ...parts, applications });
  return {
    applications,
    /** The version that the owner approved; empty when it was never set up. */
    approvedVersion: (id: string): string => store.find(id)?.version ?? '',
    /** A Data Plug that is set up and enabled, and the list that it was set up from. */
    approvedPlug(id: string, tx?: Transaction): { id: string; version: string; origin: string } | undefined {
      const approval = tx === undefined ? store.find(id) : store.findWithin(tx, id);
      return approval?.enabled === true && approval.definition.kind.kind === 'Data Plug' ? approval : undefined;
    },
    routes: [
      ...applicationRoutes({ applications }),
      ...ownerApplicationRoutes({ applications }),
      ...loginRoutes({ login }),
    ] as const,
    close: () => applications.close(),
  };
};
