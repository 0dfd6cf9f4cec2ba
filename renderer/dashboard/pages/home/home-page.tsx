import { Anchor, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconClockHour4 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { EndpointSummary } from '../../../shared/api/contract.ts';
import { debits } from '../../api/sharing/debits.ts';
import { functions } from '../../api/functions/queries.ts';
import { useConnected } from '../../api/live.ts';
import { activity, endpoints, imports } from '../../api/queries.ts';
import { Callout, Callouts } from '../../../shared/components/callout.tsx';
import { Page, Section } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { bytes, dayShort, exactTime, number } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { EXPOSURE_PATH, endpointPath } from '../../navigation.ts';
import { bySource, totals } from '../data/endpoints/sources.ts';
import { useAccessNeeds } from './attention/access.ts';
import { BackupLine, useBackupNeeds } from './attention/backup.tsx';
import { CameIn } from './incoming-chart.tsx';
import { useExposure } from './attention/exposure.ts';
import { ExampleHere } from './example-notice.tsx';
import { FirstSteps } from './first-steps.tsx';
import { functionNeeds } from './attention/functions.ts';
import { useNetworkNeeds } from './attention/network.ts';
import { useSecondFactorNeeds } from './attention/second-factor.ts';
import { type Need, importNeeds, renewalNeeds, requestNeeds } from './attention/items.ts';
import classes from './home-page.module.css';
import { LeadLink } from './lead-link.tsx';
import { StillToDo } from './setup-checklist.tsx';
import { WentOut } from './outgoing-chart.tsx';
import { WhoSees } from './access-summary.tsx';

const words = m.home;
const DAYS = 30;
const SOURCES_SHOWN = 6;

/** Is all well, does anyone want something, who can see what? Then what is here, came in and went out. */
export function HomePage() {
  const held = useQuery(endpoints);
  const days = useQuery(activity(DAYS));
  const jobs = useQuery(imports);
  const connected = useConnected();
  const asked = useQuery(debits);
  const access = useAccessNeeds();
  const joined = useNetworkNeeds();
  const outside = useExposure();
  const guarded = useSecondFactorNeeds();
  const backups = useBackupNeeds();
  const computing = functionNeeds(useQuery(functions).data ?? []);
  const needs = [
    ...requestNeeds(asked.data ?? []),
    ...renewalNeeds(asked.data ?? []),
    ...access,
    ...guarded,
    ...outside.needs,
    ...backups,
    ...joined,
    ...computing,
    ...importNeeds(jobs.data ?? []),
  ];

  return (
    <Page
      title={<Heading connected={connected} needs={needs.reduce((sum, need) => sum + (need.count ?? 1), 0)} />}
      windowTitle={words.pageTitle}
      lead={
        <>
          {outside.line !== undefined && <LeadLink to={EXPOSURE_PATH}>{outside.line}</LeadLink>}
          <br />
          <BackupLine />
        </>
      }
    >
      {needs.length > 0 && <Needs needs={needs} />}
      <ExampleHere />
      {held.isError && <LoadError error={held.error} retry={() => void held.refetch()} />}
      {held.isPending && <LoadingSkeleton rows={6} height={28} />}
      {held.data !== undefined && held.data.length === 0 && <FirstSteps />}
      {held.data !== undefined && held.data.length > 0 && (
        <>
          <WhoSees />
          <Figures held={held.data} />
          {days.data !== undefined && <CameIn days={days.data} />}
          <WentOut />
          <Sources held={held.data} />
        </>
      )}
      {held.data !== undefined && <StillToDo />}
    </Page>
  );
}

function Heading({ connected, needs }: { connected: boolean; needs: number }) {
  if (!connected) {
    return (
      <span className={classes.heading} data-state="fault">
        <IconAlertTriangle size={26} stroke={1.5} aria-hidden="true" /> {words.unreachable}
      </span>
    );
  }
  if (needs > 0) {
    return (
      <span className={classes.heading} data-state="needs">
        <IconClockHour4 size={26} stroke={1.5} aria-hidden="true" />{' '}
        {needs === 1 ? words.attention : words.attentionMany(needs)}
      </span>
    );
  }
  return (
    <span className={classes.heading} data-state="well">
      <IconCircleCheck size={26} stroke={1.5} aria-hidden="true" /> {words.well}
    </span>
  );
}

function Needs({ needs }: { needs: readonly Need[] }) {
  return (
    <Callouts>
      {needs.map((need) => (
        <li key={need.id}>
          <Callout
            tone={need.fault ? 'error' : 'attention'}
            title={need.title}
            action={
              <Anchor
                component={Link}
                to={need.to}
                size="sm"
                aria-label={`${need.action ?? words.look}: ${need.title}`}
              >
                {need.action ?? words.look}
              </Anchor>
            }
          >
            {need.text === '' ? undefined : need.text}
          </Callout>
        </li>
      ))}
    </Callouts>
  );
}

function Figures({ held }: { held: readonly EndpointSummary[] }) {
  const all = totals(held);
  const figures = [
    { label: words.figures.records, value: number(all.records) },
    { label: words.figures.sources, value: number(bySource(held).length) },
    { label: words.figures.size, value: bytes(all.bytes) },
    ...(all.since === null
      ? []
      : [{ label: words.figures.since, value: dayShort(all.since), hover: exactTime(all.since) }]),
  ];
  return (
    <dl className={classes.figures}>
      {figures.map((figure) => (
        <div key={figure.label}>
          <dt>{figure.label}</dt>
          <dd title={'hover' in figure ? figure.hover : undefined}>{figure.value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Sources({ held }: { held: readonly EndpointSummary[] }) {
  const sources = bySource(held).toSorted((a, b) => ((a.lastChange ?? '') < (b.lastChange ?? '') ? 1 : -1));
  const most = Math.max(1, ...sources.map((source) => source.bytes));
  const rest = sources.length - SOURCES_SHOWN;
  return (
    <Section
      title={words.sources.title}
      aside={
        <Anchor component={Link} to="/data" size="sm">
          {words.sources.all}
        </Anchor>
      }
    >
      <ul className={classes.sources}>
        {sources.slice(0, SOURCES_SHOWN).map((source) => {
          const only = source.endpoints.length === 1 ? source.endpoints[0] : undefined;
          const to =
            only === undefined ? `/data?find=${encodeURIComponent(`${source.name}/`)}` : endpointPath(only.endpoint);
          return (
            <li key={source.name}>
              <Link to={to} className={classes.source}>
                <span className={classes.sourceName}>
                  {source.name}
                  <small>{only === undefined ? words.sources.endpoints(source.endpoints.length) : only.endpoint}</small>
                </span>
                <span className={classes.amount}>{m.data.records(source.records)}</span>
                <span className={classes.size}>
                  {bytes(source.bytes)}
                  <i style={{ inlineSize: `${Math.max(2, (source.bytes / most) * 100)}%` }} aria-hidden="true" />
                </span>
                <span className={classes.changed}>
                  {source.lastChange !== null && <RelativeTime at={source.lastChange} />}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      {rest > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {words.sources.more(rest)}
        </Text>
      )}
    </Section>
  );
}
