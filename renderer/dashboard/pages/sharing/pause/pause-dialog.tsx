import { localDate } from '../../../../shared/format/local-date.ts';
import { Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { OwnerDebit, Permission } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { nearTimeText } from '../../../../shared/consent/timing-text.ts';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { DialogButtons } from '../../../../shared/overlay/dialog-form.tsx';
import { debitQuery, refreshDebits } from '../../../api/sharing/debits.ts';
import { DurationSelect } from '../../../consent/duration-select.tsx';
import { customPauseChoice, lastPauseDay, pauseChoices } from './pause-choices.ts';

const texts = m.sharing.pause;

interface PauseFormProps {
  item: OwnerDebit;
  permission: Permission;
  now: Date;
  close: () => void;
}

export function PauseDialog({ opened, ...props }: PauseFormProps & { opened: boolean }) {
  return (
    <Dialog opened={opened} onClose={props.close} title={texts.title(props.item.debit.requestClientName)}>
      <PauseForm {...props} />
    </Dialog>
  );
}

function PauseForm({ item, permission, now, close }: PauseFormProps) {
  const { dataDebitKey: key, requestClientName: name } = item.debit;
  const choices = pauseChoices(permission.end, now);
  const [selectedChoice, setSelectedChoice] = useState(choices[0]);
  const { busy, problem, run } = useSubmit();
  if (selectedChoice === undefined) return <Text>{texts.endsTooSoon}</Text>;
  const pause = async () => {
    const pausedDebit = await call('POST /api/v2.6/owner/debits/*key/pause', {
      params: { key },
      body: { until: selectedChoice.until },
    });
    queryClient.setQueryData(debitQuery(key).queryKey, pausedDebit);
    close();
    showToast(texts.paused(name), texts.pausedText(nearTimeText(new Date(selectedChoice.until), now)));
    await refreshDebits();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(pause);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text>{texts.text(name)}</Text>
        <DurationSelect
          choices={choices}
          value={selectedChoice.value}
          firstDay={localDate(now)}
          lastDay={lastPauseDay(permission.end)}
          choiceOf={(day) => customPauseChoice(day, permission.end, now)}
          change={setSelectedChoice}
        />
        <SubmitError problem={problem} />
        <DialogButtons close={close} submitLabel={texts.submit} busy={busy} />
      </Stack>
    </form>
  );
}
