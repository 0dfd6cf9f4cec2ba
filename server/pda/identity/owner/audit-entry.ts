import { Failure } from '../../../platform/failure.ts';
import type { Transaction } from '../../storage/index.ts';

/** What the account tells of itself: what was done, or why it was refused. */
export type OwnerNote = {
  action:
    | 'sign-in'
    | 'sign-out'
    | 'set-up'
    | 'password-change'
    | 'service-token'
    | 'address-change'
    | 'go-dark'
    | 'go-light'
    | 'erasure'
    | 'export-all'
    | 'arrival-settled'
    | 'second-factor-on'
    | 'second-factor-change'
    | 'second-factor-off'
    | 'recovery-code';
  status: number;
  /** Error code of a refusal; null when it was done. */
  reason: string | null;
  address: string;
  /** The acting principal; default: the owner. */
  by?: By;
};
export type By =
  | { kind: 'user'; userId: string; name: string }
  | { kind: 'application'; application: string }
  | { kind: 'offer'; offer: string };

/** Hears what was done, within the transaction that does it, and what was refused, without one. */
export type TakeNote = (tx: Transaction | undefined, note: OwnerNote) => Promise<void> | void;

type From = { address: string };

export const createNotes = (take: TakeNote | undefined) => ({
  done(tx: Transaction, action: OwnerNote['action'], { address }: From, by?: By): void {
    void take?.(tx, { action, status: 200, reason: null, address, ...(by === undefined ? {} : { by }) });
  },

  /** Tells of a refusal before it is answered. `why`: what the owner may know of it and the caller may not; undefined: no more than the caller. */
  async refusals<T>(
    action: OwnerNote['action'],
    { address }: From,
    work: () => Promise<T>,
    why: () => string | undefined = () => undefined,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure)
        await take?.(undefined, { action, status: error.status, reason: why() ?? error.code, address });
      throw error;
    }
  },
});

export type Notes = ReturnType<typeof createNotes>;
