import { Box, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { debitsQuery } from '../../api/sharing/debits.ts';
import { examples, removeExamples } from '../../api/account/examples.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { requestPath, sharingPath } from '../../navigation.ts';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.examples;

export function ExampleDataNotice() {
  const exampleState = useQuery(examples).data;
  const request = useQuery(debitsQuery).data?.find(({ debit }) => debit.dataDebitKey === exampleState?.request);
  const [isConfirming, setIsConfirming] = useState(false);
  if (exampleState === undefined || exampleState.stored === null) return null;
  const remove = async () => {
    await removeExamples();
    showToast(texts.confirm.done);
  };
  const { debit, waiting } = request ?? {};
  return (
    <Box mb="2rem">
      <Callout
        tone="neutral"
        title={texts.noticeTitle}
        action={
          <Group gap="md" wrap="nowrap">
            {debit !== undefined && (
              <TextLink
                to={waiting === null ? sharingPath(debit.dataDebitKey) : requestPath(debit.dataDebitKey)}
                data-standalone
              >
                {texts.request}
              </TextLink>
            )}
            <Button variant="default" size="xs" onClick={() => setIsConfirming(true)}>
              {texts.remove}
            </Button>
          </Group>
        }
      >
        {texts.noticeText(exampleState.records, exampleState.sources.length, exampleState.files)}
      </Callout>
      <ConfirmDialog
        opened={isConfirming}
        close={() => setIsConfirming(false)}
        title={texts.confirm.title}
        cancelLabel={m.shell.keep}
        confirmLabel={texts.confirm.submit}
        onConfirm={remove}
      >
        {texts.confirm.text}
      </ConfirmDialog>
    </Box>
  );
}
