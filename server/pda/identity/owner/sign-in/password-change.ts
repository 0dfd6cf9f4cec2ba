import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Writer } from '../../../storage/index.ts';
import type { AccountLog } from '../account-log.ts';
import type { RequestOrigin, OwnerService, SignedIn } from '../service.ts';
import type { SecondFactorCheck, SecondFactorInput } from './authenticator.ts';
import type { OwnerRow, OwnerStore } from '../store.ts';

export type PasswordChange = { password: string; newPassword: string } & SecondFactorInput;

const wrongPasswordOrFactor = (isRequired: boolean): Failure =>
  new Failure(
    'forbidden',
    isRequired
      ? 'The old password or the second factor is wrong. Nothing was changed.'
      : 'The old password is wrong. Nothing was changed.',
  );

/**
 * Returns a function that changes the password. It requires the current password, and the second factor where a sign-in
 * requires it, so that access to an open session is not enough.
 */
export const createChangePassword = (parts: {
  store: Pick<OwnerStore, 'setPassword' | 'endAllBut'>;
  writer: Writer;
  clock: Clock;
  owner: () => OwnerRow;
  verifyPassword: OwnerService['verifyPassword'];
  hashNewPassword: OwnerService['hashNewPassword'];
  secondFactor: () => SecondFactorCheck | undefined;
  accountLog: AccountLog;
  startSession: (from: RequestOrigin) => Promise<SignedIn>;
}) => {
  const { store, writer, clock, verifyPassword, hashNewPassword, accountLog } = parts;
  return (
    { password, newPassword, ...secondFactor }: PasswordChange,
    from: RequestOrigin,
    session: string,
  ): Promise<SignedIn> =>
    accountLog.recordRefusals('password-change', from, async () => {
      const { name } = parts.owner();
      const factorCheck = parts.secondFactor();
      const isRequired = factorCheck?.isRequired(from) ?? false;
      // Verified independently of the password, so that the response time reveals nothing.
      const verification = isRequired ? await factorCheck?.verify(secondFactor, from, session) : undefined;
      const isPasswordUnchanged = await verifyPassword(password, from);
      if (isPasswordUnchanged === undefined) throw wrongPasswordOrFactor(isRequired);
      const use = verification?.accept();
      if (isRequired && use === undefined) throw wrongPasswordOrFactor(isRequired);
      const hash = await hashNewPassword(newPassword, [name], 'newPassword');
      await writer.write((tx) => {
        // Another request may have changed the password or used the code in the meantime.
        if (!isPasswordUnchanged() || (factorCheck?.isRequired(from) ?? false) !== isRequired || use?.(tx) === false)
          throw wrongPasswordOrFactor(isRequired);
        if (verification?.isRecovery === true) accountLog.record(tx, 'recovery-code', from);
        store.setPassword(tx, hash);
        store.endAllBut(tx, '', clock.now());
        accountLog.record(tx, 'password-change', from);
      });
      return parts.startSession(from);
    });
};
