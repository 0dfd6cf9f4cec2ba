import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Flex, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { namespaceOf } from '../../../../server/wire/display-name.ts';
import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { endpoints } from '../../api/queries.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { ExternalLink, hostOf } from '../../../shared/components/external-link.tsx';
import { endpointsOf } from '../../../shared/consent/bundle-text.ts';
import { m } from '../../../shared/messages/texts.ts';
import type { ApplicationChanges as Changes } from '../applications/consent/differences.ts';
import { RightsList } from '../applications/consent/rights-list.tsx';
import { describeRights } from '../applications/consent/rights.ts';
import { ChangeList } from '../requests/change-list.tsx';
import classes from './consent.module.css';
import frame from './login.module.css';
import { isUnencrypted, accessPeriodText } from './login-text.ts';

const texts = m.login.consent;

export function RequestSummary({ application, redirect }: { application: OwnerApplication; redirect: string }) {
  const { info, developer, kind } = application.item.application;
  const site = hostOf(kind.url) === undefined ? (developer?.url ?? '') : kind.url;
  const purpose = info.dataUsePurpose ?? '';
  return (
    <>
      <FactList
        facts={[
          { term: m.requests.page.purpose, value: purpose === '' ? info.headline : purpose },
          {
            term: m.applications.about.maker,
            value: (
              <Flex component="span" wrap="wrap" align="baseline" gap="0.125rem 1rem">
                <UntrustedText>{developer?.name ?? info.name}</UntrustedText>
                <ExternalLink url={site} />
                <span className={classes.secondaryText}>{m.applications.permissions.version(info.version)}</span>
              </Flex>
            ),
          },
          {
            term: m.requests.page.terms,
            value: (
              <Flex component="span" wrap="wrap" align="baseline" gap="0.125rem 1rem">
                {hostOf(info.termsUrl ?? '') === undefined ? (
                  m.applications.setup.noTerms
                ) : (
                  <ExternalLink url={info.termsUrl ?? ''} />
                )}
                <ExternalLink url={info.privacyPolicyUrl ?? ''}>{m.applications.about.privacy}</ExternalLink>
              </Flex>
            ),
          },
          { term: texts.howLong, value: accessPeriodText(application.item.application) },
          {
            term: texts.returnsTo,
            value: (
              <>
                <code className={classes.address}>{redirect}</code>
                <span className={classes.secondaryText}>{texts.returnsText}</span>
              </>
            ),
          },
        ]}
      />
      {isUnencrypted(redirect) && <Callout tone="attention">{texts.notEncrypted}</Callout>}
      <Text size="xs" c="dimmed" mt="sm">
        {texts.developerText}
      </Text>
    </>
  );
}

interface RequestedRightsProps {
  application: OwnerApplication;
  /** Differences from the approved version; undefined if the owner need not approve an update. */
  changes: Changes | undefined;
}

export function RequestedRights({ application: { asks, asksData }, changes }: RequestedRightsProps) {
  const rights = describeRights(asks);
  const addedTerms = new Set((changes?.more ?? rights).map(({ term }) => term));
  const lists = [
    {
      title: changes === undefined ? m.applications.setup.rights : texts.more,
      list: rights.filter(({ term }) => addedTerms.has(term)),
    },
    { title: texts.same, list: rights.filter(({ term }) => !addedTerms.has(term)) },
    { title: texts.less, list: changes?.less ?? [], isRemoved: true },
  ].filter(({ list }) => list.length > 0);
  return (
    <>
      {lists.map(({ title, list, isRemoved = false }) => (
        <section key={title} className={frame.section}>
          <Title order={2}>{title}</Title>
          <RightsList rights={list} isRemoved={isRemoved} />
          {!isRemoved && list.some(({ kind }) => kind === 'owner') && (
            <Callout tone="attention">{texts.ownerMeans}</Callout>
          )}
        </section>
      ))}
      {rights.length === 0 && (
        <section className={frame.section}>
          <Title order={2}>{m.applications.setup.rights}</Title>
          <Text>{asksData === null ? texts.nothing : texts.nothingByKey}</Text>
        </section>
      )}
      {asks.other.length > 0 && (
        <Text size="xs" c="dimmed" mt="sm">
          {m.applications.rights.other(asks.other)}
        </Text>
      )}
    </>
  );
}

export function DataChanges({ changes }: Pick<RequestedRightsProps, 'changes'>) {
  if (changes === undefined || changes.data.length === 0) return null;
  return (
    <section className={frame.section}>
      <Title order={2}>{m.applications.setup.dataChanges}</Title>
      <ChangeList differences={changes.data} />
    </section>
  );
}

export function ApplicationWithheldData({ application: { asks, asksData } }: { application: OwnerApplication }) {
  const summaries = useQuery(endpoints).data;
  if (summaries === undefined) return null;
  const sentEndpoints = new Set(asksData === null ? [] : endpointsOf(asksData.bundle));
  const readNamespaces = new Set(asks.read);
  const withheld = summaries.filter(
    ({ endpoint, records }) =>
      records > 0 && !sentEndpoints.has(endpoint) && !readNamespaces.has(namespaceOf(endpoint)),
  );
  const records = withheld.reduce((sum, endpoint) => sum + endpoint.records, 0);
  return (
    <section className={frame.section}>
      <Title order={2}>{m.applications.setup.privateData}</Title>
      {asks.actsAsOwner ? (
        <Text>{texts.privateDataNone}</Text>
      ) : (
        <>
          <Text>
            {withheld.length === 0 ? texts.privateDataEmpty : texts.privateDataText(withheld.length, records)}
          </Text>
          <Text c="dimmed">{texts.privateDataOther}</Text>
        </>
      )}
    </section>
  );
}
