import { Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconClockHour4 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { EndpointSummary } from '../../../shared/api/contract.ts';
import { debitsQuery } from '../../api/sharing/debits.ts';
import { functions } from '../../api/functions/queries.ts';
import { useIsConnected } from '../../api/live.ts';
import { activity, endpoints, imports } from '../../api/queries.ts';
import { Callout, Callouts } from '../../../shared/components/callout.tsx';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Page, Section } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { bytes, dayShort, exactTime, number } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { EXPOSURE_PATH, endpointPath } from '../../navigation.ts';
import { ChosenIcon } from '../data/endpoints/endpoint-icon.tsx';
import { groupBySource, sumEndpoints } from '../data/endpoints/sources.ts';
import { useApplicationItems, useOutboxItems } from './attention/access.ts';
import { BackupLine, useBackupItems } from './attention/backup.tsx';
import { ActivityChart } from './activity-chart.tsx';
import { useExposureStatus } from './attention/exposure.ts';
import { ExampleDataNotice } from './example-notice.tsx';
import { FirstSteps } from './first-steps.tsx';
import { functionItems } from './attention/functions.ts';
import { useContractItems, useExchangeItems } from './attention/network.ts';
import { useSecondFactorItems } from './attention/second-factor.ts';
import { importItems } from './attention/imports.ts';
import { type AttentionItem, combineItems } from './attention/attention-item.ts';
import { renewalItems, requestItems } from './attention/debits.ts';
import classes from './home-page.module.css';
import { LeadLink } from './lead-link.tsx';
import { PinnedCharts } from './pinned-charts.tsx';
import { SetupChecklist } from './setup-checklist.tsx';
import { OutgoingChart } from './outgoing-chart.tsx';
import { DismissButton } from './attention/dismiss-button.tsx';
import { AccessSummary } from './access-summary.tsx';
import { WeekSummary } from './week-summary.tsx';
import { useDataNames } from '../../consent/use-data-names.ts';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.home;
const ACTIVITY_DAYS = 30;
const MAX_LISTED_SOURCES = 6;

export function HomePage() {
  const summaries = useQuery(endpoints);
  const days = useQuery(activity(ACTIVITY_DAYS));
  const jobs = useQuery(imports);
  const isConnected = useIsConnected();
  const dataDebits = useQuery(debitsQuery);
  const dataNames = useDataNames();
  const applicationItems = useApplicationItems();
  const outboxItems = useOutboxItems();
  const exchangeItems = useExchangeItems();
  const contractItems = useContractItems();
  const exposureStatus = useExposureStatus();
  const secondFactorItems = useSecondFactorItems();
  const backupItems = useBackupItems();
  const ownerFunctions = useQuery(functions).data;
  const { items, total, isComplete } = combineItems([
    dataDebits.data && requestItems(dataDebits.data, dataNames),
    dataDebits.data && renewalItems(dataDebits.data),
    applicationItems,
    outboxItems,
    secondFactorItems,
    exposureStatus.items,
    backupItems,
    exchangeItems,
    contractItems,
    ownerFunctions && functionItems(ownerFunctions),
    jobs.data && importItems(jobs.data),
  ]);

  return (
    <Page
      title={<Heading isConnected={isConnected} count={total} isComplete={isComplete} />}
      windowTitle={texts.pageTitle}
      lead={
        <>
          {exposureStatus.statusLine !== undefined && (
            <LeadLink to={EXPOSURE_PATH}>{exposureStatus.statusLine}</LeadLink>
          )}
          <br />
          <BackupLine />
        </>
      }
    >
      {items.length > 0 && <AttentionList items={items} />}
      <ExampleDataNotice />
      {summaries.isError && <LoadError error={summaries.error} retry={() => void summaries.refetch()} />}
      {summaries.isPending && <LoadingSkeleton rows={6} height={28} />}
      {summaries.data !== undefined && (
        <>
          <WeekSummary />
          <AccessSummary hasRecords={summaries.data.length > 0} />
        </>
      )}
      {summaries.data !== undefined && summaries.data.length === 0 && <FirstSteps />}
      {summaries.data !== undefined && summaries.data.length > 0 && (
        <>
          <DataFigures summaries={summaries.data} />
          <PinnedCharts summaries={summaries.data} />
          {days.data !== undefined && <ActivityChart days={days.data} />}
          <OutgoingChart />
          <Sources summaries={summaries.data} />
        </>
      )}
      {summaries.data !== undefined && <SetupChecklist />}
    </Page>
  );
}

/** @param props `isComplete`: false until everything that may need attention has loaded */
function Heading({ isConnected, count, isComplete }: { isConnected: boolean; count: number; isComplete: boolean }) {
  if (isConnected && count === 0 && !isComplete) return texts.pageTitle;
  const attentionText = count === 1 ? texts.attention : texts.attentionMany(count);
  const [state, HeadingIcon, text] = isConnected
    ? count > 0
      ? ['attention', IconClockHour4, attentionText]
      : ['ok', IconCircleCheck, texts.ok]
    : ['error', IconAlertTriangle, texts.unreachable];
  return (
    <span className={classes.heading} data-state={state}>
      <HeadingIcon size={26} stroke={1.5} aria-hidden="true" /> {text}
    </span>
  );
}

function AttentionList({ items }: { items: readonly AttentionItem[] }) {
  return (
    <Callouts>
      {items.map((item) => (
        <li key={item.id}>
          <Callout
            tone={item.isError ? 'error' : 'attention'}
            title={item.title}
            action={
              <Group gap="md">
                {item.dismissibleImport !== undefined && (
                  <DismissButton importId={item.dismissibleImport} title={item.title} />
                )}
                <TextLink to={item.to} aria-label={`${item.action ?? texts.view}: ${item.title}`}>
                  {item.action ?? texts.view}
                </TextLink>
              </Group>
            }
          >
            {item.text === '' ? undefined : item.text}
          </Callout>
        </li>
      ))}
    </Callouts>
  );
}

function DataFigures({ summaries }: { summaries: readonly EndpointSummary[] }) {
  const totals = sumEndpoints(summaries);
  const figures = [
    { label: texts.figures.records, value: number(totals.records) },
    { label: texts.figures.sources, value: number(groupBySource(summaries).length) },
    { label: texts.figures.size, value: bytes(totals.bytes) },
    ...(totals.since === null
      ? []
      : [{ label: texts.figures.since, value: dayShort(totals.since), tooltip: exactTime(totals.since) }]),
  ];
  return (
    <dl className={classes.figures}>
      {figures.map((figure) => (
        <div key={figure.label}>
          <dt>{figure.label}</dt>
          <dd title={'tooltip' in figure ? figure.tooltip : undefined}>{figure.value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Sources({ summaries }: { summaries: readonly EndpointSummary[] }) {
  const sources = groupBySource(summaries).toSorted((a, b) => ((a.lastChange ?? '') < (b.lastChange ?? '') ? 1 : -1));
  const largestSize = Math.max(1, ...sources.map((source) => source.bytes));
  const hiddenCount = sources.length - MAX_LISTED_SOURCES;
  return (
    <Section title={texts.sources.title} aside={<TextLink to="/data">{texts.sources.all}</TextLink>}>
      <ul className={classes.sources}>
        {sources.slice(0, MAX_LISTED_SOURCES).map((source) => {
          const onlyEndpoint = source.endpoints.length === 1 ? source.endpoints[0] : undefined;
          const to =
            onlyEndpoint === undefined
              ? `/data?find=${encodeURIComponent(`${source.namespace}/`)}`
              : endpointPath(onlyEndpoint.endpoint);
          return (
            <li key={source.namespace}>
              <Link to={to} className={classes.source}>
                <span className={classes.sourceName}>
                  <span>
                    <ChosenIcon icon={source.display.icon} colour={source.display.colour} />{' '}
                    <UntrustedText>{source.title}</UntrustedText>
                  </span>
                  <small>
                    {source.title !== source.namespace && onlyEndpoint === undefined && `${source.namespace} · `}
                    {onlyEndpoint === undefined
                      ? texts.sources.endpoints(source.endpoints.length)
                      : onlyEndpoint.endpoint}
                  </small>
                </span>
                <span className={classes.amount}>{m.data.records(source.records)}</span>
                <span className={classes.size}>
                  {bytes(source.bytes)}
                  <i style={{ inlineSize: `${Math.max(2, (source.bytes / largestSize) * 100)}%` }} aria-hidden="true" />
                </span>
                <span className={classes.lastChange}>
                  {source.lastChange !== null && <RelativeTime at={source.lastChange} />}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      {hiddenCount > 0 && (
        <Text c="dimmed" mt="sm">
          {texts.sources.more(hiddenCount)}
        </Text>
      )}
    </Section>
  );
}
