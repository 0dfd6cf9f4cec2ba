import { SegmentedControl } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { type InfiniteData, type UseInfiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Section } from '../../shared/layout/page-frame.tsx';
import { EmptyState } from '../../shared/feedback/states.tsx';
import { useHasRole } from '../api/account.ts';
import { InfiniteList, toItemList } from './infinite-list.tsx';
import { Note } from './note.tsx';
import { Page } from './page.tsx';

interface SubmissionTexts<Choice extends string> {
  pageTitle: string;
  lead: string;
  leadOwn: string;
  pendingTitle: string;
  nonePending: string;
  othersTitle: string;
  stateFilterLabel: string;
  lists: Readonly<Record<Choice, string>>;
  emptyTexts: Readonly<Record<Choice, string>>;
  noneOwn: string;
  noneOwnText: string;
  singular: string;
  plural: string;
}

interface SubmissionsPageProps<Item, State extends string, Choice extends State> {
  texts: SubmissionTexts<Choice>;
  icon: Icon;
  /** An undefined state queries all items that the account may read. */
  query: (state: State | undefined) => UseInfiniteQueryOptions<Item[], Error, InfiniteData<Item[]>, string[], string>;
  pendingState: State;
  /** The first choice is the default. */
  otherStates: readonly [Choice, ...Choice[]];
  /** Required if accounts can also read items of other accounts. */
  isOwn?: (item: Item) => boolean;
  children: (items: readonly Item[], label: string) => ReactNode;
}

export function SubmissionsPage<Item, State extends string, Choice extends State>(
  props: SubmissionsPageProps<Item, State, Choice>,
) {
  const { texts } = props;
  const isAdministrator = useHasRole('administrator');
  return (
    <Page title={texts.pageTitle} lead={isAdministrator ? texts.lead : texts.leadOwn}>
      {isAdministrator ? (
        <>
          <PendingItems {...props} />
          <OtherItems {...props} />
        </>
      ) : (
        <OwnItems {...props} />
      )}
    </Page>
  );
}

function PendingItems<Item, State extends string, Choice extends State>(
  props: SubmissionsPageProps<Item, State, Choice>,
) {
  const { texts, query, pendingState, children } = props;
  return (
    <Section title={texts.pendingTitle}>
      <InfiniteList
        list={toItemList(useInfiniteQuery(query(pendingState)))}
        emptyState={<Note>{texts.nonePending}</Note>}
        singular={texts.singular}
        plural={texts.plural}
      >
        {(items) => children(items, texts.pendingTitle)}
      </InfiniteList>
    </Section>
  );
}

function OtherItems<Item, State extends string, Choice extends State>(
  props: SubmissionsPageProps<Item, State, Choice>,
) {
  const { texts, query, otherStates, children } = props;
  const [parameters, setParameters] = useSearchParams();
  const [defaultState] = otherStates;
  const choice = otherStates.find((state) => state === parameters.get('state')) ?? defaultState;
  return (
    <Section
      title={texts.othersTitle}
      aside={
        <SegmentedControl
          aria-label={texts.stateFilterLabel}
          size="xs"
          value={choice}
          onChange={(state) => setParameters(state === defaultState ? {} : { state }, { replace: true })}
          data={otherStates.map((value) => ({ value, label: texts.lists[value] }))}
        />
      }
    >
      <InfiniteList
        list={toItemList(useInfiniteQuery(query(choice)))}
        emptyState={<Note>{texts.emptyTexts[choice]}</Note>}
        singular={texts.singular}
        plural={texts.plural}
      >
        {(items) => children(items, texts.lists[choice])}
      </InfiniteList>
    </Section>
  );
}

function OwnItems<Item, State extends string, Choice extends State>(props: SubmissionsPageProps<Item, State, Choice>) {
  const { texts, icon, query, isOwn = () => true, children } = props;
  const list = toItemList(useInfiniteQuery(query(undefined)));
  return (
    <InfiniteList
      list={{ ...list, items: list.items?.filter(isOwn) }}
      emptyState={
        <EmptyState icon={icon} title={texts.noneOwn}>
          {texts.noneOwnText}
        </EmptyState>
      }
      singular={texts.singular}
      plural={texts.plural}
    >
      {(items) => children(items, texts.pageTitle)}
    </InfiniteList>
  );
}
