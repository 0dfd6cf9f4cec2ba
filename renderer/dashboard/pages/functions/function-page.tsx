import { ForeignText } from '../../../shared/components/foreign-text.tsx';
import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useParams } from 'react-router';
import type { OwnerFunction } from '../../../shared/api/contract.ts';
import { functionById, latestRuns } from '../../api/functions/queries.ts';
import { NO_CHOICES } from '../../consent/choices.ts';
import { type Fact, FactList } from '../../../shared/components/fact-list.tsx';
import { Logo } from '../../../shared/components/logo.tsx';
import { ExternalLink, hostOf } from '../../../shared/components/external-link.tsx';
import { ScopeChoice } from '../../consent/scope-choice.tsx';
import { TechnicalDetails } from '../../../shared/consent/technical-details.tsx';
import { Page, Section } from '../../components/page.tsx';
import { LoadError } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { bytes } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath, functionPath, runPath } from '../../navigation.ts';
import { Actions } from './actions.tsx';
import classes from './function-page.module.css';
import { InstallingNow } from './installation/install-progress.tsx';
import { NextRun } from './status/next-run.tsx';
import { MissingFunction, functionCrumbs } from './missing-function.tsx';
import { FunctionNotice } from './status/notice.tsx';
import { Paused } from './status/pause-banner.tsx';
import { triggerText } from './trigger-text.ts';
import { RunOutcome, RunsTable } from './runs/runs-table.tsx';
import { FunctionBadge } from './status/badge.tsx';
import { isOn } from './status/state.ts';
import { bundleOf, capital, nameOf, plainReads, readsText } from './function-text.ts';

const words = m.functions;
const LATEST = 5;

/** One function: what it reads and stores, within which limits, what it did. */
export function FunctionPage() {
  const { id = '' } = useParams();
  const found = useQuery(functionById(id));
  if (found.data !== undefined) return <Loaded key={id} one={found.data} />;
  return <MissingFunction error={found.error} retry={() => void found.refetch()} />;
}

function Loaded({ one }: { one: OwnerFunction }) {
  const { id, configuration } = one;
  const name = nameOf(one);
  return (
    <Page
      title={name}
      windowTitle={name}
      crumbs={functionCrumbs}
      picture={<Logo url={configuration?.info.graphics?.logo?.normal ?? ''} name={name} size={56} />}
      lead={
        <span className={classes.lead}>
          <span>
            <ForeignText>{configuration?.info.headline ?? ''}</ForeignText>
          </span>
          <span className={classes.facts}>
            <FunctionBadge one={one} />
            <span>
              {words.facts.version} {one.version}
            </span>
            {configuration?.developer != null && <span>{m.applications.by(configuration.developer.name)}</span>}
          </span>
        </span>
      }
      actions={
        one.registered && (
          <div className={classes.actions}>
            <Actions one={one} />
          </div>
        )
      }
    >
      <InstallingNow />
      <Paused />
      <FunctionNotice one={one} />
      <Section title={words.facts.title}>
        <FactList facts={factsOf(one)} />
      </Section>
      <Latest id={id} />
      <Reads one={one} />
      <About one={one} />
      <TechnicalDetails
        terms={[
          { term: words.technical.id, value: id },
          { term: words.technical.bundle, value: bundleOf(one)?.name },
          { term: words.technical.size, value: one.package === null ? undefined : bytes(one.package.bytes) },
          { term: words.technical.sha256, value: one.package?.sha256 },
        ]}
        json={configuration}
        words={words.technical}
      />
    </Page>
  );
}

function factsOf(one: OwnerFunction): (Fact | false)[] {
  const { configuration, place, limits, reads, writes, lastRun, approved, registered } = one;
  const said = words.facts;
  const bundle = bundleOf(one);
  const on = isOn(one);
  return [
    configuration !== null && { term: said.when, value: triggerText(configuration.trigger) },
    bundle !== undefined && {
      term: said.reads,
      value: `${capital(readsText(bundle))}. ${reads === 'all' ? said.readsAll : said.readsNew}`,
    },
    {
      term: said.writes,
      value: (
        <>
          <Anchor component={Link} to={endpointPath(writes)} size="sm" underline="always">
            {writes}
          </Anchor>{' '}
          {said.writesOnly}
        </>
      ),
    },
    {
      term: said.where,
      value: place.kind === 'here' ? said.here : said.elsewhere(place.host),
      emphasised: place.kind === 'elsewhere',
    },
    {
      term: said.limits,
      value:
        limits.memoryMb === null
          ? said.limitsElsewhere(limits.timeoutMs)
          : said.limitsHere(limits.memoryMb, limits.timeoutMs),
    },
    {
      term: said.last,
      value:
        lastRun === null ? (
          words.line.never
        ) : (
          <span className={classes.last}>
            <Anchor component={Link} to={runPath(lastRun.functionId, lastRun.runId)} size="sm">
              <RelativeTime at={lastRun.started} />
            </Anchor>
            <RunOutcome run={lastRun} />
          </span>
        ),
    },
    registered && { term: said.next, value: <NextRun one={one} /> },
    on &&
      approved !== null && {
        term: said.allowed,
        value: (
          <>
            <RelativeTime at={approved.time} />, {said.allowedVersion(approved.version)}
          </>
        ),
      },
  ];
}

/** Field by field. What was allowed, once it was; no run gets more. */
function Reads({ one }: { one: OwnerFunction }) {
  const { reads } = one;
  const on = isOn(one);
  const bundle = bundleOf(one);
  const properties = useMemo(() => (bundle === undefined ? [] : plainReads(bundle, reads)), [bundle, reads]);
  return (
    <Section title={on ? words.scope.title : words.scope.titleAsked}>
      {(on || bundle === undefined) && (
        <Text size="sm" c="dimmed" mb="md">
          {bundle === undefined ? words.scope.nothing : words.scope.approved}
        </Text>
      )}
      <div className={classes.scope}>
        <ScopeChoice properties={properties} seen={undefined} choices={NO_CHOICES} />
      </div>
    </Section>
  );
}

function Latest({ id }: { id: string }) {
  const found = useQuery(latestRuns(id, LATEST));
  return (
    <Section
      title={words.latest.title}
      aside={
        found.data !== undefined &&
        found.data.total > 0 && (
          <Anchor component={Link} to={functionPath(id, 'runs')} size="sm">
            {words.latest.all(found.data.total)}
          </Anchor>
        )
      }
    >
      {found.isError && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data !== undefined && found.data.runs.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.latest.none}
        </Text>
      )}
      {found.data !== undefined && found.data.runs.length > 0 && <RunsTable runs={found.data.runs} />}
    </Section>
  );
}

/** What its makers say of it, in plain text: their markup is not ours to run. */
function About({ one: { configuration } }: { one: OwnerFunction }) {
  if (configuration === null) return null;
  const { info, developer } = configuration;
  const site = developer?.url ?? '';
  const terms = info.termsUrl ?? '';
  const support = info.supportContact ?? '';
  const facts = [
    developer != null && {
      term: words.facts.maker,
      value: hostOf(site) === undefined ? developer.name : <ExternalLink url={site}>{developer.name}</ExternalLink>,
    },
    hostOf(terms) !== undefined && { term: words.facts.terms, value: <ExternalLink url={terms} /> },
    support !== '' && { term: words.facts.support, value: support },
  ].filter((fact) => fact !== false);
  return (
    <Section title={words.about.title}>
      {info.description.text !== '' && (
        <Text size="sm" mb="sm" className={classes.text ?? ''}>
          {info.description.text}
        </Text>
      )}
      <Text size="xs" c="dimmed" mb={facts.length > 0 ? 'md' : 0}>
        {words.about.ownWords}
      </Text>
      {facts.length > 0 && <FactList facts={facts} />}
    </Section>
  );
}
