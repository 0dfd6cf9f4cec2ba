import { Button, Text } from '@mantine/core';
import { IconSpeakerphone } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { OwnerDebit, OwnerOffer } from '../../../shared/api/contract.ts';
import { debitsQuery } from '../../api/sharing/debits.ts';
import { network, offers } from '../../api/sharing/network.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { ListSearchField, useFindParameter } from '../../../shared/form/list-search-field.tsx';
import { LinkListItem, LinkList } from '../../../shared/components/link-list.tsx';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import { Page, Section } from '../../components/page.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { NETWORK_PATH, offerPath } from '../../navigation.ts';
import { ExchangeNotice } from './exchange-notice.tsx';
import {
  OFFER_GROUPS,
  type OfferGroup,
  groupOf,
  hostText,
  matchesOffer,
  sharedDataText,
  offerBadgeStatus,
  offerStatusText,
  offerDataText,
} from './offer-text.ts';
import classes from './offers-page.module.css';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.offers;
const INITIAL_OFFER_COUNTS: Record<OfferGroup, number> = { waiting: 100, open: 100, sharing: 100, closed: 20 };

export function OffersPage() {
  const result = useQuery(offers);
  const networkResult = useQuery(network);
  const dataDebits = useQuery(debitsQuery).data ?? [];
  const [now] = useState(() => new Date());
  const [searchText] = useFindParameter();
  const allOffers = result.data?.offers ?? [];
  const matches = allOffers.filter((item) => matchesOffer(item, searchText));
  const exchange = networkResult.data?.exchange;
  const isLoaded = result.data !== undefined && networkResult.data !== undefined;

  return (
    <Page title={texts.pageTitle} lead={allOffers.length > 0 ? texts.lead : undefined}>
      <QueryBoundary query={result} rows={5} height={48} />
      {result.data !== undefined && exchange != null && <ExchangeNotice exchange={exchange} list={result.data} />}
      {isLoaded && result.data.problem === null && allOffers.length === 0 && <NoOffers exchangeUrl={exchange?.url} />}
      <ListSearchField total={allOffers.length} hasMatches={matches.length > 0} texts={texts} />
      {OFFER_GROUPS.map((group) => {
        const groupOffers = matches.filter((item) => groupOf(item, now) === group);
        return (
          groupOffers.length > 0 && (
            <OfferGroupSection key={group} group={group} offers={groupOffers} dataDebits={dataDebits} now={now} />
          )
        );
      })}
      {result.data?.asOf != null && result.data.problem === null && allOffers.length > 0 && (
        <Text size="xs" c="dimmed" mt="lg">
          {texts.asOf} <RelativeTime at={result.data.asOf} />
        </Text>
      )}
    </Page>
  );
}

function NoOffers({ exchangeUrl }: { exchangeUrl: string | undefined }) {
  if (exchangeUrl !== undefined) {
    return (
      <EmptyState icon={IconSpeakerphone} title={texts.empty.none}>
        {texts.empty.noneText(hostText(exchangeUrl))}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconSpeakerphone}
      title={texts.empty.noExchange}
      actions={
        <Button component={Link} to={NETWORK_PATH} variant="default">
          {texts.empty.choose}
        </Button>
      }
    >
      {texts.empty.noExchangeText}
    </EmptyState>
  );
}

interface OfferGroupSectionProps {
  group: OfferGroup;
  offers: readonly OwnerOffer[];
  dataDebits: readonly OwnerDebit[];
  now: Date;
}

function OfferGroupSection({ group, offers: groupOffers, dataDebits, now }: OfferGroupSectionProps) {
  const [shownCount, setShownCount] = useState(INITIAL_OFFER_COUNTS[group]);
  const hiddenCount = groupOffers.length - shownCount;
  return (
    <Section title={texts.groups[group]}>
      <LinkList className={classes.list}>
        {groupOffers.slice(0, shownCount).map((item) => (
          <OfferRow
            key={item.offer.offerId}
            item={item}
            group={group}
            debit={dataDebits.find(({ debit }) => debit.dataDebitKey === item.dataDebitKey)}
            now={now}
          />
        ))}
      </LinkList>
      {hiddenCount > 0 && (
        <Button variant="default" size="xs" mt="md" onClick={() => setShownCount(groupOffers.length)}>
          {m.shell.showMore(hiddenCount)}
        </Button>
      )}
    </Section>
  );
}

interface OfferRowProps {
  item: OwnerOffer;
  group: OfferGroup;
  debit: OwnerDebit | undefined;
  now: Date;
}

function OfferRow({ item, group, debit, now }: OfferRowProps) {
  const { offer } = item;
  const names = useDataNames();
  const { text, detail } = offerStatusText(item, debit, now);
  return (
    <LinkListItem
      to={offerPath(offer.offerId)}
      logo={offer.logoUrl}
      logoName={offer.providerName}
      name={offer.title}
      note={texts.by(offer.providerName)}
      description={offer.description}
      details={group === 'sharing' ? texts.gets(sharedDataText(item, debit, names)) : offerDataText(item, group, names)}
      status={
        <>
          <StatusBadge status={offerBadgeStatus(item)}>{text}</StatusBadge>
          {detail !== undefined && <small>{detail}</small>}
        </>
      }
    />
  );
}
