import { Button } from '@mantine/core';
import { useNavigate } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import type { Network, OwnerOffer } from '../../../shared/api/contract.ts';
import { refreshOffers } from '../../api/sharing/network.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { NoticeCallout } from '../../components/notice.tsx';
import { NETWORK_PATH, offerPath, requestPath } from '../../navigation.ts';
import { findClosedReason, hostText } from './offer-text.ts';
import classes from './claim-form.module.css';

const texts = m.offers;

export function ClaimForm({ item, network, now }: { item: OwnerOffer; network: Network; now: Date }) {
  const { offer, open } = item;
  const closedReason = findClosedReason(offer, now);
  if (closedReason !== undefined) {
    return (
      <Callout tone="neutral" title={`${closedReason}.`}>
        {texts.closed.text}
      </Callout>
    );
  }
  if (!open || network.exchange === null) {
    return (
      <NoticeCallout
        tone="neutral"
        title={texts.closed.cannotTakePart}
        text={network.exchange?.problem ?? texts.closed.cannotTakePartText}
        action={{ label: texts.notRegistered.go, to: NETWORK_PATH }}
      />
    );
  }
  return <ClaimAction offer={offer} exchange={hostText(network.exchange.url)} />;
}

interface ClaimActionProps {
  offer: OwnerOffer['offer'];
  exchange: string;
}

function ClaimAction({ offer, exchange }: ClaimActionProps) {
  const navigate = useNavigate();
  const { busy, problem, run } = useSubmit();
  const claim = async () => {
    const { dataDebitKey } = await call('POST /api/v2.6/owner/offers/:offerId/claim', {
      params: { offerId: offer.offerId },
    });
    await refreshOffers();
    await navigate(dataDebitKey === null ? offerPath(offer.offerId) : requestPath(dataDebitKey));
    showToast(texts.claim.done(offer.title), texts.claim.doneText);
  };
  return (
    <div className={classes.claim}>
      <Callout
        tone="neutral"
        title={texts.claim.title}
        action={
          <Button loading={busy} onClick={() => void run(claim, refreshOffers)}>
            {texts.claim.action}
          </Button>
        }
      >
        {texts.claim.text(exchange, offer.providerName)}
      </Callout>
      <SubmitError problem={problem} />
    </div>
  );
}
