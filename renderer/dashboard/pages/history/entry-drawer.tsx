import { entryKind, isOtherPrincipal } from '../../../../server/wire/access-kinds.ts';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { Anchor, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { accessLogRecords, accessLogEntry } from '../../api/sharing/access.ts';
import type { LedgerRow } from '../../../shared/api/contract.ts';
import { type Fact, FactList } from '../../../shared/components/fact-list.tsx';
import { SideDrawer, stepTo } from '../../../shared/overlay/side-drawer.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { LoadError, LoadingSkeleton, NotFoundNote } from '../../../shared/feedback/states.tsx';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath, endpointPath, filesPath, historyPath, recordPath, sharingPath } from '../../navigation.ts';
import { ChosenEndpointIcon } from '../data/endpoints/endpoint-icon.tsx';
import { useDebitName, useEntryNames } from './use-names.ts';
import classes from './entry-drawer.module.css';
import { fileSource, reasonText, entrySentence } from './entry-text.ts';
import parts from '../../../shared/overlay/drawer-parts.module.css';
import lists from '../../../shared/components/lists.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.history.row;

interface EntryDrawerProps {
  id: number | undefined;
  /** Undefined if the entry is not in the list or is part of a group. The drawer then loads it. */
  loadedRow: LedgerRow | undefined;
  /** Nearest entry above this one that is not part of a group. */
  previous: LedgerRow | undefined;
  /** Nearest entry below this one that is not part of a group. */
  next: LedgerRow | undefined;
  open: (id: number) => void;
  close: () => void;
}

export function EntryDrawer({ id, loadedRow, previous, next, open, close }: EntryDrawerProps) {
  return (
    <SideDrawer
      opened={id !== undefined}
      close={close}
      title={texts.title}
      steps={{
        previous: stepTo(texts.previous, previous, (row) => open(row.id)),
        next: stepTo(texts.next, next, (row) => open(row.id)),
      }}
    >
      {id !== undefined && <Content key={id} id={id} loadedRow={loadedRow} />}
    </SideDrawer>
  );
}

function Content({ id, loadedRow }: { id: number; loadedRow: LedgerRow | undefined }) {
  const result = useQuery({ ...accessLogEntry(id), enabled: loadedRow === undefined });
  const row = loadedRow ?? result.data;
  if (row === undefined) {
    return result.isError ? (
      <LoadError error={result.error} retry={() => void result.refetch()} />
    ) : (
      <LoadingSkeleton rows={8} />
    );
  }
  if (row === null) return <NotFoundNote title={texts.notFound} text={texts.notFoundText} />;
  return <Entry row={row} />;
}

function Entry({ row }: { row: LedgerRow }) {
  const names = useEntryNames();
  return (
    <>
      <Text size="md" fw={500} mb="md" className={classes.sentence ?? ''}>
        {entrySentence(row, names).text}.
      </Text>
      <FactList facts={factsOf(row)} />
      <Records row={row} />
      <FilterLinks row={row} />
    </>
  );
}

function plannedTime({ action, consent }: LedgerRow): string | undefined {
  const isResumption = entryKind(action) === 'debit-resumed';
  return isResumption && !Number.isNaN(Date.parse(consent?.detail ?? '')) ? consent?.detail : undefined;
}

function isFileEntry({ endpoints }: LedgerRow): boolean {
  return endpoints.some((endpoint) => fileSource(endpoint) !== undefined);
}

function factsOf(row: LedgerRow): (Fact | false)[] {
  const isRefused = row.outcome === 'refused';
  const plannedEnd = plannedTime(row);
  return [
    { term: texts.when, value: <RelativeTime at={row.time} /> },
    plannedEnd !== undefined && { term: texts.planned, value: <RelativeTime at={plannedEnd} /> },
    {
      term: texts.outcome,
      value: isRefused ? texts.refused(row.status, reasonText(row.reason)) : texts.allowed(row.status),
    },
    row.count > 1 && { term: texts.times, value: texts.timesText(row.count) },
    row.last !== null && { term: texts.last, value: <RelativeTime at={row.last} /> },
    row.who.kind !== 'owner' &&
      !((isRefused || isFileEntry(row) || row.who.kind === 'user') && row.consent === null) && {
        term: m.history.filter.consent,
        value: <ConsentLink row={row} />,
      },
    row.endpoints.length > 0 && {
      term: texts.endpoints,
      value: (
        <ul className={lists.plainList}>
          {row.endpoints.map((endpoint) => (
            <li key={endpoint}>
              <ChosenEndpointIcon endpoint={endpoint} /> <EndpointLink endpoint={endpoint} />
            </li>
          ))}
        </ul>
      ),
    },
    row.records > 0 &&
      !isFileEntry(row) &&
      row.action.startsWith('GET ') && { term: texts.fields, value: row.fields?.join(', ') ?? texts.entire },
    isOtherPrincipal(row.who.kind) &&
      !isRefused && { term: texts.bytes, value: row.bytes === null ? texts.underWay : texts.bytesOf(row.bytes) },
    row.address !== '' && { term: texts.address, value: <code className={classes.code}>{row.address}</code> },
    { term: texts.request, value: <code className={classes.code}>{row.action}</code> },
  ];
}

function EndpointLink({ endpoint }: { endpoint: string }) {
  const source = fileSource(endpoint);
  return (
    <TextLink to={source === undefined ? endpointPath(endpoint) : filesPath({ source })}>
      {source === undefined ? endpoint : texts.filesOf(source)}
    </TextLink>
  );
}

function ConsentLink({ row: { consent } }: { row: LedgerRow }) {
  const { applicationName, contractName, functionName } = useEntryNames();
  const debitName = useDebitName();
  if (consent === null) return texts.noConsent;
  if (consent.kind === 'contract') return m.history.filter.chip.contract(contractName(consent.name));
  if (consent.kind === 'function') return texts.consentFunction(functionName(consent.name), consent.detail);
  if (consent.kind === 'user' || consent.kind === 'folder') return consent.detail;
  if (consent.kind === 'collection') return consent.detail === '' ? consent.name : consent.detail;
  if (consent.kind === 'table' || consent.kind === 'chart')
    return texts.consentView(isolateText(consent.name), isolateText(consent.detail));
  if (consent.kind === 'link') return texts.consentLink(consent.detail);
  const isDebit = consent.kind === 'debit';
  return (
    <TextLink to={isDebit ? sharingPath(consent.name) : applicationPath(consent.name)}>
      {isDebit
        ? m.history.filter.chip.debit(debitName(consent.name))
        : texts.consentApplication(applicationName(consent.name), consent.detail)}
    </TextLink>
  );
}

const INITIAL_RECORDS = 20;
const RECORDS_STEP = 200;
const MAX_RECORDS = 1000;

function Records({ row }: { row: LedgerRow }) {
  const [requestedCount, setRequestedCount] = useState(INITIAL_RECORDS);
  const result = useQuery({
    ...accessLogRecords(row.id, requestedCount),
    enabled: row.records > 0,
    placeholderData: keepPreviousData,
  });
  if (row.records === 0) return null;
  const { total = row.records, records = [] } = result.data ?? {};
  const nextCount = Math.min(RECORDS_STEP, total - records.length, MAX_RECORDS - records.length);
  return (
    <section className={parts.section}>
      <h3>
        {isFileEntry(row) ? texts.files : texts.records}{' '}
        <small>{isFileEntry(row) ? texts.filesCount(total) : texts.recordsOf(total)}</small>
      </h3>
      <QueryBoundary query={result} rows={5} />
      <ul className={classes.ids}>
        {records.map(({ recordId, endpoint, exists, file }) => (
          <li key={recordId}>
            {file !== null ? (
              <TextLink to={filesPath({ file: file.fileId })}>
                <UntrustedText>{file.name}</UntrustedText>
              </TextLink>
            ) : exists ? (
              <TextLink to={recordPath(recordId)}>
                <code>{recordId}</code>
              </TextLink>
            ) : (
              <code>{recordId}</code>
            )}
            {file === null && <span>{exists ? endpoint : texts.recordGone}</span>}
          </li>
        ))}
      </ul>
      {nextCount > 0 && records.length > 0 && (
        <Anchor
          component="button"
          type="button"
          onClick={() => setRequestedCount(Math.min(MAX_RECORDS, requestedCount + RECORDS_STEP))}
          disabled={result.isFetching}
        >
          {texts.recordMore(nextCount)}
        </Anchor>
      )}
    </section>
  );
}

function FilterLinks({ row }: { row: LedgerRow }) {
  const { applicationName } = useEntryNames();
  const links = [
    ...(row.who.kind === 'application'
      ? [
          {
            label: texts.onlyApplication(applicationName(row.who.name)),
            to: historyPath({ application: row.who.name }),
          },
        ]
      : []),
    ...(row.who.kind === 'user'
      ? [{ label: texts.onlyPerson(row.who.person ?? ''), to: historyPath({ user: row.who.name }) }]
      : []),
    ...(row.consent?.kind === 'debit'
      ? [{ label: texts.onlyDebit, to: historyPath({ debit: row.consent.name }) }]
      : []),
    ...(row.consent?.kind === 'link' ? [{ label: texts.onlyLink, to: historyPath({ link: row.consent.name }) }] : []),
  ];
  if (links.length === 0) return null;
  return (
    <section className={classes.links}>
      <h3>{texts.onlyThis}</h3>
      {links.map(({ label, to }) => (
        <TextLink key={to} to={to}>
          {label}
        </TextLink>
      ))}
    </section>
  );
}
