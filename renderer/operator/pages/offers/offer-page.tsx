import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { Callout } from '../../../shared/components/callout.tsx';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { ExternalLink } from '../../../shared/components/external-link.tsx';
import { TechnicalDetails } from '../../../shared/consent/technical-details.tsx';
import { nearTimeText, spanText } from '../../../shared/consent/timing-text.ts';
import { Section } from '../../../shared/layout/page-frame.tsx';
import { useAccount, useHasRole } from '../../api/account.ts';
import { type Offer, call } from '../../api/client.ts';
import { offer as offerQuery } from '../../api/queries.ts';
import { BundleDescription } from '../../components/bundle.tsx';
import { ItemLoader, ItemPage } from '../../components/item-page.tsx';
import { Note } from '../../components/note.tsx';
import { type ItemAction, ItemActions } from '../../components/item-actions.tsx';
import { messages } from '../../messages/texts.ts';
import { Claims } from './claims.tsx';
import { OFFER_LIST, hasExpired, offerStatus, offerStatusText } from './status.ts';

const texts = messages.offers.page;
const formatNearTime = (ms: number): string => nearTimeText(new Date(ms), new Date());

export function OfferPage() {
  const { id = '' } = useParams();
  const result = useQuery(offerQuery(id));
  return (
    <ItemLoader list={OFFER_LIST} query={result}>
      {(offer) => <OfferDetails offer={offer} reload={() => result.refetch()} />}
    </ItemLoader>
  );
}

interface OfferProps {
  offer: Offer;
  reload: () => Promise<unknown>;
}

function OfferDetails({ offer, reload }: OfferProps) {
  const { userId } = useAccount();
  const [now] = useState(() => Date.now());
  const { title, status, counts, dataConditions, requiredMinUser, requiredMaxUser } = offer;
  const { term } = texts;
  return (
    <ItemPage
      list={OFFER_LIST}
      name={title}
      subtitle={messages.offers.by(offer.providerName)}
      status={offerStatus(offer, now)}
      statusText={offerStatusText(offer, now)}
      actions={<Actions offer={offer} reload={reload} isExpired={hasExpired(offer, now)} />}
    >
      <OfferStatusNotice offer={offer} now={now} />
      <Section title={texts.data}>
        <Note>{texts.dataText}</Note>
        <BundleDescription bundle={offer.requiredData} />
      </Section>
      <Section title={texts.conditions}>
        <Note>{dataConditions === undefined ? texts.noConditions : texts.conditionsText}</Note>
        {dataConditions !== undefined && <BundleDescription bundle={dataConditions} isCondition />}
      </Section>
      <Section title={texts.facts}>
        <FactList
          facts={[
            { term: term.purpose, value: offer.description },
            { term: term.claimable, value: texts.span(formatNearTime(offer.starts), formatNearTime(offer.expires)) },
            {
              term: term.collection,
              value: texts.collection(spanText(Math.ceil(offer.collectionDuration / 1000))),
            },
            { term: term.pdaLimits, value: texts.pdaLimits(requiredMinUser, requiredMaxUser) },
            counts !== undefined &&
              status !== 'draft' && { term: term.claims, value: texts.claims(counts.claimed, counts.confirmed) },
            offer.url !== undefined && {
              term: term.site,
              value: <ExternalLink url={offer.url}>{offer.url}</ExternalLink>,
            },
            offer.termsUrl !== undefined && {
              term: term.conditions,
              value: <ExternalLink url={offer.termsUrl}>{offer.termsUrl}</ExternalLink>,
            },
            offer.logoUrl !== undefined && {
              term: term.logo,
              value: <ExternalLink url={offer.logoUrl}>{offer.logoUrl}</ExternalLink>,
            },
          ]}
        />
      </Section>
      {offer.provider === userId && status !== 'draft' && status !== 'rejected' && <Claims offer={offer} />}
      <TechnicalDetails terms={[{ term: 'offerId', value: offer.offerId }]} json={offer} texts={texts.json} />
    </ItemPage>
  );
}

function OfferStatusNotice({ offer, now }: { offer: Offer; now: number }) {
  const isAdministrator = useHasRole('administrator');
  const { statusText } = texts;
  const isExpired = hasExpired(offer, now);
  if (offer.status === 'draft') {
    if (!isAdministrator) return <Callout tone="neutral">{statusText.draftOwn}</Callout>;
    return <Callout tone="attention">{isExpired ? statusText.draftExpired : statusText.draft}</Callout>;
  }
  if (offer.status === 'rejected') return <Callout tone="error">{statusText.rejected}</Callout>;
  if (isExpired) return <Callout tone="neutral">{statusText.expired}</Callout>;
  if (offer.starts > now) return <Callout tone="neutral">{statusText.later(formatNearTime(offer.starts))}</Callout>;
  return <Callout tone="neutral">{statusText[offer.status]}</Callout>;
}

function Actions({ offer, reload, isExpired }: OfferProps & { isExpired: boolean }) {
  const isAdministrator = useHasRole('administrator');
  if (!isAdministrator) return null;
  const { offerId, title, edition, status: state } = offer;
  // The request names the displayed edition, so that an Offer that has changed is not approved or rejected unseen.
  const decide = (status: 'approved' | 'rejected') =>
    call('PUT /api/v2/offer/:id', { params: { id: offerId }, query: { status, edition }, body: undefined });
  const approve: ItemAction = {
    label: texts.approve,
    title: texts.approveTitle(title),
    text: texts.approveText(offer.requiredMaxUser),
    isDestructive: false,
    execute: () => decide('approved'),
    doneText: texts.approved(title),
  };
  const reject: ItemAction = {
    label: texts.reject,
    title: texts.rejectTitle(title),
    text: texts.rejectText,
    execute: () => decide('rejected'),
    doneText: texts.rejected(title),
  };
  const withdraw: ItemAction = {
    label: texts.withdraw,
    title: texts.withdrawTitle(title),
    text: texts.withdrawText,
    execute: () => decide('rejected'),
    doneText: texts.withdrawn(title),
  };
  const availableActions = [
    ...(state === 'draft' ? [reject] : []),
    ...(state === 'approved' || state === 'satisfied' || state === 'oversubscribed' ? [withdraw] : []),
    ...((state === 'draft' || state === 'rejected') && !isExpired ? [approve] : []),
  ];
  return <ItemActions actions={availableActions} texts={texts} invalidates={['offers']} reload={reload} />;
}
