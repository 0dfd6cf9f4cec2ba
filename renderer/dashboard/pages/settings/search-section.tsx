import { MultiSelect, Stack, Switch, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { SearchIndex, SearchIndexChange } from '../../../../server/wire/search.ts';
import { FILE_TEXTS_MAX_BYTES } from '../../../../server/wire/work-limits.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { bytes } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { fileSummary } from '../../api/files/queries.ts';
import { endpoints } from '../../api/queries.ts';
import { Section } from '../../components/page.tsx';
import { useDataNames } from '../../consent/use-data-names.ts';
import { groupBySource } from '../data/endpoints/sources.ts';
import classes from './search-section.module.css';

const texts = m.settings.search;
const PROGRESS_INTERVAL_MS = 1000;
/** Size of the suggestion list. Typing finds the other sources. */
const MAX_LISTED_SOURCES = 100;

const isBuilding = ({ remaining, fileTexts }: SearchIndex): boolean => remaining > 0 || fileTexts.remaining > 0;

const searchIndex = queryOptions({
  queryKey: ['search-index'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/search-index', {}, signal),
  refetchInterval: ({ state: { data } }) => (data !== undefined && isBuilding(data) ? PROGRESS_INTERVAL_MS : false),
});

export function SearchSection() {
  const index = useQuery(searchIndex);
  return (
    <Section title={texts.title}>
      <QueryBoundary query={index} />
      {index.data !== undefined && <SearchSettings index={index.data} />}
    </Section>
  );
}

function recordStatus({ remaining, bytes: size }: SearchIndex): string {
  return remaining > 0 ? texts.building(remaining) : texts.size(bytes(size));
}

function fileStatus({ remaining, bytes: size, unopened, unreadable, leftOut }: SearchIndex['fileTexts']): string {
  if (remaining > 0) return texts.fileTextsBuilding(remaining);
  return [
    texts.fileTextsSize(bytes(size)),
    ...(unopened > 0 ? [texts.fileTextsUnopened(unopened)] : []),
    ...(unreadable > 0 ? [texts.fileTextsUnreadable(unreadable)] : []),
    ...(leftOut > 0 ? [texts.fileTextsLeftOut(leftOut, bytes(FILE_TEXTS_MAX_BYTES))] : []),
  ].join(' ');
}

function SearchSettings({ index }: { index: SearchIndex }) {
  const sources = groupBySource(useQuery(endpoints).data ?? []).map(({ namespace }) => namespace);
  const names = useDataNames();
  const fileSources = (useQuery(fileSummary).data?.sources ?? []).map(({ source }) => source);
  const change = useMutation({
    // Changes are sent one after another, so that the last response belongs to the last change.
    scope: { id: 'search-index' },
    mutationFn: (body: SearchIndexChange) => call('PUT /api/v2.6/owner/search-index', { body }),
    onSuccess: (updatedIndex) => {
      queryClient.setQueryData(searchIndex.queryKey, updatedIndex);
      void queryClient.invalidateQueries({ queryKey: ['record-search'] });
    },
  });
  // The controls stay enabled while a change is saved, because a disabled control loses focus. They show the latest
  // choice.
  const pendingChange = change.isPending ? change.variables : {};
  const {
    enabled = index.enabled,
    excludedSources = index.excludedSources,
    fileTexts = index.fileTexts.enabled,
  } = pendingChange;
  return (
    <Stack gap="md" maw="36rem">
      <Switch
        label={texts.enabled}
        description={texts.enabledText}
        checked={enabled}
        onChange={(event) => change.mutate({ enabled: event.currentTarget.checked })}
      />
      <Switch
        label={texts.fileTexts}
        description={texts.fileTextsText}
        checked={fileTexts}
        onChange={(event) => change.mutate({ fileTexts: event.currentTarget.checked })}
      />
      {(enabled || fileTexts) && (
        <>
          <MultiSelect
            label={texts.excluded}
            description={texts.excludedText}
            data={[...new Set([...sources, ...fileSources, ...excludedSources])].map((value) => ({
              value,
              label: names.namespace(value),
            }))}
            value={excludedSources}
            limit={MAX_LISTED_SOURCES}
            searchable
            classNames={{ inputField: classes.field ?? '' }}
            onChange={(newSources) => change.mutate({ excludedSources: newSources })}
          />
          <Text c="dimmed" role="status">
            {[...(enabled ? [recordStatus(index)] : []), ...(fileTexts ? [fileStatus(index.fileTexts)] : [])].join(' ')}
          </Text>
        </>
      )}
      <SubmitError problem={change.error ?? undefined} />
    </Stack>
  );
}
