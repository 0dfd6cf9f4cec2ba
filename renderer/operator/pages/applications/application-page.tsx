import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Callout } from '../../../shared/components/callout.tsx';
import { type Fact, FactList } from '../../../shared/components/fact-list.tsx';
import { ExternalLink, hostOf } from '../../../shared/components/external-link.tsx';
import { TechnicalDetails } from '../../../shared/consent/technical-details.tsx';
import { Section } from '../../../shared/layout/page-frame.tsx';
import { useHasRole } from '../../api/account.ts';
import { type ListedApplication, call } from '../../api/client.ts';
import { applicationById } from '../../api/queries.ts';
import { BundleDescription } from '../../components/bundle.tsx';
import { ItemLoader, ItemPage } from '../../components/item-page.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { Note } from '../../components/note.tsx';
import { type ItemAction, ItemActions } from '../../components/item-actions.tsx';
import { messages } from '../../messages/texts.ts';
import { RightsList } from './rights-list.tsx';
import { linkedAddresses, requestedBundle, rightsOf } from './rights.ts';
import { APPLICATION_LIST_PAGE, APPLICATION_STATUS_BY_STATE } from './status.ts';
import { publishedVersionOf, usePublishedVersion } from './versions.ts';

const texts = messages.applications.page;

export function ApplicationPage() {
  const { id = '' } = useParams();
  const result = useQuery(applicationById(id));
  return (
    <ItemLoader list={APPLICATION_LIST_PAGE} query={result}>
      {(item) => <ApplicationDetails item={item} reload={() => result.refetch()} />}
    </ItemLoader>
  );
}

interface ApplicationProps {
  item: ListedApplication;
  reload: () => Promise<unknown>;
}

function ApplicationDetails({ item, reload }: ApplicationProps) {
  const { application, state, developer, versions, changed } = item;
  const { info } = application;
  const publishedVersion = usePublishedVersion(item);
  const rights = rightsOf(application);
  const publishedTerms =
    publishedVersion === undefined ? undefined : new Set(rightsOf(publishedVersion).map(({ term }) => term));
  const bundle = requestedBundle(application);
  const addresses = linkedAddresses(application);
  const dependencies = Object.values(application.dependencies ?? {}).flatMap((ids) =>
    Array.isArray(ids) ? ids.map(String) : [],
  );
  const facts: (Fact | false)[] = [
    (info.dataUsePurpose ?? '') !== '' && { term: texts.term.purpose, value: info.dataUsePurpose },
    info.updateNotes !== null &&
      info.updateNotes !== undefined && {
        term: texts.term.notes,
        value: [info.updateNotes.header, ...(info.updateNotes.notes ?? [])].join('\n'),
      },
    (info.supportContact ?? '') !== '' && { term: texts.term.contact, value: info.supportContact },
    dependencies.length > 0 && { term: texts.term.needs, value: dependencies.join(', ') },
    { term: texts.term.account, value: developer },
    (application.developer?.name ?? developer) !== developer && {
      term: texts.term.developerName,
      value: application.developer?.name,
    },
    { term: texts.term.changed, value: <Timestamp at={changed} /> },
    {
      term: texts.term.versions,
      value: versions
        .toReversed()
        .map(({ version, published }) => `${version} ${published === null ? texts.notPublished : texts.wasPublished}`)
        .join(', '),
    },
  ];

  return (
    <ItemPage
      list={APPLICATION_LIST_PAGE}
      name={info.name}
      subtitle={info.headline}
      status={APPLICATION_STATUS_BY_STATE[state]}
      statusText={`${messages.applications.states[state]}, ${texts.version(info.version)}`}
      actions={<Actions item={item} reload={reload} />}
    >
      <PublicationStatus item={item} />
      <Section title={texts.requestedRights}>
        {publishedVersion !== undefined && <Note>{texts.newSinceText(publishedVersion.info.version)}</Note>}
        {rights.length === 0 ? (
          <Note>{texts.noRights}</Note>
        ) : (
          <RightsList rights={rights} publishedTerms={publishedTerms} />
        )}
      </Section>
      <Section title={texts.data}>
        <Note>{bundle === null ? texts.noData : texts.dataText}</Note>
        {bundle !== null && <BundleDescription bundle={bundle} />}
      </Section>
      <Section title={texts.addresses}>
        <Note>{addresses.length === 0 ? texts.noAddresses : texts.addressesText}</Note>
        <FactList
          facts={addresses.map(({ kind, url }) => ({
            term: texts.addressKinds[kind],
            value: hostOf(url) === undefined ? <code>{url}</code> : <ExternalLink url={url}>{url}</ExternalLink>,
          }))}
        />
      </Section>
      <Section title={texts.description}>
        {info.description.text !== '' && (
          <Text mb="md" maw="44rem" style={{ whiteSpace: 'pre-line' }}>
            {info.description.text}
          </Text>
        )}
        <FactList facts={facts} />
      </Section>
      <TechnicalDetails
        terms={[
          { term: 'id', value: application.id },
          { term: 'kind', value: application.kind.kind },
        ]}
        json={application}
        texts={texts.json}
      />
    </ItemPage>
  );
}

function PublicationStatus({ item }: { item: ListedApplication }) {
  const isAdministrator = useHasRole('administrator');
  const publishedVersion = publishedVersionOf(item);
  const { statusText } = texts;
  switch (item.state) {
    case 'draft':
      return (
        <Callout tone="neutral">
          {publishedVersion === undefined ? statusText.draft : statusText.draftWithPublished(publishedVersion)}
        </Callout>
      );
    case 'waiting':
      if (!isAdministrator) return <Callout tone="neutral">{statusText.waitingOwn}</Callout>;
      return (
        <Callout tone="attention">
          {publishedVersion === undefined ? statusText.waiting : statusText.waitingWithPublished(publishedVersion)}
        </Callout>
      );
    case 'published':
      return null;
    case 'suspended':
      return <Callout tone="error">{statusText.suspended}</Callout>;
  }
}

type ApplicationAction = 'publish' | 'republish' | 'reject' | 'suspend' | 'submit';

function possibleActions(item: ListedApplication, isAdministrator: boolean): ApplicationAction[] {
  const publishedVersion = publishedVersionOf(item);
  if (!isAdministrator) {
    // A rejected version is suspended and can be submitted again.
    const isUnpublished = publishedVersion !== item.application.info.version;
    return item.state === 'draft' || (item.state === 'suspended' && isUnpublished) ? ['submit'] : [];
  }
  switch (item.state) {
    case 'waiting':
      return ['reject', 'publish'];
    case 'published':
      return ['suspend'];
    case 'suspended':
      return publishedVersion === undefined ? [] : ['republish'];
    case 'draft':
      return publishedVersion === undefined ? [] : ['suspend'];
  }
}

function Actions({ item, reload }: ApplicationProps) {
  const isAdministrator = useHasRole('administrator');
  const { application, changed } = item;
  const { id, info } = application;
  const { name, version } = info;
  const publish = () => call('PUT /api/v2/applications/:id/publish', { params: { id }, query: { changed } });
  const suspend = () => call('PUT /api/v2/applications/:id/suspend', { params: { id } });
  const actions: Record<ApplicationAction, ItemAction> = {
    publish: {
      label: texts.publish,
      title: texts.publishTitle(name),
      text: texts.publishText(name, version),
      isDestructive: false,
      execute: publish,
      doneText: texts.published(name),
    },
    republish: {
      label: texts.publishAgain,
      title: texts.publishTitle(name),
      text: texts.publishAgainText(name, publishedVersionOf(item) ?? version),
      isDestructive: false,
      execute: publish,
      doneText: texts.published(name),
    },
    reject: {
      label: texts.reject,
      title: texts.rejectTitle(name),
      text: texts.rejectText,
      execute: suspend,
      doneText: texts.rejected(name),
    },
    suspend: {
      label: texts.suspend,
      title: texts.suspendTitle(name),
      text: texts.suspendText,
      execute: suspend,
      doneText: texts.suspended(name),
    },
    submit: {
      label: texts.submit,
      title: texts.submitTitle(name),
      text: texts.submitText(version),
      isDestructive: false,
      execute: () => call('PUT /api/v2/applications/:id/submit', { params: { id } }),
      doneText: texts.submitted(name),
    },
  };
  const availableActions = possibleActions(item, isAdministrator).map((action) => actions[action]);
  return <ItemActions actions={availableActions} texts={texts} invalidates={['applications']} reload={reload} />;
}
