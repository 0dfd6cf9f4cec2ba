import { SegmentedControl } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { type InfiniteData, type UseInfiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Section } from '../../components/page-frame.tsx';
import { Empty } from '../../components/states.tsx';
import { useCan } from '../api/account.ts';
import { Endless, pagesOf } from './endless.tsx';
import { Nothing } from './nothing.tsx';
import { Page } from './page.tsx';

interface Words<Choice extends string> {
  pageTitle: string;
  lead: string;
  leadOwn: string;
  waiting: string;
  nothingWaits: string;
  others: string;
  which: string;
  lists: Readonly<Record<Choice, string>>;
  none: Readonly<Record<Choice, string>>;
  noneOwn: string;
  noneOwnText: string;
  one: string;
  other: string;
}

interface HandedInProps<Item, State extends string, Choice extends State> {
  words: Words<Choice>;
  icon: Icon;
  /** What is in a state; without one all that the account may read. */
  read: (state: State | undefined) => UseInfiniteQueryOptions<Item[], Error, InfiniteData<Item[]>, string[], string>;
  /** The state in which it wants a decision. */
  waits: State;
  /** The other states; the first of them is shown until another is chosen. */
  choices: readonly [Choice, ...Choice[]];
  /** Whether it is the account's own, where accounts read more than that. */
  isOwn?: (item: Item) => boolean;
  children: (items: readonly Item[], label: string) => ReactNode;
}

/** What was handed in to the exchange: administrators see what waits for them and then all others, everybody else their own. */
export function HandedInPage<Item, State extends string, Choice extends State>(
  props: HandedInProps<Item, State, Choice>,
) {
  const { words } = props;
  const decides = useCan('administrator');
  return (
    <Page title={words.pageTitle} lead={decides ? words.lead : words.leadOwn}>
      {decides ? (
        <>
          <Waiting {...props} />
          <Others {...props} />
        </>
      ) : (
        <Own {...props} />
      )}
    </Page>
  );
}

function Waiting<Item, State extends string, Choice extends State>(props: HandedInProps<Item, State, Choice>) {
  const { words, read, waits, children } = props;
  return (
    <Section title={words.waiting}>
      <Endless
        pages={pagesOf(useInfiniteQuery(read(waits)))}
        none={<Nothing>{words.nothingWaits}</Nothing>}
        one={words.one}
        other={words.other}
      >
        {(items) => children(items, words.waiting)}
      </Endless>
    </Section>
  );
}

function Others<Item, State extends string, Choice extends State>(props: HandedInProps<Item, State, Choice>) {
  const { words, read, choices, children } = props;
  const [query, setQuery] = useSearchParams();
  const [first] = choices;
  const choice = choices.find((one) => one === query.get('state')) ?? first;
  return (
    <Section
      title={words.others}
      aside={
        <SegmentedControl
          aria-label={words.which}
          size="xs"
          value={choice}
          onChange={(state) => setQuery(state === first ? {} : { state }, { replace: true })}
          data={choices.map((value) => ({ value, label: words.lists[value] }))}
        />
      }
    >
      <Endless
        pages={pagesOf(useInfiniteQuery(read(choice)))}
        none={<Nothing>{words.none[choice]}</Nothing>}
        one={words.one}
        other={words.other}
      >
        {(items) => children(items, words.lists[choice])}
      </Endless>
    </Section>
  );
}

function Own<Item, State extends string, Choice extends State>(props: HandedInProps<Item, State, Choice>) {
  const { words, icon, read, isOwn = () => true, children } = props;
  const all = pagesOf(useInfiniteQuery(read(undefined)));
  return (
    <Endless
      pages={{ ...all, items: all.items?.filter(isOwn) }}
      none={
        <Empty icon={icon} title={words.noneOwn}>
          {words.noneOwnText}
        </Empty>
      }
      one={words.one}
      other={words.other}
    >
      {(items) => children(items, words.pageTitle)}
    </Endless>
  );
}
