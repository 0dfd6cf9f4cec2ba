import { createLateBinding } from '../../../platform/service/late-binding.ts';
import type { RecordHandlers } from '../../data/records/service.ts';
import type { Database } from '../../storage/index.ts';
import { createContractAccess } from './authentication/authenticator.ts';
import { createContractKeys } from './authentication/keys.ts';
import { createContractTokens } from './authentication/tokens.ts';
import { createMembership, type MembershipParts } from './membership.ts';
import { ownerContractRoutes } from './owner-routes.ts';
import { contractDataRoutes } from './routes.ts';
import { labelOf } from './rules.ts';
import type { ApprovedContract } from './service.ts';
import { createContractStore } from './store.ts';

type ContractApplications = {
  contractOf(id: string): ApprovedContract | undefined;
  /** @throws Failure not_found */
  disable(id: string): Promise<unknown>;
};

export type ContractModuleParts = Omit<
  MembershipParts,
  'store' | 'pdaName' | 'contractsUrl' | 'approvedContract' | 'disable'
> & {
  db: Database;
  recordHandlers: RecordHandlers;
  /** Returns undefined before the set-up. */
  ownerName: () => string | undefined;
};

/** Creates the module for contract memberships and contracted access. */
export const createContractModule = ({ db, recordHandlers, ownerName, ...parts }: ContractModuleParts) => {
  const { clock } = parts;
  const boundContractsUrl = createLateBinding<() => string | undefined>('the address of the contracts service');
  const contractsUrl = (): string | undefined => boundContractsUrl.find()?.();
  const applications = createLateBinding<ContractApplications>('the applications of contracts');
  const approvedContract = (id: string): ApprovedContract | undefined => applications.get().contractOf(id);

  const store = createContractStore(db);
  const keys = createContractKeys({ ...parts, store });
  const tokens = createContractTokens({ keys, contractsUrl, clock });
  keys.onChange(tokens.clearCache);

  let cachedNames: { address: string; owner: string | undefined; list: readonly string[] } | undefined;
  /** Lists the first label of the public address before the owner's name, because developers know the label. */
  const pdaNames = (): readonly string[] => {
    const [address, owner] = [parts.address(), ownerName()];
    if (cachedNames === undefined || cachedNames.address !== address || cachedNames.owner !== owner) {
      cachedNames = { address, owner, list: [labelOf(address), owner].filter((name) => name !== undefined) };
    }
    return cachedNames.list;
  };

  const contracts = createMembership({
    ...parts,
    store,
    contractsUrl,
    approvedContract,
    disable: (id) => applications.get().disable(id),
    pdaName: () => pdaNames()[0] ?? '',
  });
  const access = createContractAccess({ store, tokens, approvedContract, pdaNames });

  return {
    contracts,
    setApplications: applications.register,
    setContractsUrl: boundContractsUrl.register,
    routes: [...contractDataRoutes({ access, recordHandlers }), ...ownerContractRoutes({ contracts })] as const,
    async close(): Promise<void> {
      await contracts.close();
      await keys.close();
    },
  };
};

export type ContractModule = ReturnType<typeof createContractModule>;
