import { useNavigate } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { debitQuery, refreshDebits } from '../../api/sharing/debits.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { ConfirmEndDialog } from '../../../shared/overlay/confirm.tsx';
import { m } from '../../../shared/messages/texts.ts';
import type { DialogState } from '../../../shared/overlay/dialog.tsx';

const page = m.sharing.page;
const texts = { title: page.removeTitle, submit: page.removeSubmit, done: page.removed };

interface RemoveConsentDialogProps extends DialogState {
  item: OwnerDebit;
}

/** Asks for confirmation, because the removal cannot be undone. */
export function RemoveConsentDialog({ item, opened, close }: RemoveConsentDialogProps) {
  const navigate = useNavigate();
  const { dataDebitKey, requestClientName } = item.debit;
  const remove = async () => {
    await call('DELETE /api/v2.6/data-debit/*key', { params: { key: dataDebitKey } });
    await navigate('/sharing', { replace: true });
    queryClient.removeQueries({ queryKey: debitQuery(dataDebitKey).queryKey });
    await refreshDebits();
  };
  return (
    <ConfirmEndDialog opened={opened} close={close} name={requestClientName} texts={texts} end={remove}>
      {page.removeText(requestClientName, item.callbackHost !== null)}
    </ConfirmEndDialog>
  );
}
