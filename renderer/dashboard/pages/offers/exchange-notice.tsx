import type { Network, OwnerOffer } from '../../../shared/api/contract.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { NoticeCallout } from '../../components/notice.tsx';
import { NETWORK_PATH } from '../../navigation.ts';
import { hostText } from './offer-text.ts';

const texts = m.offers;

interface ExchangeNoticeProps {
  exchange: NonNullable<Network['exchange']>;
  list: { offers: readonly OwnerOffer[]; asOf: string | null; problem: string | null };
}

export function ExchangeNotice({ exchange, list }: ExchangeNoticeProps) {
  const host = hostText(exchange.url);
  return (
    <>
      {exchange.state !== 'registered' && (
        <NoticeCallout
          tone="neutral"
          title={texts.notRegistered.title(host)}
          text={exchange.problem ?? texts.notRegistered.text}
          action={{ label: texts.notRegistered.go, to: NETWORK_PATH }}
        />
      )}
      {list.problem !== null && (
        <Callout tone="error" title={texts.unavailable.title(host)}>
          {list.problem}{' '}
          {list.asOf === null ? (
            texts.unavailable.never
          ) : (
            <>
              {texts.unavailable.asOf} <RelativeTime at={list.asOf} />.
            </>
          )}
        </Callout>
      )}
    </>
  );
}
