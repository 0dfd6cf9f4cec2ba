import { useNavigate } from 'react-router';
import { call } from '../../api/client.ts';
import type { OwnerDebit } from '../../api/contract.ts';
import { debit as debitQuery, refreshDebits } from '../../api/debits.ts';
import { queryClient } from '../../api/queries.ts';
import { ConfirmEnd } from '../../components/confirm.tsx';
import { m } from '../../messages/texts.ts';

const page = m.sharing.page;
const words = { title: page.removeTitle, keep: page.keep, submit: page.removeSubmit, done: page.removed };

interface RemoveProps {
  item: OwnerDebit;
  opened: boolean;
  close: () => void;
}

/** It cannot be taken back, so it is asked once more. */
export function Remove({ item, opened, close }: RemoveProps) {
  const navigate = useNavigate();
  const { dataDebitKey, requestClientName } = item.debit;
  const remove = async () => {
    await call('DELETE /api/v2.6/data-debit/*key', { params: { key: dataDebitKey } });
    await navigate('/sharing', { replace: true });
    queryClient.removeQueries({ queryKey: debitQuery(dataDebitKey).queryKey });
    await refreshDebits();
  };
  return (
    <ConfirmEnd opened={opened} close={close} name={requestClientName} words={words} end={remove}>
      {page.removeText(requestClientName)}
    </ConfirmEnd>
  );
}
