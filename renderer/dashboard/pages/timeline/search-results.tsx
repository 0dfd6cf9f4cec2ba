import { Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { IconTimelineEvent } from '@tabler/icons-react';
import { isolateText } from '../../../../server/wire/isolation.ts';
import type { Field, TimelineMatches, TimelineSource } from '../../../shared/api/contract.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { endpointFields } from '../../api/queries.ts';
import { timelineSearch } from '../../api/timeline.ts';
import { ChosenIcon } from '../data/endpoints/endpoint-icon.tsx';
import { dayLabel } from './day-label.ts';
import { RecordLine } from './record-line.tsx';
import classes from './timeline-page.module.css';

const texts = m.timeline;
/** Length of the date at the beginning of a local time. */
const DAY_CHARS = '2026-03-01'.length;
const NO_FIELDS: readonly Field[] = [];

type Match = TimelineMatches['matches'][number];

interface SearchResultsProps {
  text: string;
  /** Undefined for all sources. */
  filter: string | undefined;
  sources: ReadonlyMap<string, TimelineSource>;
}

export function SearchResults({ text, filter, sources }: SearchResultsProps) {
  const result = useQuery(timelineSearch(text, filter));
  if (result.isPending || result.isError) return <QueryBoundary query={result} rows={10} height={22} />;
  const { matches, undated, more, enabled, complete } = result.data;
  return (
    <>
      {(!enabled || !complete) && (
        <Text c="dimmed" mb="md">
          {enabled ? texts.incomplete : texts.searchOff}
        </Text>
      )}
      {matches.length === 0 && enabled && (
        <EmptyState icon={IconTimelineEvent} title={texts.empty.filteredTitle}>
          {undated === 0 && (more ? texts.empty.noneOfNewest : texts.empty.noMatches)}
        </EmptyState>
      )}
      {undated > 0 && (
        <Text c="dimmed" mb="md">
          {texts.undated(undated)}
        </Text>
      )}
      <Days matches={matches} sources={sources} />
      {more && matches.length > 0 && <Text c="dimmed">{texts.matches(matches.length)}</Text>}
    </>
  );
}

function Days({ matches, sources }: { matches: readonly Match[] } & Pick<SearchResultsProps, 'sources'>) {
  const endpoints = [...new Set(matches.map(({ source }) => source))];
  const fields = useQueries({ queries: endpoints.map((endpoint) => endpointFields(endpoint)) });
  const fieldsOf = (endpoint: string) => fields[endpoints.indexOf(endpoint)]?.data?.fields ?? NO_FIELDS;
  const days = Map.groupBy(matches, ({ item }) => item.time.slice(0, DAY_CHARS));
  return Array.from(days, ([day, matchesOfDay]) => (
    <section key={day} aria-label={dayLabel(day)} className={classes.day}>
      <h2>{dayLabel(day)}</h2>
      {Array.from(
        Map.groupBy(matchesOfDay, ({ source }) => source),
        ([source, group]) => (
          <div key={source} className={classes.group}>
            <p className={classes.groupName}>
              <ChosenIcon icon={sources.get(source)?.icon} colour={sources.get(source)?.colour} />{' '}
              {texts.groups.records(isolateText(sources.get(source)?.name ?? source), group.length)}
            </p>
            <ol className={classes.list}>
              {group.map(({ item }) => (
                <RecordLine key={item.recordId} record={item} fields={fieldsOf(source)} />
              ))}
            </ol>
          </div>
        ),
      )}
    </section>
  ));
}
