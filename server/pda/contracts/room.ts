import type { DataCalls } from '../records/service.ts';
import type { Database } from '../storage/index.ts';
import { createContractAccess } from './access.ts';
import { createContractKeys } from './keys.ts';
import { createMembership, type MembershipParts } from './membership.ts';
import { ownerContractRoutes } from './owner-routes.ts';
import { contractDataRoutes } from './routes.ts';
import { labelOf } from './rules.ts';
import { createContractStore } from './store.ts';
import { createContractTokens } from './tokens.ts';

export type ContractRoomParts = Omit<MembershipParts, 'store' | 'pdaName'> & {
  db: Database;
  calls: DataCalls;
  /** What the owner goes by; undefined before there is one. */
  ownerName: () => string | undefined;
};

/** Contracted access, put together. */
export const createContractRoom = ({ db, calls, ownerName, ...parts }: ContractRoomParts) => {
  const { clock, log, contractsUrl } = parts;
  const store = createContractStore(db);
  const keys = createContractKeys({ ...parts, store, clock, log, onChange: () => tokens.forget() });
  const tokens = createContractTokens({ keys, contractsUrl, clock });
  /** The label of the public address, by which developers find this PDA, comes first. */
  let names: { address: string; owner: string | undefined; list: readonly string[] } | undefined;
  const pdaNames = (): readonly string[] => {
    const [address, owner] = [parts.address(), ownerName()];
    if (names === undefined || names.address !== address || names.owner !== owner) {
      names = { address, owner, list: [labelOf(address), owner].filter((name) => name !== undefined) };
    }
    return names.list;
  };
  const contracts = createMembership({ ...parts, store, pdaName: () => pdaNames()[0] ?? '' });
  const access = createContractAccess({ store, tokens, approved: parts.approved, pdaNames });
  return {
    contracts,
    routes: [...contractDataRoutes({ access, calls }), ...ownerContractRoutes({ contracts })] as const,
    async close(): Promise<void> {
      await contracts.close();
      await keys.close();
    },
  };
};
