import { Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { Network } from '../../../../shared/api/contract.ts';
import { network as networkQuery } from '../../../api/sharing/network.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { showToast, runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { Section } from '../../../components/page.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './network-page.module.css';

const texts = m.network.reports;

export function ReportsSection({ network: { reports, exchange } }: { network: Network }) {
  const [busy, setBusy] = useState(false);
  const setReports = async (on: boolean) => {
    setBusy(true);
    await runWithToast(async () => {
      const updatedNetwork = await call('PUT /api/v2.6/owner/network', { body: { reports: on } });
      queryClient.setQueryData(networkQuery.queryKey, updatedNetwork);
      showToast(on ? texts.on : texts.stopped);
    });
    setBusy(false);
  };
  return (
    <Section title={texts.title}>
      <Switch
        label={texts.label}
        description={texts.text}
        checked={reports.on}
        disabled={busy}
        onChange={(event) => void setReports(event.currentTarget.checked)}
      />
      <div className={classes.contents}>
        <p>{texts.contents}</p>
        <ul>
          {texts.points.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
        <Text fw={600}>{texts.never}</Text>
        {!reports.on && (
          <Text c="dimmed" mt="xs">
            {texts.off}
          </Text>
        )}
        {exchange === null && (
          <Text c="dimmed" mt="xs">
            {texts.noExchange}
          </Text>
        )}
      </div>
      {exchange !== null && (
        <div className={classes.facts}>
          <FactList
            facts={[
              { term: texts.waiting, value: texts.waitingText(reports.waiting) },
              { term: texts.sent, value: texts.sentText(reports.sent) },
              reports.lastSent !== null && { term: texts.lastSent, value: <RelativeTime at={reports.lastSent} /> },
            ]}
          />
        </div>
      )}
    </Section>
  );
}
