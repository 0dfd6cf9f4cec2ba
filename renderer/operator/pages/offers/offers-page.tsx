import { IconGift } from '@tabler/icons-react';
import { useState } from 'react';
import { bundleText } from '../../../shared/consent/bundle-text.ts';
import { toSentenceCase } from '../../../shared/components/display-names.ts';
import { LinkListItem, LinkList } from '../../../shared/components/link-list.tsx';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import { dayNear } from '../../../shared/format/format.ts';
import { useAccount } from '../../api/account.ts';
import type { Offer } from '../../api/client.ts';
import { offers } from '../../api/queries.ts';
import { SubmissionsPage } from '../../components/submissions-page.tsx';
import { messages } from '../../messages/texts.ts';
import { offerPath } from '../../navigation.ts';
import { hasExpired, offerStatus, offerStatusText } from './status.ts';

const texts = messages.offers;

export function OffersPage() {
  const { userId } = useAccount();
  return (
    <SubmissionsPage
      texts={texts}
      icon={IconGift}
      query={offers}
      pendingState="draft"
      otherStates={['approved', 'rejected']}
      // Providers can also read approved Offers of other providers. This page shows only their own.
      isOwn={({ provider }) => provider === userId}
    >
      {(items, label) => (
        <LinkList label={label}>
          {items.map((offer) => (
            <OfferItem key={offer.offerId} offer={offer} />
          ))}
        </LinkList>
      )}
    </SubmissionsPage>
  );
}

function OfferItem({ offer }: { offer: Offer }) {
  const [now] = useState(() => Date.now());
  const { offerId, title, status, providerName, description, expires, requiredData, requiredMaxUser, counts } = offer;
  const isExpired = hasExpired(offer, now);
  const lastDay = dayNear(new Date(expires).toISOString());
  return (
    <LinkListItem
      to={offerPath(offerId)}
      name={title}
      note={texts.by(providerName)}
      description={description}
      details={toSentenceCase(bundleText(requiredData.bundle))}
      status={
        <>
          <StatusBadge status={offerStatus(offer, now)} short>
            {offerStatusText(offer, now)}
          </StatusBadge>
          <small>
            {counts === undefined || status === 'draft'
              ? texts.upTo(requiredMaxUser)
              : texts.counts(counts.claimed, requiredMaxUser)}
          </small>
          <small>{isExpired ? texts.expiredOn(lastDay) : texts.until(lastDay)}</small>
        </>
      }
    />
  );
}
