import { Failure } from '../../../platform/failure.ts';
import type { Transaction } from '../../storage/index.ts';

export type AccountEvent = {
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
    | 'recovery-code'
    | 'invitation-accepted'
    | 'guest-left'
    | 'passkey-added'
    | 'passkey-removed';
  status: number;
  /** Error code of a refusal, or a reason that only the owner sees; null if the action was performed. */
  reason: string | null;
  address: string;
  /** Who performed the action. Default: the owner. */
  by?: ActingPrincipal;
};
export type ActingPrincipal =
  | { kind: 'user'; userId: string; name: string }
  | { kind: 'application'; application: string }
  | { kind: 'offer'; offer: string };

/** Records a performed action within its transaction, or a refused action without a transaction. */
export type AccountEventRecorder = (tx: Transaction | undefined, event: AccountEvent) => Promise<void> | void;

type Origin = { address: string };

export const createAccountLog = (write: AccountEventRecorder) => ({
  record(tx: Transaction, action: AccountEvent['action'], { address }: Origin, by?: ActingPrincipal): void {
    void write(tx, { action, status: 200, reason: null, address, ...(by === undefined ? {} : { by }) });
  },

  /**
   * Runs `work`. If it throws a `Failure`, records the refusal before it rethrows the failure.
   * @param reasonForOwner returns a reason that only the owner sees; if undefined, the error code is recorded
   */
  async recordRefusals<T>(
    action: AccountEvent['action'],
    { address }: Origin,
    work: () => Promise<T>,
    reasonForOwner: () => string | undefined = () => undefined,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure)
        await write(undefined, { action, status: error.status, reason: reasonForOwner() ?? error.code, address });
      throw error;
    }
  },
});

export type AccountLog = ReturnType<typeof createAccountLog>;
