import type { OwnerDebit, OwnerOffer } from '../../../shared/api/contract.ts';
import { toSentenceCase } from '../../../shared/components/program-names.ts';
import { m } from '../../../shared/messages/texts.ts';
import { type Notice, NoticeCallout } from '../../components/notice.tsx';
import { requestPath, sharingPath } from '../../navigation.ts';
import { debitStatusText } from '../sharing/status-text.ts';

const words = m.offers.notice;

export function ClaimNotice({ item, debit, now }: { item: OwnerOffer; debit: OwnerDebit | undefined; now: Date }) {
  return <NoticeCallout {...describeClaim(item, debit, now)} />;
}

function describeClaim({ state, offer, dataDebitKey }: OwnerOffer, debit: OwnerDebit | undefined, now: Date): Notice {
  const action =
    dataDebitKey === null || debit === undefined || debit.debit.state === 'removed'
      ? undefined
      : { to: sharingPath(dataDebitKey), label: words.view };
  const statusText = debit === undefined ? '' : `${toSentenceCase(debitStatusText(debit, now))}. `;
  switch (state) {
    case 'sharing':
      return { tone: 'neutral', title: words.sharing(offer.providerName), text: statusText, action };
    case 'rejected':
      return { tone: 'neutral', title: words.rejected, text: words.rejectedText, action };
    case 'ended':
      return { tone: 'neutral', title: words.ended, text: `${statusText}${words.endedText}`, action };
    case 'waiting':
    case 'unclaimed':
      return {
        tone: 'attention',
        title: words.waiting,
        text: words.waitingText,
        action: dataDebitKey === null ? undefined : { to: requestPath(dataDebitKey), label: m.sharing.page.decide },
      };
  }
}
