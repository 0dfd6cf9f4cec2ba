import { IconGift } from '@tabler/icons-react';
import { useState } from 'react';
import { bundleText } from '../../../components/consent/plain-words.ts';
import { sentenceCase } from '../../../components/consent/names.ts';
import { Line, Lines } from '../../../components/lines.tsx';
import { Mark } from '../../../components/mark.tsx';
import { dayNear } from '../../../format.ts';
import { useAccount } from '../../api/account.ts';
import type { Offer } from '../../api/client.ts';
import { offers } from '../../api/queries.ts';
import { HandedInPage } from '../../components/handed-in-page.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/texts.ts';
import { offerPath } from '../../navigation.ts';
import { isOver, standingOf } from './state.ts';

const words = x.offers;

export function OffersPage() {
  const { userId } = useAccount();
  return (
    <Only role="marketPlace">
      <HandedInPage
        words={words}
        icon={IconGift}
        read={offers}
        waits="draft"
        choices={['approved', 'rejected']}
        // A provider reads everybody's approved Offers besides; this page is about its own.
        isOwn={({ provider }) => provider === userId}
      >
        {(items, label) => (
          <Lines label={label}>
            {items.map((offer) => (
              <OfferLine key={offer.offerId} offer={offer} />
            ))}
          </Lines>
        )}
      </HandedInPage>
    </Only>
  );
}

function OfferLine({ offer }: { offer: Offer }) {
  const [now] = useState(() => Date.now());
  const { offerId, title, status, providerName, description, expires, requiredData, requiredMaxUser, counts } = offer;
  const over = isOver(offer, now);
  const last = dayNear(new Date(expires).toISOString());
  return (
    <Line
      to={offerPath(offerId)}
      name={title}
      small={words.by(providerName)}
      below={description}
      middle={sentenceCase(bundleText(requiredData.bundle))}
      end={
        <>
          <Mark standing={standingOf(offer, now)} short>
            {over && status !== 'draft' ? words.over : words.states[status]}
          </Mark>
          <small>
            {counts === undefined || status === 'draft'
              ? words.upTo(requiredMaxUser)
              : words.counts(counts.claimed, requiredMaxUser)}
          </small>
          <small>{over ? words.was(last) : words.until(last)}</small>
        </>
      }
    />
  );
}
