import { useNavigate } from 'react-router';
import { call } from '../../api/client.ts';
import type { OwnerDebit } from '../../api/contract.ts';
import { debit as debitQuery, refreshDebits } from '../../api/debits.ts';
import { queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { tell } from '../../components/notices.tsx';
import { m } from '../../messages/en.ts';

const words = m.sharing.page;

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
    tell(words.removed(requestClientName));
    await refreshDebits();
  };
  return (
    <Confirm
      opened={opened}
      close={close}
      title={words.removeTitle(requestClientName)}
      keep={words.keep}
      submit={words.removeSubmit}
      onConfirm={remove}
    >
      {words.removeText(requestClientName)}
    </Confirm>
  );
}
