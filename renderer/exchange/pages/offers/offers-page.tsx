import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconGift } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { bundleText } from '../../../components/consent/plain-words.ts';
import { sentenceCase } from '../../../components/consent/names.ts';
import { PageFrame, Section } from '../../../components/page-frame.tsx';
import { Empty } from '../../../components/states.tsx';
import { dayNear } from '../../../format.ts';
import { useAccount, useCan } from '../../api/account.ts';
import type { Offer } from '../../api/client.ts';
import { offers } from '../../api/queries.ts';
import { Endless, pagesOf } from '../../components/endless.tsx';
import { Line, Lines, Nothing } from '../../components/lines.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/en.ts';
import { offerPath } from '../../navigation.ts';
import { isOver, toneOf } from './state.ts';

const words = x.offers;
const CHOICES = ['approved', 'rejected'] as const;

export function OffersPage() {
  return (
    <Only role="marketPlace">
      <Offers />
    </Only>
  );
}

function Offers() {
  const decides = useCan('administrator');
  return (
    <PageFrame
      place={x.product}
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={decides ? words.lead : words.leadOwn}
    >
      {decides ? (
        <>
          <Waiting />
          <Decided />
        </>
      ) : (
        <Own />
      )}
    </PageFrame>
  );
}

function Waiting() {
  return (
    <Section title={words.waiting}>
      <Endless
        pages={pagesOf(useInfiniteQuery(offers('draft')))}
        none={<Nothing>{words.nothingWaits}</Nothing>}
        one={words.one}
        other={words.other}
      >
        {(items) => <List items={items} label={words.waiting} />}
      </Endless>
    </Section>
  );
}

function Decided() {
  const [query, setQuery] = useSearchParams();
  const choice = CHOICES.find((one) => one === query.get('state')) ?? 'approved';
  return (
    <Section
      title={words.others}
      aside={
        <SegmentedControl
          aria-label={words.which}
          size="xs"
          value={choice}
          onChange={(state) => setQuery(state === 'approved' ? {} : { state }, { replace: true })}
          data={CHOICES.map((value) => ({ value, label: words.lists[value] }))}
        />
      }
    >
      <Endless
        pages={pagesOf(useInfiniteQuery(offers(choice)))}
        none={<Nothing>{words.none[choice]}</Nothing>}
        one={words.one}
        other={words.other}
      >
        {(items) => <List items={items} label={words.lists[choice]} />}
      </Endless>
    </Section>
  );
}

/** A provider reads everybody's approved Offers besides; this page is about its own. */
function Own() {
  const { userId } = useAccount();
  const all = pagesOf(useInfiniteQuery(offers(undefined)));
  return (
    <Endless
      pages={{ ...all, items: all.items?.filter(({ provider }) => provider === userId) }}
      none={
        <Empty icon={IconGift} title={words.noneOwn}>
          {words.noneOwnText}
        </Empty>
      }
      one={words.one}
      other={words.other}
    >
      {(items) => <List items={items} label={words.pageTitle} />}
    </Endless>
  );
}

function List({ items, label }: { items: readonly Offer[]; label: string }) {
  const [now] = useState(() => Date.now());
  return (
    <Lines label={label}>
      {items.map((offer) => {
        const { offerId, title, providerName, description, expires, requiredData, requiredMaxUser, counts } = offer;
        const over = isOver(offer, now);
        const last = dayNear(new Date(expires).toISOString());
        return (
          <Line
            key={offerId}
            to={offerPath(offerId)}
            name={title}
            small={words.by(providerName)}
            below={description}
            middle={sentenceCase(bundleText(requiredData.bundle))}
            end={
              <>
                <StateMark tone={toneOf(offer, now)}>
                  {over && offer.status !== 'draft' ? words.over : words.states[offer.status]}
                </StateMark>
                <small>
                  {counts === undefined || offer.status === 'draft'
                    ? words.upTo(requiredMaxUser)
                    : words.counts(counts.claimed, requiredMaxUser)}
                </small>
                <small>{over ? words.was(last) : words.until(last)}</small>
              </>
            }
          />
        );
      })}
    </Lines>
  );
}
