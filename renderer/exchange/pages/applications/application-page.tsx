import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { Callout } from '../../../components/callout.tsx';
import { Confirm } from '../../../components/confirm.tsx';
import { type Fact, Facts } from '../../../components/consent/facts.tsx';
import { Logo } from '../../../components/consent/logo.tsx';
import { OutsideLink, hostOf } from '../../../components/consent/outside-link.tsx';
import { Technical } from '../../../components/consent/technical.tsx';
import { tell } from '../../../components/notices.tsx';
import { PageFrame, Section } from '../../../components/page-frame.tsx';
import { Failed, Loading } from '../../../components/states.tsx';
import { useCan } from '../../api/account.ts';
import { type Listed, call } from '../../api/client.ts';
import { oneListed, refresh } from '../../api/queries.ts';
import { BundleInWords } from '../../components/bundle.tsx';
import { Nothing } from '../../components/lines.tsx';
import { Moment } from '../../components/moment.tsx';
import { Plain } from '../../components/plain.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/en.ts';
import { TONES } from './applications-page.tsx';
import { RightsList } from './rights-list.tsx';
import { dataOf, placesOf, rightsOf } from './rights.ts';
import { publicVersionOf, useEarlier } from './versions.ts';

const words = x.applications.page;
const crumbs = [{ label: x.applications.pageTitle, to: '/applications' }];

export function ApplicationPage() {
  return (
    <Only role="developer">
      <Found id={useParams().id ?? ''} />
    </Only>
  );
}

function Found({ id }: { id: string }) {
  const found = useQuery(oneListed(id));
  if (found.data === null) {
    const { gone, goneText, all } = x.applications;
    return <Plain title={gone} text={goneText} back={{ to: '/applications', label: all }} />;
  }
  if (found.data !== undefined) return <Review one={found.data} look={() => found.refetch()} />;
  return (
    <PageFrame
      place={x.product}
      title={x.applications.pageTitle}
      windowTitle={x.applications.pageTitle}
      crumbs={crumbs}
    >
      {found.isError ? <Failed error={found.error} retry={() => void found.refetch()} /> : <Loading rows={8} />}
    </PageFrame>
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
    <PageFrame
      place={x.product}
      crumbs={crumbs}
      picture={<Logo url={null} name={info.name} size={56} />}
      title={info.name}
      windowTitle={info.name}
      lead={
        <>
          {info.headline}
          <br />
          <StateMark tone={TONES[state]}>{`${x.applications.states[state]}, ${words.version(info.version)}`}</StateMark>
        </>
      }
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
    </PageFrame>
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

type Step = 'publish' | 'again' | 'refuse' | 'suspend' | 'submit';

/** Which steps there are from where it stands. */
function stepsOf(one: Listed, decides: boolean): Step[] {
  const published = publicVersionOf(one);
  const submit: Step[] = one.state === 'draft' && !decides ? ['submit'] : [];
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
  const [asked, setAsked] = useState<Step>();
  const { application, changed } = one;
  const { id, info } = application;
  const { name, version } = info;
  const to = (what: 'publish' | 'suspend' | 'submit') =>
    what === 'publish'
      ? call('PUT /api/v2/applications/:id/publish', { params: { id }, query: { changed } })
      : call(`PUT /api/v2/applications/:id/${what}`, { params: { id } });
  const done = async (what: 'publish' | 'suspend' | 'submit', said: string) => {
    try {
      await to(what);
    } catch (error) {
      // What came in between is shown behind the dialog.
      await look();
      throw error;
    }
    tell(said);
    await refresh('applications');
  };
  const steps: Record<Step, { label: string; title: string; text: string; run: () => Promise<void> }> = {
    publish: {
      label: words.publish,
      title: words.publishTitle(name),
      text: words.publishText(name, version),
      run: () => done('publish', words.published(name)),
    },
    again: {
      label: words.publishAgain,
      title: words.publishTitle(name),
      text: words.publishAgainText(name, publicVersionOf(one) ?? version),
      run: () => done('publish', words.published(name)),
    },
    refuse: {
      label: words.refuse,
      title: words.refuseTitle(name),
      text: words.refuseText,
      run: () => done('suspend', words.refused(name)),
    },
    suspend: {
      label: words.suspend,
      title: words.suspendTitle(name),
      text: words.suspendText,
      run: () => done('suspend', words.suspended(name)),
    },
    submit: {
      label: words.submit,
      title: words.submitTitle(name),
      text: words.submitText(version),
      run: () => done('submit', words.submitted(name)),
    },
  };
  const begins = (step: Step): boolean => step !== 'refuse' && step !== 'suspend';
  const step = asked === undefined ? undefined : steps[asked];
  return (
    <>
      {stepsOf(one, decides).map((one) => (
        <Button key={one} variant={begins(one) ? 'filled' : 'default'} onClick={() => setAsked(one)}>
          {steps[one].label}
        </Button>
      ))}
      {asked !== undefined && step !== undefined && (
        <Confirm
          opened
          close={() => setAsked(undefined)}
          title={step.title}
          keep={begins(asked) ? words.notYet : words.keep}
          submit={step.label}
          begins={begins(asked)}
          onConfirm={step.run}
        >
          {step.text}
        </Confirm>
      )}
    </>
  );
}
