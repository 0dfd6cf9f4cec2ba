import type { OwnerProof } from '../../api/account/second-factor.ts';
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

const texts = m.secondFactor;

/** `isLast` is true if the removal also turns the second factor off. */
export type FactorChange =
  | { kind: 'app'; isLast: boolean }
  | { kind: 'passkey'; passkeyId: string; name: string; isLast: boolean }
  | { kind: 'codes' }
  | { kind: 'always'; always: boolean }
  | { kind: 'off' };

interface ProofPrompt {
  title: string;
  text: string;
  submitLabel: string;
  isDestructive: boolean;
  /** Resolves to new recovery codes, if any. */
  apply: (proof: OwnerProof) => Promise<string[] | null>;
}

const removalText = (isLast: boolean): string => (isLast ? texts.removing.last : texts.removing.text);

function promptOf(change: FactorChange): ProofPrompt {
  switch (change.kind) {
    case 'app':
      return {
        title: texts.removing.app,
        text: removalText(change.isLast),
        submitLabel: m.shell.remove,
        isDestructive: true,
        apply: async (proof) => {
          await removeAuthenticatorApp(proof);
          showToast(texts.removing.done);
          return null;
        },
      };
    case 'passkey':
      return {
        title: texts.removing.passkey(change.name),
        text: removalText(change.isLast),
        submitLabel: m.shell.remove,
        isDestructive: true,
        apply: async (proof) => {
          await removePasskey(change.passkeyId, proof);
          showToast(texts.removing.done);
          return null;
        },
      };
    case 'codes': {
      const { renewDialog: title, renewText: text, renew: submitLabel } = texts.recovery;
      return { title, text, submitLabel, isDestructive: false, apply: renewRecoveryCodes };
    }
    case 'always': {
      const { onDialog, onText, offDialog, offText } = texts.always;
      return {
        title: change.always ? onDialog : offDialog,
        text: change.always ? onText : offText,
        submitLabel: m.shell.save,
        isDestructive: false,
        apply: async (proof) => {
          await setAlwaysRequired(change.always, proof);
          return null;
        },
      };
    }
    case 'off':
      return {
        title: texts.turnOff.dialog,
        text: texts.turnOff.text,
        submitLabel: texts.turnOff.action,
        isDestructive: true,
        apply: async (proof) => {
          await turnOffSecondFactor(proof);
          showToast(texts.turnOff.done);
          return null;
        },
      };
  }
}

interface ProofDialogProps {
  change: FactorChange | undefined;
  close: () => void;
  onCodes: (codes: string[] | null) => void;
}

export function ProofDialog({ change, close, onCodes }: ProofDialogProps) {
  if (change === undefined) return null;
  const { title, text, submitLabel, isDestructive, apply } = promptOf(change);
  const onProof = async (proof: OwnerProof) => {
    const newCodes = await apply(proof);
    close();
    onCodes(newCodes);
  };
  return (
    <Dialog opened onClose={close} title={title}>
      <ProofForm submitLabel={submitLabel} destructive={isDestructive} cancel={close} onProof={onProof}>
        {text}
      </ProofForm>
    </Dialog>
  );
}
