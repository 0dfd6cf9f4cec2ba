import { Button } from '@mantine/core';
import { Link } from 'react-router';
import type { Network, OwnerOffer } from '../../api/contract.ts';
import { Callout } from '../../components/callout.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import { NETWORK } from '../../navigation.ts';
import { hostText } from './offer-words.ts';

const words = m.offers;

interface ExchangeNoticeProps {
  exchange: NonNullable<Network['exchange']>;
  list: { offers: readonly OwnerOffer[]; asOf: string | null; problem: string | null };
}

/** What one has to know of the list first: that nobody can take part now, or that it is not of now. */
export function ExchangeNotice({ exchange, list }: ExchangeNoticeProps) {
  const host = hostText(exchange.url);
  return (
    <>
      {exchange.state !== 'registered' && (
        <Callout
          tone="calm"
          title={words.notRegistered.title(host)}
          action={
            <Button component={Link} to={NETWORK} variant="default" size="xs">
              {words.notRegistered.go}
            </Button>
          }
        >
          {exchange.problem ?? words.notRegistered.text}
        </Callout>
      )}
      {list.problem !== null && (
        <Callout tone="fault" title={words.notAsked.title(host)}>
          {list.problem}{' '}
          {list.asOf === null ? (
            words.notAsked.never
          ) : (
            <>
              {words.notAsked.asOf} <When at={list.asOf} />.
            </>
          )}
        </Callout>
      )}
    </>
  );
}
