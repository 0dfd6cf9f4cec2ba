import { Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { startDownload } from '../../../shared/api/url.ts';
import { runWithToast } from '../../../shared/feedback/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './receipt.module.css';
import { ActionButton } from '../../../shared/feedback/action-button.tsx';

const texts = m.sharing.receipt;
/** Delay before the object URL is revoked, so that the browser can read it first. */
const REVOKE_URL_AFTER_MS = 10_000;

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  startDownload(url, name);
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_URL_AFTER_MS);
}

const receiptQuery = (key: string) =>
  queryOptions({
    queryKey: ['debit-receipt', key],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/debits/*key/receipt', { params: { key } }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

export function Receipt({ dataDebitKey }: { dataDebitKey: string }) {
  const thumbprint = useQuery(receiptQuery(dataDebitKey)).data?.thumbprint;
  const download = async () => {
    await runWithToast(async () => {
      const receipt = await call('GET /api/v2.6/owner/debits/*key/receipt', { params: { key: dataDebitKey } });
      saveFile(texts.file(dataDebitKey.replaceAll('/', '-')), `${JSON.stringify(receipt, null, 2)}\n`);
    });
  };
  return (
    <Section title={texts.title}>
      <div className={classes.receipt}>
        <Text c="dimmed">{texts.text}</Text>
        <ActionButton icon={<IconDownload size={15} stroke={1.6} />} action={download}>
          {texts.download}
        </ActionButton>
        <Text c="dimmed">
          {texts.check} <code>{texts.command(dataDebitKey.replaceAll('/', '-'))}</code>
        </Text>
        {/* Below the button, because it loads later and must not move the button. */}
        {thumbprint !== undefined && (
          <Text c="dimmed">
            {texts.thumbprint} <code>{thumbprint}</code>
          </Text>
        )}
      </div>
    </Section>
  );
}
