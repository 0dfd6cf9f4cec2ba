import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { OwnerDebit, OwnerOffer } from '../../../shared/api/contract.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { toSentenceCase } from '../../../shared/components/program-names.ts';
import { m } from '../../../shared/messages/texts.ts';
import { requestPath, sharingPath } from '../../navigation.ts';
import { debitStatusText } from '../sharing/status-text.ts';

const words = m.offers.notice;

export function ClaimNotice({ item, debit, now }: { item: OwnerOffer; debit: OwnerDebit | undefined; now: Date }) {
  const { tone, title, text, link } = describeClaim(item, debit, now);
  return (
    <Callout
      tone={tone}
      title={title}
      action={
        link !== undefined && (
          <Button component={Link} to={link.to} variant="default" size="xs">
            {link.label}
          </Button>
        )
      }
    >
      {text}
    </Callout>
  );
}

interface ClaimText {
  tone: 'attention' | 'neutral';
  title: string;
  text: string | undefined;
  link: { to: string; label: string } | undefined;
}

function describeClaim(
  { state, offer, dataDebitKey }: OwnerOffer,
  debit: OwnerDebit | undefined,
  now: Date,
): ClaimText {
  const consentLink =
    dataDebitKey === null || debit === undefined || debit.debit.state === 'removed'
      ? undefined
      : { to: sharingPath(dataDebitKey), label: words.view };
  const statusText = debit === undefined ? '' : `${toSentenceCase(debitStatusText(debit, now))}. `;
  switch (state) {
    case 'sharing':
      return { tone: 'neutral', title: words.sharing(offer.providerName), text: statusText, link: consentLink };
    case 'rejected':
      return { tone: 'neutral', title: words.rejected, text: words.rejectedText, link: consentLink };
    case 'ended':
      return { tone: 'neutral', title: words.ended, text: `${statusText}${words.endedText}`, link: consentLink };
    case 'waiting':
    case 'unclaimed':
      return {
        tone: 'attention',
        title: words.waiting,
        text: words.waitingText,
        link: dataDebitKey === null ? undefined : { to: requestPath(dataDebitKey), label: words.decide },
      };
  }
}
