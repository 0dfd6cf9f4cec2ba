import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { namespaceOf } from '../../../../../server/wire/display-name.ts';
import type { OwnerApplication } from '../../../../shared/api/contract.ts';
import { endpoints } from '../../../api/queries.ts';
import { NO_CHOICES, excludesEverything, narrowingOf } from '../../../consent/choices.ts';
import { type Fact, FactList } from '../../../../shared/components/fact-list.tsx';
import { ExternalLink, hostOf } from '../../../../shared/components/external-link.tsx';
import { plainBundle } from '../../../../shared/consent/bundle-text.ts';
import { SharedData } from '../../../consent/shared-data.tsx';
import { Section } from '../../../components/page.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { applicationPreview } from '../../login/queries.ts';
import { AllowApplication } from './allow-application.tsx';
import { RightsList } from './rights-list.tsx';
import { describeRights } from './rights.ts';
import { useDataNames } from '../../../consent/use-data-names.ts';

const texts = m.applications.setup;

interface ConsentFormProps {
  application: OwnerApplication;
  hasChanged: boolean;
}

export function ConsentForm({ application, hasChanged }: ConsentFormProps) {
  const { asks, asksData, edition, item } = application;
  const { id, info } = item.application;
  const [choices, setChoices] = useState(NO_CHOICES);
  const names = useDataNames();
  const properties = useMemo(() => (asksData === null ? [] : plainBundle(asksData.bundle, names)), [asksData, names]);
  const source = useMemo(() => applicationPreview(id, edition), [id, edition]);
  const rights = describeRights(asks);
  const requestsNothing = rights.length === 0 && properties.length === 0;
  return (
    <>
      <FactList facts={factsOf(application)} />
      <Box mt="xl">
        <Section title={texts.rights}>
          {rights.length === 0 && (
            <Text c="dimmed">{requestsNothing ? m.applications.rights.nothing : texts.noRights}</Text>
          )}
          <RightsList rights={rights} other={asks.other} />
        </Section>
      </Box>
      {properties.length > 0 ? (
        <SharedData properties={properties} source={source} choices={choices} change={setChoices} />
      ) : (
        <InaccessibleData application={application} />
      )}
      <AllowApplication
        application={application}
        allowLabel={requestsNothing ? m.applications.setup.action(info.name) : texts.allow(info.name)}
        narrowing={narrowingOf(properties, choices)}
        blockedReason={excludesEverything(properties, choices) ? texts.everythingExcluded : undefined}
        hasChanged={hasChanged}
        doneTitle={texts.done(info.name)}
        cancelLabel={m.shell.notNow}
      />
    </>
  );
}

function InaccessibleData({ application: { asks } }: { application: OwnerApplication }) {
  const summaries = useQuery(endpoints).data;
  if (summaries === undefined || asks.actsAsOwner) return null;
  const uncoveredEndpoints = summaries.filter(({ endpoint }) => !asks.read.includes(namespaceOf(endpoint)));
  const records = uncoveredEndpoints.reduce((sum, summary) => sum + summary.records, 0);
  return (
    <Box mt="xl">
      <Section title={texts.privateData}>
        <Text>
          {uncoveredEndpoints.length === 0
            ? texts.privateDataNone
            : texts.privateDataText(uncoveredEndpoints.length, records)}
        </Text>
      </Section>
    </Box>
  );
}

function factsOf({ item }: OwnerApplication): Fact[] {
  const { info, developer, kind } = item.application;
  const terms = info.termsUrl ?? '';
  const privacy = info.privacyPolicyUrl ?? '';
  const requesterNames = [developer?.name ?? '', hostOf(kind.url) ?? ''].filter((text) => text !== '');
  return [
    ...(requesterNames.length === 0
      ? []
      : [
          {
            term: texts.requester,
            value: (
              <>
                <UntrustedText>{developer?.name ?? ''}</UntrustedText>{' '}
                {hostOf(kind.url) !== undefined && <ExternalLink url={kind.url} />}
              </>
            ),
          },
        ]),
    { term: texts.purpose, value: (info.dataUsePurpose ?? '') === '' ? texts.noPurpose : info.dataUsePurpose },
    { term: texts.until, value: texts.untilText, emphasised: true },
    { term: texts.thenTerm, value: texts.thenText },
    {
      term: m.requests.page.terms,
      value: hostOf(terms) === undefined ? texts.noTerms : <ExternalLink url={terms} />,
    },
    ...(hostOf(privacy) === undefined
      ? []
      : [{ term: m.applications.about.privacy, value: <ExternalLink url={privacy} /> }]),
    { term: texts.versionTerm, value: info.version },
  ];
}
