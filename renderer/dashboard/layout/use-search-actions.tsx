import type { Spotlight } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import {
  IconDatabaseImport,
  IconEye,
  IconFile,
  IconFiles,
  IconFileText,
  IconFolderShare,
  IconLink,
  IconMail,
  IconStack2,
  IconUser,
} from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { isolateText } from '../../../server/wire/isolation.ts';
import { MAX_RECORD_SEARCH_CHARS } from '../../../server/wire/limits.ts';
import { call } from '../../shared/api/client.ts';
import { dayShort } from '../../shared/format/format.ts';
import { m } from '../../shared/messages/texts.ts';
import { invitations } from '../api/account/invitations.ts';
import { users } from '../api/account/users.ts';
import { collections } from '../api/files/collections.ts';
import { UNFILTERED, filePage } from '../api/files/queries.ts';
import { shareLinks } from '../api/files/share-links.ts';
import { type ShareTarget, targetShares } from '../api/files/target-shares.ts';
import { imports } from '../api/queries.ts';
import { debitsQuery } from '../api/sharing/debits.ts';
import { LINKS_PATH, PEOPLE_PATH, filesPath, importPath, recordPath, requestPath, sharingPath } from '../navigation.ts';
import { EndpointIcon } from '../pages/data/endpoints/endpoint-icon.tsx';
import type { PaletteGroup } from './palette-match.ts';

const ICON_PROPS = { size: 18, stroke: 1.6 } as const;
const SEARCH_MIN_CHARS = 2;
const SEARCH_DEBOUNCE_MS = 120;
const MAX_RESULTS = 8;
const MAX_SHOWN_TAGS = 5;

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
  isSearching: boolean;
}

/** Searches records, the text of files, and the names, titles, descriptions and tags of files. */
export function useSearchResults(input: string, goTo: (to: string) => () => void): SearchResults {
  const texts = m.shell.palette;
  const currentText = input.trim().slice(0, MAX_RECORD_SEARCH_CHARS);
  const [debouncedText] = useDebouncedValue(currentText, SEARCH_DEBOUNCE_MS);
  const records = useQuery(recordSearch(debouncedText));
  const files = useQuery({
    ...filePage(
      { ...UNFILTERED, search: debouncedText, show: 'completed', sort: 'added', order: 'descending' },
      0,
      MAX_RESULTS,
    ),
    enabled: debouncedText.length >= SEARCH_MIN_CHARS,
    placeholderData: keepPreviousData,
  });
  const isSearching =
    currentText.length >= SEARCH_MIN_CHARS && (debouncedText !== currentText || records.isFetching || files.isFetching);
  if (debouncedText.length < SEARCH_MIN_CHARS) return { groups: [], isSearching };
  const isComplete = records.data?.isComplete ?? true;
  const foundFiles = files.data?.files ?? [];
  const areTextsComplete = records.data?.files.isComplete ?? true;
  const hasMoreFiles = (files.data?.total ?? 0) > foundFiles.length;
  const groups: ActionGroup[] = [
    {
      group: isComplete ? texts.records : texts.recordsIncomplete,
      kind: 'content',
      actions: (records.data?.matches ?? []).map(({ recordId, name, icon, colour, excerpt, dateCreated }) => ({
        id: `record ${recordId}`,
        label: isolateText(excerpt),
        description: texts.recordOf(isolateText(name), dayShort(dateCreated)),
        leftSection: <EndpointIcon icon={icon} colour={colour} />,
        onClick: goTo(recordPath(recordId)),
      })),
    },
    {
      group: m.files.pageTitle,
      kind: 'content',
      actions: [
        ...foundFiles.map(({ file }) => ({
          id: `file ${file.fileId}`,
          label: isolateText(file.name),
          description: [file.source, ...(file.tags ?? []).slice(0, MAX_SHOWN_TAGS)].map(isolateText).join(' · '),
          leftSection: <IconFile {...ICON_PROPS} />,
          onClick: goTo(filesPath({ file: file.fileId })),
        })),
        ...(hasMoreFiles
          ? [
              {
                id: 'all-files',
                label: texts.allFiles,
                leftSection: <IconFiles {...ICON_PROPS} />,
                onClick: goTo(filesPath({ search: debouncedText })),
              },
            ]
          : []),
      ],
    },
    {
      group: areTextsComplete ? texts.fileTexts : texts.fileTextsIncomplete,
      kind: 'content',
      actions: (records.data?.files.matches ?? []).map(({ fileId, name, excerpt }) => ({
        id: `text of ${fileId}`,
        label: isolateText(excerpt),
        description: isolateText(name),
        leftSection: <IconFileText {...ICON_PROPS} />,
        onClick: goTo(filesPath({ file: fileId })),
      })),
    },
  ];
  return { groups, isSearching };
}

function useConsentGroup(goTo: (to: string) => () => void, isOpen: boolean): ActionGroup {
  const items = useQuery({ ...debitsQuery, enabled: isOpen }).data ?? [];
  return {
    group: m.shell.palette.consents,
    kind: 'name',
    actions: items
      .filter(({ debit }) => debit.state !== 'removed')
      .map(({ debit: { dataDebitKey, requestClientName, state }, requester }) => ({
        id: `consent ${dataDebitKey}`,
        label: isolateText(requestClientName),
        description: isolateText(dataDebitKey),
        keywords: [requester.name, dataDebitKey],
        leftSection: <IconEye {...ICON_PROPS} />,
        onClick: goTo(state === 'pending' ? requestPath(dataDebitKey) : sharingPath(dataDebitKey)),
      })),
  };
}

function sharedFoldersOf(targets: readonly ShareTarget[]): ShareTarget[] {
  const folders = targets.filter(({ kind }) => kind === 'folder');
  return [...new Map(folders.map((folder) => [folder.id, folder])).values()];
}

function useSharedFileGroups(goTo: (to: string) => () => void, isOpen: boolean): ActionGroup[] {
  const allCollections = useQuery({ ...collections, enabled: isOpen }).data ?? [];
  const shares = useQuery({ ...targetShares, enabled: isOpen }).data ?? [];
  const links = useQuery({ ...shareLinks, enabled: isOpen }).data ?? [];
  return [
    {
      group: m.collections.label,
      kind: 'name',
      actions: allCollections.map(({ collectionId, name }) => ({
        id: `collection ${collectionId}`,
        label: isolateText(name),
        leftSection: <IconStack2 {...ICON_PROPS} />,
        onClick: goTo(filesPath({ collection: collectionId })),
      })),
    },
    {
      group: m.shell.palette.sharedFolders,
      kind: 'name',
      actions: sharedFoldersOf(shares.map(({ target }) => target)).map(({ id, name }) => ({
        id: `folder ${id}`,
        label: isolateText(name),
        description: isolateText(id),
        keywords: id,
        leftSection: <IconFolderShare {...ICON_PROPS} />,
        onClick: goTo(filesPath({ folder: id })),
      })),
    },
    {
      group: m.shareLinks.pageTitle,
      kind: 'name',
      actions: links.map(({ linkId, name }) => ({
        id: `link ${linkId}`,
        label: isolateText(name),
        leftSection: <IconLink {...ICON_PROPS} />,
        onClick: goTo(LINKS_PATH),
      })),
    },
  ];
}

/** Returns people, and account invitations that have not been accepted, including expired and revoked ones. */
function usePeopleGroups(goTo: (to: string) => () => void, isOpen: boolean): ActionGroup[] {
  const people = useQuery({ ...users, enabled: isOpen }).data ?? [];
  const unusedInvitations = (useQuery({ ...invitations, enabled: isOpen }).data ?? []).filter(
    ({ kind, state }) => kind === 'account' && state !== 'accepted',
  );
  return [
    {
      group: m.settings.sections.people,
      kind: 'name',
      actions: people.map(({ userId, name }) => ({
        id: `person ${userId}`,
        label: isolateText(name),
        leftSection: <IconUser {...ICON_PROPS} />,
        onClick: goTo(PEOPLE_PATH),
      })),
    },
    {
      group: m.shell.palette.invitations,
      kind: 'name',
      actions: unusedInvitations.map(({ invitationId, name }) => ({
        id: `invitation ${invitationId}`,
        label: isolateText(name),
        leftSection: <IconMail {...ICON_PROPS} />,
        onClick: goTo(PEOPLE_PATH),
      })),
    },
  ];
}

/** Returns items that are matched in the browser, because there are few. Loads them while the palette is open. */
export function useNamedItemGroups(goTo: (to: string) => () => void, isOpen: boolean): ActionGroup[] {
  const consents = useConsentGroup(goTo, isOpen);
  const people = usePeopleGroups(goTo, isOpen);
  const sharedFiles = useSharedFileGroups(goTo, isOpen);
  const jobs = useQuery({ ...imports, enabled: isOpen }).data ?? [];
  return [
    consents,
    ...people,
    ...sharedFiles,
    {
      group: m.imports.listTitle,
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
