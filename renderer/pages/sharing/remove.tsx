import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../../api/client.ts';
import type { OwnerDebit } from '../../api/contract.ts';
import { debit as debitQuery, refreshDebits } from '../../api/debits.ts';
import { queryClient } from '../../api/queries.ts';
import { tell } from '../../components/notices.tsx';
import { Failed } from '../../components/states.tsx';
import { m } from '../../messages/en.ts';

const words = m.sharing.page;

interface RemoveProps {
  item: OwnerDebit;
  opened: boolean;
  close: () => void;
}

/** It cannot be taken back, so it is asked once more. */
export function Remove({ item, opened, close }: RemoveProps) {
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={words.removeTitle(item.debit.requestClientName)}
      closeButtonProps={{ 'aria-label': m.shell.close }}
    >
      <Confirm item={item} close={close} />
    </Modal>
  );
}

function Confirm({ item, close }: { item: OwnerDebit; close: () => void }) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const { dataDebitKey, requestClientName } = item.debit;
  const remove = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await call('DELETE /api/v2.6/data-debit/*key', { params: { key: dataDebitKey } });
      await navigate('/sharing', { replace: true });
      queryClient.removeQueries({ queryKey: debitQuery(dataDebitKey).queryKey });
      tell(words.removed(requestClientName));
      await refreshDebits();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Stack gap="md">
      <Text size="sm">{words.removeText(requestClientName)}</Text>
      {problem !== undefined && <Failed error={problem} title={m.shell.problem.notDone} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close} data-autofocus>
          {words.keep}
        </Button>
        <Button color="brick" loading={busy} onClick={() => void remove()}>
          {words.removeSubmit}
        </Button>
      </Group>
    </Stack>
  );
}
