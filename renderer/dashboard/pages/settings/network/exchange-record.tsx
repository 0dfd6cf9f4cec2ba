import { SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseOf } from '../../../../shared/api/contract.ts';
import { exchangeData } from '../../../api/sharing/network.ts';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { JsonText, formatJson } from '../../../../shared/components/json-text.tsx';
import { Section } from '../../../components/page.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { CopyIconButton, NotFoundNote } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { offerPath } from '../../../navigation.ts';
import classes from './network-page.module.css';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const texts = m.network.exchangeRecord;

type PdaRecord = NonNullable<ResponseOf<'GET /api/v2.6/owner/network/known'>['known']>;

export function ExchangeRecord() {
  const result = useQuery(exchangeData);
  const [isRaw, setIsRaw] = useState(false);
  const record = result.data?.known ?? null;
  return (
    <Section
      title={texts.title}
      aside={
        record !== null && (
          <SegmentedControl
            size="xs"
            aria-label={m.requests.sharedNow.view}
            value={isRaw ? 'json' : 'read'}
            data={[
              { value: 'read', label: m.requests.sharedNow.read },
              { value: 'json', label: m.requests.sharedNow.json },
            ]}
            onChange={(view) => setIsRaw(view === 'json')}
          />
        )
      }
    >
      <QueryBoundary query={result} rows={5} />
      {result.data !== undefined && record === null && (
        <NotFoundNote title={texts.none} text={result.data.problem ?? ''} />
      )}
      {record !== null && (
        <>
          <Text c="dimmed" mb="sm">
            {texts.text}
          </Text>
          {isRaw ? (
            <div className={classes.copyableValue}>
              <JsonText value={record} label={texts.response} />
              <CopyIconButton value={formatJson(record)} label={m.shell.copy} />
            </div>
          ) : (
            <RecordFacts record={record} />
          )}
        </>
      )}
    </Section>
  );
}

const toIso = (ms: number): string => new Date(ms).toISOString();

function RecordFacts({ record }: { record: PdaRecord }) {
  const { address, publicKey, registered, refreshed, lastSeen, reports, claims } = record;
  return (
    <FactList
      facts={[
        { term: texts.address, value: address },
        {
          term: texts.key,
          value: (
            <div className={classes.copyableValue}>
              <pre>{publicKey.trim()}</pre>
              <CopyIconButton value={publicKey} label={m.shell.copy} />
            </div>
          ),
        },
        { term: texts.registered, value: <RelativeTime at={toIso(registered)} /> },
        { term: texts.refreshed, value: <RelativeTime at={toIso(refreshed)} /> },
        { term: texts.lastSeen, value: lastSeen === null ? texts.never : <RelativeTime at={toIso(lastSeen)} /> },
        {
          term: texts.reports,
          value: (
            <>
              {texts.reportsText(reports.events)}
              {reports.last !== null && (
                <>
                  , {texts.reportsLast} <RelativeTime at={toIso(reports.last)} />
                </>
              )}
            </>
          ),
        },
        { term: texts.claims, value: <Claims claims={claims} /> },
      ]}
    />
  );
}

function Claims({ claims }: Pick<PdaRecord, 'claims'>) {
  if (claims.length === 0) return texts.noClaims;
  return (
    <ul className={classes.claims}>
      {claims.map(({ offerId, title, confirmed, dataDebitId, dateCreated }) => (
        <li key={dataDebitId}>
          <TextLink to={offerPath(offerId)}>{title}</TextLink>, {confirmed ? texts.confirmed : texts.unconfirmed}
          <small>
            <RelativeTime at={toIso(dateCreated)} />, {texts.claimKey} <code>{dataDebitId}</code>
          </small>
        </li>
      ))}
    </ul>
  );
}
