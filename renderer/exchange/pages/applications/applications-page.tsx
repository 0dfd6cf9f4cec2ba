import { SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { IconApps } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { PageFrame, Section } from '../../../components/page-frame.tsx';
import { Empty } from '../../../components/states.tsx';
import { useCan } from '../../api/account.ts';
import type { Listed } from '../../api/client.ts';
import { listed } from '../../api/queries.ts';
import { Endless, pagesOf } from '../../components/endless.tsx';
import { Line, Lines, Nothing } from '../../components/lines.tsx';
import { Moment } from '../../components/moment.tsx';
import { StateMark, type Tone } from '../../components/state-mark.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/en.ts';
import { applicationPath } from '../../navigation.ts';
import { rightsInShort } from './rights.ts';

const words = x.applications;

export const TONES: Record<Listed['state'], Tone> = {
  draft: 'none',
  waiting: 'wait',
  published: 'good',
  suspended: 'stop',
};

type Choice = keyof typeof words.lists;
const CHOICES = ['published', 'suspended', 'draft'] as const satisfies readonly Choice[];

export function ApplicationsPage() {
  return (
    <Only role="developer">
      <Applications />
    </Only>
  );
}

function Applications() {
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
          <Others />
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
        pages={pagesOf(useInfiniteQuery(listed('waiting')))}
        none={<Nothing>{words.nothingWaits}</Nothing>}
        one={words.one}
        other={words.other}
      >
        {(items) => <List items={items} label={words.waiting} />}
      </Endless>
    </Section>
  );
}

function Others() {
  const [query, setQuery] = useSearchParams();
  const choice = CHOICES.find((one) => one === query.get('state')) ?? 'published';
  return (
    <Section
      title={words.others}
      aside={
        <SegmentedControl
          aria-label={words.which}
          size="xs"
          value={choice}
          onChange={(state) => setQuery(state === 'published' ? {} : { state }, { replace: true })}
          data={CHOICES.map((value) => ({ value, label: words.lists[value] }))}
        />
      }
    >
      <Endless
        pages={pagesOf(useInfiniteQuery(listed(choice)))}
        none={<Nothing>{words.none[choice]}</Nothing>}
        one={words.one}
        other={words.other}
      >
        {(items) => <List items={items} label={words.lists[choice]} />}
      </Endless>
    </Section>
  );
}

function Own() {
  return (
    <Endless
      pages={pagesOf(useInfiniteQuery(listed(undefined)))}
      none={
        <Empty icon={IconApps} title={words.noneOwn}>
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

function List({ items, label }: { items: readonly Listed[]; label: string }) {
  return (
    <Lines label={label}>
      {items.map(({ application, developer, state, changed }) => {
        const { id, info, kind } = application;
        return (
          <Line
            key={id}
            to={applicationPath(id)}
            name={info.name}
            small={`${words.kinds[kind.kind] ?? kind.kind} ${words.by(developer)}`}
            below={info.headline}
            middle={rightsInShort(application)}
            end={
              <>
                <StateMark tone={TONES[state]}>{words.states[state]}</StateMark>
                <small>
                  {words.page.version(info.version)}, <Moment at={changed} short />
                </small>
              </>
            }
          />
        );
      })}
    </Lines>
  );
}
