import type { Spotlight } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDatabaseImport, IconFile, IconFiles, IconUser } from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { isolateText } from '../../../server/wire/isolation.ts';
import { MAX_RECORD_SEARCH_CHARS } from '../../../server/wire/limits.ts';
import { call } from '../../shared/api/client.ts';
import { dayShort } from '../../shared/format/format.ts';
import { m } from '../../shared/messages/texts.ts';
import { users } from '../api/account/users.ts';
import { UNFILTERED, filePage } from '../api/files/queries.ts';
import { imports } from '../api/queries.ts';
import { filesPath, importPath, recordPath } from '../navigation.ts';
import { EndpointIcon } from '../pages/data/endpoints/endpoint-icon.tsx';
import type { PaletteGroup } from './palette-match.ts';

const ICON_PROPS = { size: 18, stroke: 1.6 } as const;
/** Length of the input from which records and files are searched. */
const SEARCH_MIN_CHARS = 2;
/** Milliseconds without input before a search. */
const SEARCH_DEBOUNCE_MS = 120;
const MAX_RESULTS = 8;

const recordSearch = (text: string) =>
  queryOptions({
    queryKey: ['record-search', text],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/search', { query: { text, take: MAX_RESULTS } }, signal),
    enabled: text.length >= SEARCH_MIN_CHARS,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });

type ActionGroup = PaletteGroup<Spotlight.ActionData>;

interface SearchResults {
  groups: ActionGroup[];
  /** True while the server searches for the current input. */
  isSearching: boolean;
}

/** Returns the records and files that contain the input, as found by the server. */
export function useSearchResults(input: string, goTo: (to: string) => () => void): SearchResults {
  const words = m.shell.palette;
  const currentText = input.trim().slice(0, MAX_RECORD_SEARCH_CHARS);
  const [debouncedText] = useDebouncedValue(currentText, SEARCH_DEBOUNCE_MS);
  const records = useQuery(recordSearch(debouncedText));
  const files = useQuery({
    ...filePage(
      { ...UNFILTERED, search: debouncedText, show: 'here', sort: 'added', order: 'descending' },
      0,
      MAX_RESULTS,
    ),
    enabled: debouncedText.length >= SEARCH_MIN_CHARS,
    placeholderData: keepPreviousData,
  });
  const isSearching =
    currentText.length >= SEARCH_MIN_CHARS &&
    (debouncedText !== currentText || records.isFetching || files.isFetching);
  if (debouncedText.length < SEARCH_MIN_CHARS) return { groups: [], isSearching };
  const isComplete = records.data?.isComplete ?? true;
  const foundFiles = files.data?.files ?? [];
  const hasMoreFiles = (files.data?.total ?? 0) > foundFiles.length;
  const groups: ActionGroup[] = [
    {
      group: isComplete ? words.records : words.recordsIncomplete,
      kind: 'content',
      actions: (records.data?.matches ?? []).map(({ recordId, name, icon, colour, excerpt, dateCreated }) => ({
        id: `record ${recordId}`,
        label: isolateText(excerpt),
        description: words.recordOf(isolateText(name), dayShort(dateCreated)),
        leftSection: <EndpointIcon icon={icon} colour={colour} />,
        onClick: goTo(recordPath(recordId)),
      })),
    },
    {
      group: words.files,
      kind: 'content',
      actions: [
        ...foundFiles.map(({ file }) => ({
          id: `file ${file.fileId}`,
          label: isolateText(file.name),
          description: isolateText(file.source),
          leftSection: <IconFile {...ICON_PROPS} />,
          onClick: goTo(filesPath({ file: file.fileId })),
        })),
        ...(hasMoreFiles
          ? [
              {
                id: 'all-files',
                label: words.allFiles,
                leftSection: <IconFiles {...ICON_PROPS} />,
                onClick: goTo(filesPath({ search: debouncedText })),
              },
            ]
          : []),
      ],
    },
  ];
  return { groups, isSearching };
}

/** Returns all people and imports. The palette matches them itself, because there are few. */
export function useNamedActions(goTo: (to: string) => () => void): ActionGroup[] {
  const words = m.shell.palette;
  const people = useQuery(users).data ?? [];
  const jobs = useQuery(imports).data ?? [];
  return [
    {
      group: words.people,
      kind: 'name',
      actions: people.map(({ userId, name }) => ({
        id: `person ${userId}`,
        label: isolateText(name),
        leftSection: <IconUser {...ICON_PROPS} />,
        onClick: goTo('/settings/people'),
      })),
    },
    {
      group: words.imports,
      kind: 'name',
      actions: jobs.map(({ importId, fileName, endpoint }) => ({
        id: `import ${importId}`,
        label: isolateText(fileName),
        ...(endpoint === null ? {} : { description: isolateText(endpoint), keywords: endpoint }),
        leftSection: <IconDatabaseImport {...ICON_PROPS} />,
        onClick: goTo(importPath(importId)),
      })),
    },
  ];
}
