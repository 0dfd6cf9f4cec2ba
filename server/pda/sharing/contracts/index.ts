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

/** Applications of kind Contract, as the owner approved them. */
type ContractApplications = {
  contractOf(id: string): ApprovedContract | undefined;
  /** @throws Failure not_found */
  disable(id: string): Promise<unknown>;
};

/** Returns the address of the contracts service, without an end slash; undefined when there is none. */
type ServiceAddress = () => string | undefined;

export type ContractRoomParts = Omit<MembershipParts, 'store' | 'pdaName' | 'contractsUrl' | 'approved' | 'disable'> & {
  db: Database;
  calls: RecordHandlers;
  /** The owner's name; undefined before the set-up. */
  ownerName: () => string | undefined;
};

/** Creates membership in contracts, and access by the tokens of the contracts service. */
export const createContractRoom = ({ db, calls, ownerName, ...parts }: ContractRoomParts) => {
  const { clock } = parts;
  const service = createLateBinding<ServiceAddress>('the address of the contracts service');
  const contractsUrl = (): string | undefined => service.find()?.();
  const applications = createLateBinding<ContractApplications>('the applications of contracts');
  const approved = (id: string): ApprovedContract | undefined => applications.get().contractOf(id);

  const store = createContractStore(db);
  const keys = createContractKeys({ ...parts, store });
  const tokens = createContractTokens({ keys, contractsUrl, clock });
  keys.onChange(tokens.forget);

  let names: { address: string; owner: string | undefined; list: readonly string[] } | undefined;
  /** The label of the public address, by which developers find this PDA, comes before the owner's name. */
  const pdaNames = (): readonly string[] => {
    const [address, owner] = [parts.address(), ownerName()];
    if (names === undefined || names.address !== address || names.owner !== owner) {
      names = { address, owner, list: [labelOf(address), owner].filter((name) => name !== undefined) };
    }
    return names.list;
  };

  const contracts = createMembership({
    ...parts,
    store,
    contractsUrl,
    approved,
    disable: (id) => applications.get().disable(id),
    pdaName: () => pdaNames()[0] ?? '',
  });
  const access = createContractAccess({ store, tokens, approved, pdaNames });

  return {
    contracts,
    /** Registers the applications whose contracts this PDA joins. */
    setApplications: applications.register,
    /** Registers where the address of the contracts service comes from. */
    setService: service.register,
    routes: [...contractDataRoutes({ access, calls }), ...ownerContractRoutes({ contracts })] as const,
    async close(): Promise<void> {
      await contracts.close();
      await keys.close();
    },
  };
};

export type ContractRoom = ReturnType<typeof createContractRoom>;
