import { Button } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { OwnerDebit } from '../../../../shared/api/contract.ts';
import { showProblemToast, showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { refreshDebits } from '../../../api/sharing/debits.ts';

const words = m.sharing.pause;

export function ResumeButton({ debit: { dataDebitKey: key, requestClientName: name } }: Pick<OwnerDebit, 'debit'>) {
  const [busy, setBusy] = useState(false);
  const resume = async () => {
    setBusy(true);
    try {
      await call('POST /api/v2.6/owner/debits/*key/resume', { params: { key } });
      showToast(words.resumed(name));
    } catch (error) {
      showProblemToast(m.shell.problem.notDone, error);
    }
    await refreshDebits();
    setBusy(false);
  };
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPlayerPlay size={14} stroke={1.6} />}
      aria-label={words.resumeLabel(name)}
      loading={busy}
      onClick={() => void resume()}
    >
      {words.resume}
    </Button>
  );
}
