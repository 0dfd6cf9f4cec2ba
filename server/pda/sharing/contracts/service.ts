import type { Scope } from '../../../platform/auth/principal.ts';
import type { OwnerContract } from '../../../wire/network.ts';
import type { Transaction } from '../../storage/index.ts';

/** An application of kind Contract as the owner approved it last. */
export type ApprovedContract = {
  /** As it was written when it was set up. */
  id: string;
  enabled: boolean;
  name: string;
  description: string;
  developer: string;
  scopes: ReadonlySet<Scope>;
};

/** What other rooms may ask of contracts. */
export type ContractService = {
  /** The application of this contract was set up: joined from this commit on. Within the transaction that sets it up. */
  joinWithin(tx: Transaction, id: string): void;
  /** It was disabled, or is no contract any more: nothing gets in by it from this commit on. Nothing happens when it was not joined. */
  leaveWithin(tx: Transaction, id: string): void;
  list(): OwnerContract[];
  /** The address of the account changes with this commit: all contracts are joined again. */
  rejoin(tx: Transaction): void;
  /** Disables its application. @throws Failure not_found */
  leave(id: string): Promise<void>;
  /** Begins to tell the contracts service, and looks again at everything that waits: when settings changed, or the machine woke. */
  wake(): void;
  close(): Promise<void>;
};
