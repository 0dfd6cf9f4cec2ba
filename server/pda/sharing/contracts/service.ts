import type { Scope } from '../../../platform/auth/principal.ts';
import type { OwnerContract } from '../../../wire/network.ts';
import type { Transaction } from '../../storage/index.ts';

/** Application of kind Contract, as last approved by the owner. */
export type ApprovedContract = {
  /** Id in the spelling of the first set-up. */
  id: string;
  enabled: boolean;
  name: string;
  description: string;
  developer: string;
  scopes: ReadonlySet<Scope>;
};

/** Membership of this PDA in contracts. */
export type ContractService = {
  /** Joins a contract in the transaction that sets up its application. Takes effect with the commit. */
  joinWithin(tx: Transaction, id: string): void;
  /**
   * Leaves a contract in the transaction that disables its application. Takes effect with the commit. Does nothing if
   * the contract was not joined.
   */
  leaveWithin(tx: Transaction, id: string): void;
  /** Returns the contracts that this PDA has joined, is joining or is leaving. */
  list(): OwnerContract[];
  /** Returns the name of a contract, or its id. */
  nameOf(id: string): string;
  /** Joins all contracts again, in the transaction that changes the address of the account. */
  rejoin(tx: Transaction): void;
  /** Disables the application of a contract. @throws Failure not_found */
  leave(id: string): Promise<void>;
  /**
   * Sends due requests to the contracts service. Called at the start, after changed settings, and after the machine
   * wakes.
   */
  wake(): void;
  close(): Promise<void>;
};
