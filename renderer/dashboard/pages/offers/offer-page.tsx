import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useParams } from 'react-router';
import type { Network, OwnerDebit, OwnerOffer } from '../../../shared/api/contract.ts';
import { debitsQuery } from '../../api/sharing/debits.ts';
import { network, offerPreview, offers } from '../../api/sharing/network.ts';
import { Problem } from '../../../shared/api/problem.ts';
import { combineQueries } from '../../../shared/feedback/query-boundary.tsx';
import { NO_CHOICES } from '../../consent/choices.ts';
import { type Fact, FactList } from '../../../shared/components/fact-list.tsx';
import { Logo } from '../../../shared/components/logo.tsx';
import { ExternalLink, hostOf } from '../../../shared/components/external-link.tsx';
import { conditionTexts, extentOf, plainBundle, worstCaseText } from '../../../shared/consent/bundle-text.ts';
import { TechnicalDetails } from '../../../shared/consent/technical-details.tsx';
import { SharedData } from '../../consent/shared-data.tsx';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import { MissingItemPage } from '../../components/missing-item-page.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { OFFERS_PATH } from '../../navigation.ts';
import { ClaimForm } from './claim-form.tsx';
import { ClaimNotice } from './claim-notice.tsx';
import { collectionPeriodText, peopleText, offerBadgeStatus, offerStatusText } from './offer-text.ts';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.offers;
const OFFERS_CRUMB = { label: texts.pageTitle, to: OFFERS_PATH };
const CRUMBS = [{ label: m.requests.pageTitle, to: '/requests' }, OFFERS_CRUMB];

export function OfferPage() {
  const { offerId = '' } = useParams();
  const result = useQuery(offers);
  const networkResult = useQuery(network);
  const dataDebits = useQuery(debitsQuery).data;
  const item = result.data?.offers.find(({ offer }) => offer.offerId === offerId);
  if (item !== undefined && networkResult.data !== undefined) {
    const debit = dataDebits?.find(({ debit: dataDebit }) => dataDebit.dataDebitKey === item.dataDebitKey);
    return <LoadedOffer item={item} network={networkResult.data} debit={debit} />;
  }
  const missingError = result.data !== undefined && item === undefined ? new Problem('not_found', 404, '') : null;
  return (
    <MissingItemPage
      error={missingError ?? result.error ?? networkResult.error}
      retry={() => void combineQueries(result, networkResult).refetch()}
      list={OFFERS_CRUMB}
      texts={texts}
    />
  );
}

interface LoadedOfferProps {
  item: OwnerOffer;
  network: Network;
  debit: OwnerDebit | undefined;
}

function LoadedOffer({ item, network: networkState, debit }: LoadedOfferProps) {
  const { offer } = item;
  const [now] = useState(() => new Date());
  const names = useDataNames();
  const properties = useMemo(() => plainBundle(offer.requiredData.bundle, names), [offer, names]);
  const source = useMemo(() => offerPreview(offer.offerId), [offer.offerId]);
  const { text, detail } = offerStatusText(item, debit, now);
  return (
    <Page
      title={offer.title}
      crumbs={CRUMBS}
      picture={<Logo url={offer.logoUrl} name={offer.providerName} size={56} />}
      lead={
        <Group gap="0.125rem 1.25rem">
          <span>{texts.by(offer.providerName)}</span>
          {offer.url !== undefined && hostOf(offer.url) !== undefined && <ExternalLink url={offer.url} />}
          <StatusBadge status={offerBadgeStatus(item)}>
            {detail === undefined ? text : `${text} \u00B7 ${detail}`}
          </StatusBadge>
        </Group>
      }
    >
      {item.state === 'unclaimed' ? (
        <ClaimForm item={item} network={networkState} now={now} />
      ) : (
        <ClaimNotice item={item} debit={debit} now={now} />
      )}
      <FactList
        facts={[
          { term: m.requests.page.purpose, value: offer.description },
          {
            term: m.requests.page.atMost,
            value: texts.page.atMostText(worstCaseText(extentOf(properties)), collectionPeriodText(offer)),
            emphasised: true,
          },
          { term: texts.page.collects, value: texts.page.collectsText(collectionPeriodText(offer)) },
          offer.dataConditions !== undefined && {
            term: m.requests.page.conditions,
            value: m.requests.page.conditionsText(conditionTexts(offer.dataConditions.bundle, names)),
          },
          { term: texts.page.people, value: peopleText(offer) },
          offer.starts > now.getTime() && {
            term: texts.page.opens,
            value: <RelativeTime at={new Date(offer.starts).toISOString()} />,
          },
          { term: texts.page.until, value: <RelativeTime at={new Date(offer.expires).toISOString()} /> },
          ...termsOf(offer.termsUrl),
        ]}
      />
      <Text size="xs" c="dimmed" mt="sm">
        {texts.page.providerText}
      </Text>
      <SharedData properties={properties} source={source} choices={NO_CHOICES} />
      <TechnicalDetails
        terms={[
          { term: texts.page.technical.id, value: offer.offerId },
          { term: texts.page.technical.provider, value: offer.provider },
          { term: texts.page.technical.bundle, value: offer.requiredData.name },
          { term: m.requests.technical.key, value: item.dataDebitKey ?? undefined },
        ]}
        json={offer}
        texts={{ show: texts.page.technical.show, json: texts.page.technical.json }}
      />
    </Page>
  );
}

function termsOf(url: string | undefined): Fact[] {
  const host = url === undefined ? undefined : hostOf(url);
  if (url === undefined || host === undefined) return [];
  return [
    { term: m.requests.page.terms, value: <ExternalLink url={url}>{m.requests.page.termsLink(host)}</ExternalLink> },
  ];
}
