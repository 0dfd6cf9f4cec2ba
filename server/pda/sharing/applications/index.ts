import type { Application } from '../../../wire/applications.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import type { AccessLogModule } from '../access-log/index.ts';
import type { ContractModule } from '../contracts/index.ts';
import { createCatalogue } from './catalogue.ts';
import { loginRoutes } from './login/routes.ts';
import { createLoginService, type LoginParts } from './login/service.ts';
import { ownerApplicationRoutes } from './owner-routes.ts';
import { applicationRoutes } from './routes.ts';
import { createApplicationService, type ApplicationParts } from './service.ts';
import { createApplicationStore } from './store.ts';

export type ApplicationModuleParts = Omit<ApplicationParts, 'store' | 'catalogue' | 'contracts'> &
  Omit<LoginParts, 'applications' | 'ledger' | 'recordRefusal'> & {
    db: Database;
    owner: Pick<OwnerService, 'setScopeResolver'>;
    accessLog: Pick<AccessLogModule, 'ledger' | 'names' | 'recordRefusal' | 'setVersionLookup'>;
    contractModule: Pick<ContractModule, 'contracts' | 'setApplications'>;
    configured: readonly Application[];
  };

/** Creates the module for applications and the sign-in to them. */
export const createApplicationModule = ({
  db,
  configured,
  accessLog,
  contractModule,
  ...parts
}: ApplicationModuleParts) => {
  const store = createApplicationStore(db);
  const catalogue = createCatalogue(configured);
  const { contracts } = contractModule;
  const applications = createApplicationService({ ...parts, store, catalogue, contracts });
  const { ledger, recordRefusal } = accessLog;
  const login = createLoginService({ ...parts, ledger, recordRefusal, applications });
  const approvedVersion = (id: string): string => store.find(id)?.version ?? '';

  parts.owner.setScopeResolver('application', applications.scopesOf);
  accessLog.setVersionLookup(approvedVersion);
  accessLog.names.addLookup('application', (id) => catalogue.find(id)?.info.name);
  contractModule.setApplications(applications);

  return {
    applications,
    /** Returns an empty string if the application was never set up. */
    approvedVersion,
    /** Returns undefined unless an enabled Data Plug has this id. */
    enabledPlug(id: string, tx?: Transaction): { id: string; version: string; origin: string } | undefined {
      const approval = tx === undefined ? store.find(id) : store.findWithin(tx, id);
      return approval?.enabled === true && approval.definition.kind.kind === 'Data Plug' ? approval : undefined;
    },
    addCatalogue: catalogue.addPublished,
    routes: [
      ...applicationRoutes({ applications }),
      ...ownerApplicationRoutes({ applications }),
      ...loginRoutes({ login, applications }),
    ] as const,
    close: () => applications.close(),
  };
};

export type ApplicationModule = ReturnType<typeof createApplicationModule>;
