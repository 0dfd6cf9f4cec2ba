import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { asProblem } from '../../../api/problem.ts';
import { Callout } from '../../../components/callout.tsx';
import { Confirm } from '../../../components/confirm.tsx';
import { Facts } from '../../../components/consent/facts.tsx';
import { Logo } from '../../../components/consent/logo.tsx';
import { OutsideLink } from '../../../components/consent/outside-link.tsx';
import { Technical } from '../../../components/consent/technical.tsx';
import { spanText, untilText } from '../../../components/consent/time-words.ts';
import { tell } from '../../../components/notices.tsx';
import { PageFrame, Section } from '../../../components/page-frame.tsx';
import { Failed, Loading } from '../../../components/states.tsx';
import { useAccount, useCan } from '../../api/account.ts';
import { type Offer, call } from '../../api/client.ts';
import { offer as offerQuery, refresh } from '../../api/queries.ts';
import { BundleInWords } from '../../components/bundle.tsx';
import { Nothing } from '../../components/lines.tsx';
import { Plain } from '../../components/plain.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/en.ts';
import { Claims } from './claims.tsx';
import { isOver, toneOf } from './state.ts';

const words = x.offers.page;
const crumbs = [{ label: x.offers.pageTitle, to: '/offers' }];
const nearDay = (ms: number): string => untilText(new Date(ms), new Date());

export function OfferPage() {
  return (
    <Only role="marketPlace">
      <Found id={useParams().id ?? ''} />
    </Only>
  );
}

function Found({ id }: { id: string }) {
  const found = useQuery(offerQuery(id));
  if (found.data !== undefined) return <Review offer={found.data} look={() => found.refetch()} />;
  if (found.isError && asProblem(found.error).status === 404) {
    const { gone, goneText, all } = x.offers;
    return <Plain title={gone} text={goneText} back={{ to: '/offers', label: all }} />;
  }
  return (
    <PageFrame place={x.product} title={x.offers.pageTitle} windowTitle={x.offers.pageTitle} crumbs={crumbs}>
      {found.isError ? <Failed error={found.error} retry={() => void found.refetch()} /> : <Loading rows={8} />}
    </PageFrame>
  );
}

interface ReviewProps {
  offer: Offer;
  /** Reads it again. */
  look: () => Promise<unknown>;
}

/** What leaves, for how long, and of how many: what the one who approves it answers for. */
function Review({ offer, look }: ReviewProps) {
  const { userId } = useAccount();
  const [now] = useState(() => Date.now());
  const { title, status, counts, dataConditions, requiredMinUser, requiredMaxUser } = offer;
  const { term } = words;
  return (
    <PageFrame
      place={x.product}
      crumbs={crumbs}
      picture={<Logo url={null} name={title} size={56} />}
      title={title}
      windowTitle={title}
      lead={
        <>
          {x.offers.by(offer.providerName)}
          <br />
          <StateMark tone={toneOf(offer, now)}>{x.offers.states[status]}</StateMark>
        </>
      }
      actions={<Actions offer={offer} look={look} over={isOver(offer, now)} />}
    >
      <Standing offer={offer} now={now} />
      <Section title={words.data}>
        <Nothing>{words.dataText}</Nothing>
        <BundleInWords bundle={offer.requiredData} />
      </Section>
      <Section title={words.conditions}>
        <Nothing>{dataConditions === undefined ? words.noConditions : words.conditionsText}</Nothing>
        {dataConditions !== undefined && <BundleInWords bundle={dataConditions} only="conditions" />}
      </Section>
      <Section title={words.facts}>
        <Facts
          facts={[
            { term: term.purpose, value: offer.description },
            { term: term.claimable, value: words.span(nearDay(offer.starts), nearDay(offer.expires)) },
            {
              term: term.collection,
              value: words.collection(spanText(Math.round(offer.collectionDuration / 1000))),
            },
            { term: term.many, value: words.many(requiredMinUser, requiredMaxUser) },
            counts !== undefined &&
              status !== 'draft' && { term: term.claims, value: words.claims(counts.claimed, counts.confirmed) },
            offer.url !== undefined && {
              term: term.site,
              value: <OutsideLink url={offer.url}>{offer.url}</OutsideLink>,
            },
            offer.termsUrl !== undefined && {
              term: term.conditions,
              value: <OutsideLink url={offer.termsUrl}>{offer.termsUrl}</OutsideLink>,
            },
            offer.logoUrl !== undefined && {
              term: term.logo,
              value: <OutsideLink url={offer.logoUrl}>{offer.logoUrl}</OutsideLink>,
            },
          ]}
        />
      </Section>
      {offer.provider === userId && status !== 'draft' && status !== 'rejected' && <Claims offer={offer} />}
      <Technical terms={[{ term: 'offerId', value: offer.offerId }]} json={offer} words={words.json} />
    </PageFrame>
  );
}

function Standing({ offer, now }: { offer: Offer; now: number }) {
  const decides = useCan('administrator');
  const { standing } = words;
  const over = isOver(offer, now);
  if (offer.status === 'draft') {
    if (!decides) return <Callout tone="calm">{standing.draftOwn}</Callout>;
    return <Callout tone="decision">{over ? standing.draftOver : standing.draft}</Callout>;
  }
  if (offer.status === 'rejected') return <Callout tone="fault">{standing.rejected}</Callout>;
  if (over) return <Callout tone="calm">{standing.over}</Callout>;
  if (offer.starts > now) return <Callout tone="calm">{standing.later(nearDay(offer.starts))}</Callout>;
  return <Callout tone="calm">{standing[offer.status]}</Callout>;
}

type Step = 'approve' | 'reject' | 'withdraw';

function Actions({ offer, look, over }: ReviewProps & { over: boolean }) {
  const decides = useCan('administrator');
  const [asked, setAsked] = useState<Step>();
  if (!decides) return null;
  const { offerId, title, edition, status: state } = offer;
  const decide = async (status: 'approved' | 'rejected', said: string) => {
    try {
      // The edition that was read: one that was worded anew since is not approved unseen.
      await call('PUT /api/v2/offer/:id', { params: { id: offerId }, query: { status, edition }, body: undefined });
    } catch (error) {
      await look();
      throw error;
    }
    tell(said);
    await refresh('offers');
  };
  const steps: Record<Step, { label: string; title: string; text: string; run: () => Promise<void> }> = {
    approve: {
      label: words.approve,
      title: words.approveTitle(title),
      text: words.approveText(offer.requiredMaxUser),
      run: () => decide('approved', words.approved(title)),
    },
    reject: {
      label: words.reject,
      title: words.rejectTitle(title),
      text: words.rejectText,
      run: () => decide('rejected', words.rejected(title)),
    },
    withdraw: {
      label: words.withdraw,
      title: words.withdrawTitle(title),
      text: words.withdrawText,
      run: () => decide('rejected', words.withdrawn(title)),
    },
  };
  const possible: Step[] = [
    ...(state === 'draft' ? (['reject'] as const) : []),
    ...(state === 'approved' || state === 'satisfied' || state === 'oversubscribed' ? (['withdraw'] as const) : []),
    ...((state === 'draft' || state === 'rejected') && !over ? (['approve'] as const) : []),
  ];
  const step = asked === undefined ? undefined : steps[asked];
  return (
    <>
      {possible.map((one) => (
        <Button key={one} variant={one === 'approve' ? 'filled' : 'default'} onClick={() => setAsked(one)}>
          {steps[one].label}
        </Button>
      ))}
      {asked !== undefined && step !== undefined && (
        <Confirm
          opened
          close={() => setAsked(undefined)}
          title={step.title}
          keep={asked === 'approve' ? words.notYet : words.keep}
          submit={step.label}
          begins={asked === 'approve'}
          onConfirm={step.run}
        >
          {step.text}
        </Confirm>
      )}
    </>
  );
}
