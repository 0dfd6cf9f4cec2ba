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

export type ContractService = {
  /** Has no effect if the PDA has joined the contract or is joining it. */
  joinWithin(tx: Transaction, id: string): void;
  /** Has no effect if there is no membership, or if the PDA is already leaving the contract. */
  leaveWithin(tx: Transaction, id: string): void;
  /** Includes contracts that the PDA is joining or leaving, and those that it was not allowed to join. */
  list(): OwnerContract[];
  /** Returns the id if the contract has no name. */
  nameOf(id: string): string;
  /** Begins to rejoin all joined contracts. Call it in the transaction that activates an imported account. */
  rejoin(tx: Transaction): void;
  /** Disables the contract's application. @throws Failure not_found */
  leave(id: string): Promise<void>;
  /** Begins to send requests to the contracts service. */
  start(): void;
  /**
   * Sends due requests. Call it after a change of the service's URL or of the public address. No effect before `start`.
   */
  wake(): void;
  close(): Promise<void>;
};
