import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { OwnerDebit, OwnerOffer } from '../../../shared/api/contract.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { toSentenceCase } from '../../../shared/components/program-names.ts';
import { m } from '../../../shared/messages/texts.ts';
import { requestPath, sharingPath } from '../../navigation.ts';
import { debitStatusText } from '../sharing/status-text.ts';

const words = m.offers.notice;

/** What became of an Offer that was claimed, and the way to it. */
export function ClaimNotice({ one, debit, now }: { one: OwnerOffer; debit: OwnerDebit | undefined; now: Date }) {
  const { tone, title, text, way } = say(one, debit, now);
  return (
    <Callout
      tone={tone}
      title={title}
      action={
        way !== undefined && (
          <Button component={Link} to={way.to} variant="default" size="xs">
            {way.label}
          </Button>
        )
      }
    >
      {text}
    </Callout>
  );
}

interface Said {
  tone: 'attention' | 'neutral';
  title: string;
  text: string | undefined;
  way: { to: string; label: string } | undefined;
}

function say({ state, offer, dataDebitKey }: OwnerOffer, debit: OwnerDebit | undefined, now: Date): Said {
  const look =
    dataDebitKey === null || debit === undefined || debit.debit.state === 'removed'
      ? undefined
      : { to: sharingPath(dataDebitKey), label: words.look };
  const since = debit === undefined ? '' : `${toSentenceCase(debitStatusText(debit, now))}. `;
  switch (state) {
    case 'sharing':
      return { tone: 'neutral', title: words.sharing(offer.providerName), text: since, way: look };
    case 'rejected':
      return { tone: 'neutral', title: words.rejected, text: words.rejectedText, way: look };
    case 'ended':
      return { tone: 'neutral', title: words.ended, text: `${since}${words.endedText}`, way: look };
    case 'waiting':
    case 'unclaimed':
      return {
        tone: 'attention',
        title: words.waiting,
        text: words.waitingText,
        way: dataDebitKey === null ? undefined : { to: requestPath(dataDebitKey), label: words.decide },
      };
  }
}
