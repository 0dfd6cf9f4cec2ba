import { IconPlayerPlay } from '@tabler/icons-react';
import { call } from '../../../../shared/api/client.ts';
import type { OwnerDebit } from '../../../../shared/api/contract.ts';
import { ActionButton } from '../../../../shared/feedback/action-button.tsx';
import { showToast, runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { refreshDebits } from '../../../api/sharing/debits.ts';

const texts = m.sharing.pause;

export function ResumeButton({ debit: { dataDebitKey: key, requestClientName: name } }: Pick<OwnerDebit, 'debit'>) {
  const resume = async () => {
    await runWithToast(async () => {
      await call('POST /api/v2.6/owner/debits/*key/resume', { params: { key } });
      showToast(texts.resumed(name));
    });
    await refreshDebits();
  };
  return (
    <ActionButton icon={<IconPlayerPlay size={14} stroke={1.6} />} label={texts.resumeLabel(name)} action={resume}>
      {texts.resume}
    </ActionButton>
  );
}
