import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Box, Flex, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { OwnerFunction } from '../../../shared/api/contract.ts';
import { latestRuns } from '../../api/functions/queries.ts';
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
import { type DataNames, toSentenceCase } from '../../../shared/components/display-names.ts';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath, functionPath, runPath } from '../../navigation.ts';
import { FunctionActions } from './actions.tsx';
import classes from './function-page.module.css';
import { InstallProgress } from './installation/install-progress.tsx';
import { NextRun } from './status/next-run.tsx';
import { FunctionLoader, functionCrumbs } from './function-loader.tsx';
import { FunctionNotice } from './status/notice.tsx';
import { PauseBanner } from './status/pause-banner.tsx';
import { triggerText } from './trigger-text.ts';
import { RunOutcome, RunsTable } from './runs/runs-table.tsx';
import { FunctionBadge } from './status/badge.tsx';
import { isOn } from './status/state.ts';
import { bundleOf, limitsText, nameOf, describeReads, readsText } from './function-text.ts';
import { useDataNames } from '../../consent/use-data-names.ts';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.functions;
const LATEST_RUN_COUNT = 5;

export function FunctionPage() {
  return (
    <FunctionLoader>
      {(ownerFunction) => <FunctionContent key={ownerFunction.id} ownerFunction={ownerFunction} />}
    </FunctionLoader>
  );
}

function FunctionContent({ ownerFunction }: { ownerFunction: OwnerFunction }) {
  const { id, configuration } = ownerFunction;
  const name = nameOf(ownerFunction);
  const names = useDataNames();
  return (
    <Page
      title={name}
      crumbs={functionCrumbs}
      picture={<Logo url={configuration?.info.graphics?.logo?.normal ?? ''} name={name} size={56} />}
      lead={
        <Stack gap="xs">
          <span>
            <UntrustedText>{configuration?.info.headline ?? ''}</UntrustedText>
          </span>
          <Group gap="0.125rem 1.25rem">
            <FunctionBadge ownerFunction={ownerFunction} />
            <span>
              {texts.facts.version} {ownerFunction.version}
            </span>
            {configuration?.developer != null && <span>{m.applications.by(configuration.developer.name)}</span>}
          </Group>
        </Stack>
      }
      actions={
        ownerFunction.registered && (
          <div className={classes.actions}>
            <FunctionActions ownerFunction={ownerFunction} />
          </div>
        )
      }
    >
      <InstallProgress />
      <PauseBanner />
      <FunctionNotice ownerFunction={ownerFunction} />
      <Section title={texts.facts.title}>
        <FactList facts={factsOf(ownerFunction, names)} />
      </Section>
      <LatestRuns id={id} isEnabled={isOn(ownerFunction)} />
      <FunctionData ownerFunction={ownerFunction} />
      <AboutFunction ownerFunction={ownerFunction} />
      <TechnicalDetails
        terms={[
          { term: texts.technical.id, value: id },
          { term: texts.technical.bundle, value: bundleOf(ownerFunction)?.name },
          {
            term: texts.technical.size,
            value: ownerFunction.package === null ? undefined : bytes(ownerFunction.package.bytes),
          },
          { term: texts.technical.sha256, value: ownerFunction.package?.sha256 },
        ]}
        json={configuration}
        texts={texts.technical}
      />
    </Page>
  );
}

function factsOf(ownerFunction: OwnerFunction, names: DataNames): (Fact | false)[] {
  const { configuration, place, limits, reads, writes, lastRun, approved, registered } = ownerFunction;
  const factTexts = texts.facts;
  const bundle = bundleOf(ownerFunction);
  const isEnabled = isOn(ownerFunction);
  return [
    configuration !== null && { term: factTexts.when, value: triggerText(configuration.trigger) },
    bundle !== undefined && {
      term: factTexts.reads,
      value: `${toSentenceCase(readsText(bundle, names))}. ${reads === 'all' ? factTexts.readsAll : factTexts.readsNew}`,
    },
    {
      term: factTexts.writes,
      value: (
        <>
          <TextLink to={endpointPath(writes)} underline="always">
            {writes}
          </TextLink>{' '}
          {factTexts.writesOnly}
        </>
      ),
    },
    {
      term: factTexts.where,
      value: place.kind === 'here' ? factTexts.local : factTexts.remote(place.host),
      emphasised: place.kind === 'elsewhere',
    },
    { term: factTexts.limits, value: limitsText(limits) },
    {
      term: factTexts.last,
      value:
        lastRun === null ? (
          texts.item.never
        ) : (
          <Flex component="span" wrap="wrap" gap="0.125rem 1rem">
            <TextLink to={runPath(lastRun.functionId, lastRun.runId)}>
              <RelativeTime at={lastRun.started} />
            </TextLink>
            <RunOutcome run={lastRun} />
          </Flex>
        ),
    },
    registered && { term: factTexts.next, value: <NextRun ownerFunction={ownerFunction} /> },
    isEnabled &&
      approved !== null && {
        term: factTexts.allowed,
        value: (
          <>
            <RelativeTime at={approved.time} />, {m.applications.permissions.version(approved.version)}
          </>
        ),
      },
  ];
}

function FunctionData({ ownerFunction }: { ownerFunction: OwnerFunction }) {
  const { reads } = ownerFunction;
  const isEnabled = isOn(ownerFunction);
  const bundle = bundleOf(ownerFunction);
  const names = useDataNames();
  const properties = useMemo(
    () => (bundle === undefined ? [] : describeReads(bundle, reads, names)),
    [bundle, reads, names],
  );
  return (
    <Section title={isEnabled ? texts.scope.title : texts.scope.titleRequested}>
      {(isEnabled || bundle === undefined) && (
        <Text c="dimmed" mb="md">
          {bundle === undefined ? texts.scope.nothing : texts.scope.approved}
        </Text>
      )}
      <Box maw="44rem">
        <ScopeChoice properties={properties} preview={undefined} choices={NO_CHOICES} />
      </Box>
    </Section>
  );
}

function LatestRuns({ id, isEnabled }: { id: string; isEnabled: boolean }) {
  const query = useQuery(latestRuns(id, LATEST_RUN_COUNT));
  return (
    <Section
      title={texts.latest.title}
      aside={
        query.data !== undefined &&
        query.data.total > 0 && <TextLink to={functionPath(id, 'runs')}>{texts.latest.all(query.data.total)}</TextLink>
      }
    >
      {query.isError && <LoadError error={query.error} retry={() => void query.refetch()} />}
      {query.data !== undefined && query.data.runs.length === 0 && (
        <Text c="dimmed">{isEnabled ? texts.latest.noneOn : texts.latest.none}</Text>
      )}
      {query.data !== undefined && query.data.runs.length > 0 && <RunsTable runs={query.data.runs} />}
    </Section>
  );
}

/** Shows the texts of the developer as plain text, because third-party markup is not trusted. */
function AboutFunction({ ownerFunction: { configuration } }: { ownerFunction: OwnerFunction }) {
  if (configuration === null) return null;
  const { info, developer } = configuration;
  const site = developer?.url ?? '';
  const terms = info.termsUrl ?? '';
  const support = info.supportContact ?? '';
  const facts = [
    developer != null && {
      term: m.applications.about.maker,
      value: hostOf(site) === undefined ? developer.name : <ExternalLink url={site}>{developer.name}</ExternalLink>,
    },
    hostOf(terms) !== undefined && { term: m.requests.page.terms, value: <ExternalLink url={terms} /> },
    support !== '' && { term: m.applications.about.support, value: support },
  ].filter((fact) => fact !== false);
  return (
    <Section title={texts.about.title}>
      {info.description.text !== '' && (
        <Text mb="sm" className={classes.text ?? ''}>
          {info.description.text}
        </Text>
      )}
      <Text size="xs" c="dimmed" mb={facts.length > 0 ? 'md' : 0}>
        {texts.about.developerText}
      </Text>
      {facts.length > 0 && <FactList facts={facts} />}
    </Section>
  );
}
