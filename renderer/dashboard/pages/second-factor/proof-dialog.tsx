import type { Proof } from '../../api/account/second-factor.ts';
import {
  removeAuthenticatorApp,
  removePasskey,
  renewRecoveryCodes,
  setAlwaysRequired,
  turnOffSecondFactor,
} from '../../api/account/second-factor.ts';
import { Dialog } from '../../../shared/overlay/dialog.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ProofForm } from './proof-form.tsx';

const words = m.secondFactor;

/** What is about to change. `isLast`: with it goes the second factor. */
export type Asking =
  | { what: 'app'; isLast: boolean }
  | { what: 'passkey'; passkeyId: string; name: string; isLast: boolean }
  | { what: 'codes' }
  | { what: 'always'; always: boolean }
  | { what: 'off' };

interface Question {
  title: string;
  text: string;
  submit: string;
  ends: boolean;
  /** New recovery codes, if it makes any. */
  act: (proof: Proof) => Promise<string[] | null>;
}

const removing = (isLast: boolean): string => (isLast ? words.removing.last : words.removing.text);

function questionOf(asking: Asking): Question {
  switch (asking.what) {
    case 'app':
      return {
        title: words.removing.app,
        text: removing(asking.isLast),
        submit: words.app.remove,
        ends: true,
        act: async (proof) => {
          await removeAuthenticatorApp(proof);
          showToast(words.removing.done);
          return null;
        },
      };
    case 'passkey':
      return {
        title: words.removing.passkey(asking.name),
        text: removing(asking.isLast),
        submit: words.passkeys.remove,
        ends: true,
        act: async (proof) => {
          await removePasskey(asking.passkeyId, proof);
          showToast(words.removing.done);
          return null;
        },
      };
    case 'codes': {
      const { renewDialog: title, renewText: text, renew: submit } = words.recovery;
      return { title, text, submit, ends: false, act: renewRecoveryCodes };
    }
    case 'always': {
      const { onDialog, onText, offDialog, offText, submit } = words.always;
      return {
        title: asking.always ? onDialog : offDialog,
        text: asking.always ? onText : offText,
        submit,
        ends: false,
        act: async (proof) => {
          await setAlwaysRequired(asking.always, proof);
          return null;
        },
      };
    }
    case 'off':
      return {
        title: words.turnOff.dialog,
        text: words.turnOff.text,
        submit: words.turnOff.action,
        ends: true,
        act: async (proof) => {
          await turnOffSecondFactor(proof);
          showToast(words.turnOff.done);
          return null;
        },
      };
  }
}

interface AskProofProps {
  asking: Asking | undefined;
  close: () => void;
  codes: (codes: string[] | null) => void;
}

/** Every change that is one question and the password. */
export function AskProof({ asking, close, codes }: AskProofProps) {
  if (asking === undefined) return null;
  const { title, text, submit, ends, act } = questionOf(asking);
  const done = async (proof: Proof) => {
    const made = await act(proof);
    close();
    codes(made);
  };
  return (
    <Dialog opened onClose={close} title={title}>
      <ProofForm submit={submit} ends={ends} cancel={close} done={done}>
        {text}
      </ProofForm>
    </Dialog>
  );
}
