import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { Callout } from '../../../components/callout.tsx';
import { Facts } from '../../../components/consent/facts.tsx';
import { OutsideLink } from '../../../components/consent/outside-link.tsx';
import { Technical } from '../../../components/consent/technical.tsx';
import { spanText, untilText } from '../../../components/consent/time-words.ts';
import { Section } from '../../../components/page-frame.tsx';
import { useAccount, useCan } from '../../api/account.ts';
import { type Offer, call } from '../../api/client.ts';
import { offer as offerQuery } from '../../api/queries.ts';
import { BundleInWords } from '../../components/bundle.tsx';
import { ById, ThingPage } from '../../components/by-id-page.tsx';
import { Nothing } from '../../components/nothing.tsx';
import { type Step, Steps } from '../../components/steps.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/texts.ts';
import { Claims } from './claims.tsx';
import { LIST, isOver, standingOf } from './state.ts';

const words = x.offers.page;
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
  return (
    <ById list={LIST} found={found}>
      {(offer) => <Review offer={offer} look={() => found.refetch()} />}
    </ById>
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
    <ThingPage
      list={LIST}
      name={title}
      line={x.offers.by(offer.providerName)}
      standing={standingOf(offer, now)}
      state={x.offers.states[status]}
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
    </ThingPage>
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

function Actions({ offer, look, over }: ReviewProps & { over: boolean }) {
  const decides = useCan('administrator');
  if (!decides) return null;
  const { offerId, title, edition, status: state } = offer;
  // The edition that was read: one that was worded anew since is not approved unseen.
  const decide = (status: 'approved' | 'rejected') =>
    call('PUT /api/v2/offer/:id', { params: { id: offerId }, query: { status, edition }, body: undefined });
  const approve: Step = {
    label: words.approve,
    title: words.approveTitle(title),
    text: words.approveText(offer.requiredMaxUser),
    begins: true,
    does: () => decide('approved'),
    said: words.approved(title),
  };
  const reject: Step = {
    label: words.reject,
    title: words.rejectTitle(title),
    text: words.rejectText,
    does: () => decide('rejected'),
    said: words.rejected(title),
  };
  const withdraw: Step = {
    label: words.withdraw,
    title: words.withdrawTitle(title),
    text: words.withdrawText,
    does: () => decide('rejected'),
    said: words.withdrawn(title),
  };
  const possible = [
    ...(state === 'draft' ? [reject] : []),
    ...(state === 'approved' || state === 'satisfied' || state === 'oversubscribed' ? [withdraw] : []),
    ...((state === 'draft' || state === 'rejected') && !over ? [approve] : []),
  ];
  return <Steps steps={possible} words={words} refreshes={['offers']} look={look} />;
}
