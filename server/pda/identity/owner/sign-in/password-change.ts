import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Writer } from '../../../storage/index.ts';
import type { Notes } from '../audit-entry.ts';
import type { From, OwnerService, SignedIn } from '../service.ts';
import type { OwnersGate, Shown } from './authenticator.ts';
import type { OwnerRow, OwnerStore } from '../store.ts';

export type PasswordChange = { password: string; newPassword: string } & Shown;

const notProven = (isAsked: boolean): Failure =>
  new Failure(
    'forbidden',
    isAsked
      ? 'The old password, or the second factor with it, is not right. Nothing was changed.'
      : 'The old password is not right. Nothing was changed.',
  );

/** Changes the password. Requires the current one and, where a sign-in requires it, the second factor, so that an open session is not enough. */
export const createChangePassword = (parts: {
  store: Pick<OwnerStore, 'setPassword' | 'endAllBut'>;
  writer: Writer;
  clock: Clock;
  owner: () => OwnerRow;
  provePassword: OwnerService['provePassword'];
  hashNewPassword: OwnerService['hashNewPassword'];
  secondFactor: () => OwnersGate | undefined;
  notes: Notes;
  /** Ends all sessions after the change and starts one for the caller. */
  start: (from: From) => Promise<SignedIn>;
}) => {
  const { store, writer, clock, provePassword, hashNewPassword, notes } = parts;
  return ({ password, newPassword, ...shown }: PasswordChange, from: From, session: string): Promise<SignedIn> =>
    notes.refusals('password-change', from, async () => {
      const { name } = parts.owner();
      const gate = parts.secondFactor();
      const isAsked = gate?.isAsked(from) ?? false;
      // Looked at whatever the password is: an answer takes as long.
      const looked = isAsked ? await gate?.look(shown, from, session) : undefined;
      const stillRight = await provePassword(password, from);
      if (stillRight === undefined) throw notProven(isAsked);
      const use = looked?.settle();
      if (isAsked && use === undefined) throw notProven(isAsked);
      const hash = await hashNewPassword(newPassword, [name]);
      await writer.write((tx) => {
        // Of two changes at once the second was proven with a password that is no longer the one; a code is good once.
        if (!stillRight() || (gate?.isAsked(from) ?? false) !== isAsked || use?.(tx) === false)
          throw notProven(isAsked);
        if (looked?.isRecovery === true) notes.done(tx, 'recovery-code', from);
        store.setPassword(tx, hash);
        store.endAllBut(tx, '', clock.now());
        notes.done(tx, 'password-change', from);
      });
      return parts.start(from);
    });
};
