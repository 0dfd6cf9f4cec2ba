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

const words = m.network.reports;

export function ReportsSection({ network: { reports, exchange } }: { network: Network }) {
  const [busy, setBusy] = useState(false);
  const setReports = async (on: boolean) => {
    setBusy(true);
    await runWithToast(async () => {
      const updatedNetwork = await call('PUT /api/v2.6/owner/network', { body: { reports: on } });
      queryClient.setQueryData(networkQuery.queryKey, updatedNetwork);
      showToast(on ? words.on : words.stopped);
    });
    setBusy(false);
  };
  return (
    <Section title={words.title}>
      <Switch
        label={words.label}
        description={words.text}
        checked={reports.on}
        disabled={busy}
        onChange={(event) => void setReports(event.currentTarget.checked)}
      />
      <div className={classes.contents}>
        <p>{words.contents}</p>
        <ul>
          {words.points.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
        <Text fw={600}>{words.never}</Text>
        {!reports.on && (
          <Text c="dimmed" mt="xs">
            {words.off}
          </Text>
        )}
        {exchange === null && (
          <Text c="dimmed" mt="xs">
            {words.noExchange}
          </Text>
        )}
      </div>
      {exchange !== null && (
        <div className={classes.facts}>
          <FactList
            facts={[
              { term: words.waiting, value: words.waitingText(reports.waiting) },
              { term: words.sent, value: words.sentText(reports.sent) },
              reports.lastSent !== null && { term: words.lastSent, value: <RelativeTime at={reports.lastSent} /> },
            ]}
          />
        </div>
      )}
    </Section>
  );
}
