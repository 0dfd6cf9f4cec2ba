import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { Callout } from '../../../components/callout.tsx';
import { type Fact, Facts } from '../../../components/consent/facts.tsx';
import { OutsideLink, hostOf } from '../../../components/consent/outside-link.tsx';
import { Technical } from '../../../components/consent/technical.tsx';
import { Section } from '../../../components/page-frame.tsx';
import { useCan } from '../../api/account.ts';
import { type Listed, call } from '../../api/client.ts';
import { oneListed } from '../../api/queries.ts';
import { BundleInWords } from '../../components/bundle.tsx';
import { ById, ThingPage } from '../../components/by-id-page.tsx';
import { Moment } from '../../components/moment.tsx';
import { Nothing } from '../../components/nothing.tsx';
import { type Step, Steps } from '../../components/steps.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/texts.ts';
import { RightsList } from './rights-list.tsx';
import { dataOf, placesOf, rightsOf } from './rights.ts';
import { LIST, STANDING } from './state.ts';
import { publicVersionOf, useEarlier } from './versions.ts';

const words = x.applications.page;

export function ApplicationPage() {
  return (
    <Only role="developer">
      <Found id={useParams().id ?? ''} />
    </Only>
  );
}

function Found({ id }: { id: string }) {
  const found = useQuery(oneListed(id));
  return (
    <ById list={LIST} found={found}>
      {(one) => <Review one={one} look={() => found.refetch()} />}
    </ById>
  );
}

interface ReviewProps {
  one: Listed;
  /** Reads it again. */
  look: () => Promise<unknown>;
}

/** All that an application asks for and where it leads: what the one who publishes it answers for. */
function Review({ one, look }: ReviewProps) {
  const { application, state, developer, versions, changed } = one;
  const { info } = application;
  const earlier = useEarlier(one);
  const rights = rightsOf(application);
  const known = earlier === undefined ? undefined : new Set(rightsOf(earlier).map(({ term }) => term));
  const data = dataOf(application);
  const places = placesOf(application);
  const needs = Object.values(application.dependencies ?? {}).flatMap((ids) =>
    Array.isArray(ids) ? ids.map(String) : [],
  );
  const facts: (Fact | false)[] = [
    (info.dataUsePurpose ?? '') !== '' && { term: words.term.purpose, value: info.dataUsePurpose },
    info.updateNotes !== null &&
      info.updateNotes !== undefined && {
        term: words.term.notes,
        value: [info.updateNotes.header, ...(info.updateNotes.notes ?? [])].join('\n'),
      },
    (info.supportContact ?? '') !== '' && { term: words.term.contact, value: info.supportContact },
    needs.length > 0 && { term: words.term.needs, value: needs.join(', ') },
    { term: words.term.developer, value: developer },
    (application.developer?.name ?? developer) !== developer && {
      term: words.term.maker,
      value: application.developer?.name,
    },
    { term: words.term.changed, value: <Moment at={changed} /> },
    {
      term: words.term.versions,
      value: versions
        .toReversed()
        .map(({ version, published }) => `${version} ${published === null ? words.notPublished : words.wasPublished}`)
        .join(', '),
    },
  ];

  return (
    <ThingPage
      list={LIST}
      name={info.name}
      line={info.headline}
      standing={STANDING[state]}
      state={`${x.applications.states[state]}, ${words.version(info.version)}`}
      actions={<Actions one={one} look={look} />}
    >
      <Standing one={one} />
      <Section title={words.asks}>
        {earlier !== undefined && <Nothing>{words.freshText(earlier.info.version)}</Nothing>}
        {rights.length === 0 ? <Nothing>{words.noRights}</Nothing> : <RightsList rights={rights} known={known} />}
      </Section>
      <Section title={words.data}>
        <Nothing>{data === null ? words.noData : words.dataText}</Nothing>
        {data !== null && <BundleInWords bundle={data} />}
      </Section>
      <Section title={words.places}>
        <Nothing>{places.length === 0 ? words.noPlaces : words.placesText}</Nothing>
        <Facts
          facts={places.map(({ kind, url }) => ({
            term: words.place[kind],
            value: hostOf(url) === undefined ? <code>{url}</code> : <OutsideLink url={url}>{url}</OutsideLink>,
          }))}
        />
      </Section>
      <Section title={words.words}>
        {info.description.text !== '' && (
          <Text size="sm" mb="md" maw="44rem" style={{ whiteSpace: 'pre-line' }}>
            {info.description.text}
          </Text>
        )}
        <Facts facts={facts} />
      </Section>
      <Technical
        terms={[
          { term: 'id', value: application.id },
          { term: 'kind', value: application.kind.kind },
        ]}
        json={application}
        words={words.json}
      />
    </ThingPage>
  );
}

function Standing({ one }: { one: Listed }) {
  const decides = useCan('administrator');
  const published = publicVersionOf(one);
  const { standing } = words;
  switch (one.state) {
    case 'draft':
      return <Callout tone="calm">{published === undefined ? standing.draft : standing.draftOver(published)}</Callout>;
    case 'waiting':
      if (!decides) return <Callout tone="calm">{standing.waitingOwn}</Callout>;
      return (
        <Callout tone="decision">
          {published === undefined ? standing.waiting : standing.waitingOver(published)}
        </Callout>
      );
    case 'published':
      return null;
    case 'suspended':
      return <Callout tone="fault">{standing.suspended}</Callout>;
  }
}

type Move = 'publish' | 'again' | 'refuse' | 'suspend' | 'submit';

/** What can be done from where it stands. */
function movesOf(one: Listed, decides: boolean): Move[] {
  const published = publicVersionOf(one);
  const submit: Move[] = one.state === 'draft' && !decides ? ['submit'] : [];
  if (!decides) return submit;
  switch (one.state) {
    case 'waiting':
      return ['refuse', 'publish'];
    case 'published':
      return ['suspend'];
    case 'suspended':
      return published === undefined ? [] : ['again'];
    case 'draft':
      return published === undefined ? [] : ['suspend'];
  }
}

function Actions({ one, look }: ReviewProps) {
  const decides = useCan('administrator');
  const { application, changed } = one;
  const { id, info } = application;
  const { name, version } = info;
  const publish = () => call('PUT /api/v2/applications/:id/publish', { params: { id }, query: { changed } });
  const suspend = () => call('PUT /api/v2/applications/:id/suspend', { params: { id } });
  const steps: Record<Move, Step> = {
    publish: {
      label: words.publish,
      title: words.publishTitle(name),
      text: words.publishText(name, version),
      begins: true,
      does: publish,
      said: words.published(name),
    },
    again: {
      label: words.publishAgain,
      title: words.publishTitle(name),
      text: words.publishAgainText(name, publicVersionOf(one) ?? version),
      begins: true,
      does: publish,
      said: words.published(name),
    },
    refuse: {
      label: words.refuse,
      title: words.refuseTitle(name),
      text: words.refuseText,
      does: suspend,
      said: words.refused(name),
    },
    suspend: {
      label: words.suspend,
      title: words.suspendTitle(name),
      text: words.suspendText,
      does: suspend,
      said: words.suspended(name),
    },
    submit: {
      label: words.submit,
      title: words.submitTitle(name),
      text: words.submitText(version),
      begins: true,
      does: () => call('PUT /api/v2/applications/:id/submit', { params: { id } }),
      said: words.submitted(name),
    },
  };
  const possible = movesOf(one, decides).map((move) => steps[move]);
  return <Steps steps={possible} words={words} refreshes={['applications']} look={look} />;
}
