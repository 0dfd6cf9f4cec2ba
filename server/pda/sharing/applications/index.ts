import type { Application } from '../../../wire/applications.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import type { AccessLogRoom } from '../access-log/index.ts';
import type { ContractRoom } from '../contracts/index.ts';
import { createCatalogue } from './catalogue.ts';
import { loginRoutes } from './login/routes.ts';
import { createLoginService, type LoginParts } from './login/service.ts';
import { ownerApplicationRoutes } from './owner-routes.ts';
import { applicationRoutes } from './routes.ts';
import { createApplicationService, type ApplicationParts } from './service.ts';
import { createApplicationStore } from './store.ts';

export type ApplicationRoomParts = Omit<ApplicationParts, 'store' | 'catalogue' | 'contracts'> &
  Omit<LoginParts, 'applications' | 'ledger' | 'noteRefused'> & {
    db: Database;
    owner: Pick<OwnerService, 'addPrincipalResolver'>;
    accessLog: Pick<AccessLogRoom, 'ledger' | 'noteRefused' | 'setVersionLookup'>;
    contractRoom: Pick<ContractRoom, 'contracts' | 'setApplications'>;
    /** Applications of `config.json`. */
    configured: readonly Application[];
  };

/** Creates applications and their sign-in, and registers them with the owner's account, the access log and the contracts. */
export const createApplicationRoom = ({ db, configured, accessLog, contractRoom, ...parts }: ApplicationRoomParts) => {
  const store = createApplicationStore(db);
  const catalogue = createCatalogue(configured);
  const { contracts } = contractRoom;
  const applications = createApplicationService({ ...parts, store, catalogue, contracts });
  const { ledger, noteRefused } = accessLog;
  const login = createLoginService({ ...parts, ledger, noteRefused, applications });
  const approvedVersion = (id: string): string => store.find(id)?.version ?? '';

  parts.owner.addPrincipalResolver('application', applications.scopesOf);
  accessLog.setVersionLookup(approvedVersion);
  contractRoom.setApplications(applications);

  return {
    applications,
    /** The version that the owner approved; empty when it was never set up. */
    approvedVersion,
    /** A Data Plug that is set up and enabled, and the list that it was set up from. */
    approvedPlug(id: string, tx?: Transaction): { id: string; version: string; origin: string } | undefined {
      const approval = tx === undefined ? store.find(id) : store.findWithin(tx, id);
      return approval?.enabled === true && approval.definition.kind.kind === 'Data Plug' ? approval : undefined;
    },
    /** Registers the applications that an exchange publishes. */
    addCatalogue: catalogue.addPublished,
    routes: [
      ...applicationRoutes({ applications }),
      ...ownerApplicationRoutes({ applications }),
      ...loginRoutes({ login }),
    ] as const,
    close: () => applications.close(),
  };
};

export type ApplicationRoom = ReturnType<typeof createApplicationRoom>;
