import type { OwnerDebit, OwnerOffer } from '../../../shared/api/contract.ts';
import { toSentenceCase } from '../../../shared/components/display-names.ts';
import { m } from '../../../shared/messages/texts.ts';
import { type Notice, NoticeCallout } from '../../components/notice.tsx';
import { requestPath, sharingPath } from '../../navigation.ts';
import { debitStatusText } from '../sharing/status-text.ts';

const texts = m.offers.notice;

export function ClaimNotice({ item, debit, now }: { item: OwnerOffer; debit: OwnerDebit | undefined; now: Date }) {
  return <NoticeCallout {...describeClaim(item, debit, now)} />;
}

function describeClaim({ state, offer, dataDebitKey }: OwnerOffer, debit: OwnerDebit | undefined, now: Date): Notice {
  const action =
    dataDebitKey === null || debit === undefined || debit.debit.state === 'removed'
      ? undefined
      : { to: sharingPath(dataDebitKey), label: texts.view };
  const statusText = debit === undefined ? '' : `${toSentenceCase(debitStatusText(debit, now))}. `;
  switch (state) {
    case 'sharing':
      return { tone: 'neutral', title: texts.sharing(offer.providerName), text: statusText, action };
    case 'rejected':
      return { tone: 'neutral', title: texts.rejected, text: texts.rejectedText, action };
    case 'ended':
      return {
        tone: 'neutral',
        title: texts.ended(offer.providerName),
        text: `${statusText}${texts.endedText}`,
        action,
      };
    case 'waiting':
    case 'unclaimed':
      return {
        tone: 'attention',
        title: texts.waiting,
        text: texts.waitingText,
        action: dataDebitKey === null ? undefined : { to: requestPath(dataDebitKey), label: m.sharing.page.decide },
      };
  }
}
