import { Button, Text } from '@mantine/core';
import { IconSpeakerphone } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { OwnerDebit, OwnerOffer } from '../../../shared/api/contract.ts';
import { debits } from '../../api/sharing/debits.ts';
import { network, offers } from '../../api/sharing/network.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { FindField, useFindParameter } from '../../../shared/form/find-field.tsx';
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
  sharedText,
  offerBadgeStatus,
  offerStatusText,
  whatText,
} from './offer-text.ts';
import classes from './offers-page.module.css';

const words = m.offers;
const SHOWN: Record<OfferGroup, number> = { waiting: 100, open: 100, sharing: 100, over: 20 };

/** What could I take part in, and what came of what I took part in? */
export function OffersPage() {
  const all = useQuery(offers);
  const standing = useQuery(network);
  const shared = useQuery(debits).data ?? [];
  const [now] = useState(() => new Date());
  const [find] = useFindParameter();
  const known = all.data?.offers ?? [];
  const found = known.filter((one) => matchesOffer(one, find));
  const exchange = standing.data?.exchange;
  const loaded = all.data !== undefined && standing.data !== undefined;

  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={known.length > 0 ? words.lead : undefined}>
      <QueryBoundary query={all} rows={5} height={48} />
      {all.data !== undefined && exchange != null && <ExchangeNotice exchange={exchange} list={all.data} />}
      {loaded && known.length === 0 && <Nothing exchange={exchange?.url} />}
      <FindField of={known.length} found={found.length} words={words} />
      {OFFER_GROUPS.map((group) => {
        const some = found.filter((one) => groupOf(one, now) === group);
        return some.length > 0 && <Offers key={group} group={group} offers={some} shared={shared} now={now} />;
      })}
      {all.data?.asOf != null && all.data.problem === null && known.length > 0 && (
        <Text size="xs" c="dimmed" mt="lg">
          {words.asOf} <RelativeTime at={all.data.asOf} />
        </Text>
      )}
    </Page>
  );
}

function Nothing({ exchange }: { exchange: string | undefined }) {
  if (exchange !== undefined) {
    return (
      <EmptyState icon={IconSpeakerphone} title={words.empty.none}>
        {words.empty.noneText(hostText(exchange))}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconSpeakerphone}
      title={words.empty.noExchange}
      actions={
        <Button component={Link} to={NETWORK_PATH} variant="default">
          {words.empty.choose}
        </Button>
      }
    >
      {words.empty.noExchangeText}
    </EmptyState>
  );
}

interface OffersProps {
  group: OfferGroup;
  offers: readonly OwnerOffer[];
  shared: readonly OwnerDebit[];
  now: Date;
}

function Offers({ group, offers: some, shared, now }: OffersProps) {
  const [shown, setShown] = useState(SHOWN[group]);
  const rest = some.length - shown;
  return (
    <Section title={words.groups[group]}>
      <LinkList className={classes.list}>
        {some.slice(0, shown).map((one) => (
          <OfferLine
            key={one.offer.offerId}
            one={one}
            group={group}
            debit={shared.find(({ debit }) => debit.dataDebitKey === one.dataDebitKey)}
            now={now}
          />
        ))}
      </LinkList>
      {rest > 0 && (
        <Button variant="default" size="xs" mt="md" onClick={() => setShown(some.length)}>
          {words.more(rest)}
        </Button>
      )}
    </Section>
  );
}

interface LineProps {
  one: OwnerOffer;
  group: OfferGroup;
  debit: OwnerDebit | undefined;
  now: Date;
}

function OfferLine({ one, group, debit, now }: LineProps) {
  const { offer } = one;
  const { text, more } = offerStatusText(one, debit, now);
  return (
    <LinkListItem
      to={offerPath(offer.offerId)}
      logo={offer.logoUrl}
      logoOf={offer.providerName}
      name={offer.title}
      small={words.by(offer.providerName)}
      below={offer.description}
      middle={group === 'sharing' ? words.gets(sharedText(one, debit)) : whatText(one, group)}
      end={
        <>
          <StatusBadge status={offerBadgeStatus(one)}>{text}</StatusBadge>
          {more !== undefined && <small>{more}</small>}
        </>
      }
    />
  );
}
