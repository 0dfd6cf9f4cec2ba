import { Button } from '@mantine/core';
import { Link, useNavigate } from 'react-router';
import { call } from '../../api/client.ts';
import type { Network, OwnerOffer } from '../../api/contract.ts';
import { refreshOffers } from '../../api/network.ts';
import { Callout } from '../../components/callout.tsx';
import { tell } from '../../components/notices.tsx';
import { NotDone } from '../../components/states.tsx';
import { useAct } from '../../components/use-act.ts';
import { m } from '../../messages/texts.ts';
import { NETWORK, offerPath, requestPath } from '../../navigation.ts';
import { closedBecause, hostText } from './offer-words.ts';
import classes from './offer-page.module.css';

const words = m.offers;

/** What taking part means, and the way to do it; or why one cannot now. */
export function Claim({ one, network, now }: { one: OwnerOffer; network: Network; now: Date }) {
  const { offer, open } = one;
  const closed = closedBecause(offer, now);
  if (closed !== undefined) {
    return (
      <Callout tone="calm" title={`${closed}.`}>
        {words.closed.text}
      </Callout>
    );
  }
  if (!open || network.exchange === null) {
    return (
      <Callout
        tone="calm"
        title={words.closed.here}
        action={
          <Button component={Link} to={NETWORK} variant="default" size="xs">
            {words.notRegistered.go}
          </Button>
        }
      >
        {network.exchange?.problem ?? words.closed.hereText}
      </Callout>
    );
  }
  return <TakePart offer={offer} exchange={hostText(network.exchange.url)} />;
}

interface TakePartProps {
  offer: OwnerOffer['offer'];
  exchange: string;
}

function TakePart({ offer, exchange }: TakePartProps) {
  const navigate = useNavigate();
  const { busy, problem, act } = useAct();
  const claim = async () => {
    const { dataDebitKey } = await call('POST /api/v2.6/owner/offers/:offerId/claim', {
      params: { offerId: offer.offerId },
    });
    await refreshOffers();
    await navigate(dataDebitKey === null ? offerPath(offer.offerId) : requestPath(dataDebitKey));
    tell(words.claim.done(offer.title), words.claim.doneText);
  };
  return (
    <div className={classes.claim}>
      <Callout
        tone="calm"
        title={words.claim.title}
        action={
          <Button loading={busy} onClick={() => void act(claim, refreshOffers)}>
            {words.claim.action}
          </Button>
        }
      >
        {words.claim.text(exchange, offer.providerName)}
      </Callout>
      <NotDone problem={problem} />
    </div>
  );
}
