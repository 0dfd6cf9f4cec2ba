import { isolateText } from '../../../server/wire/isolation.ts';
import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import {
  IconApi,
  IconApps,
  IconBook,
  IconChartTreemap,
  IconContract,
  IconDatabaseImport,
  IconDeviceFloppy,
  IconSpeakerphone,
  IconEraser,
  IconHistory,
  IconId,
  IconInfoCircle,
  IconKeyboard,
  IconLogout,
  IconMail,
  IconMathFunction,
  IconMoon,
  IconNote,
  IconPackageImport,
  IconPlus,
  IconProgress,
  IconSearch,
  IconShare,
  IconShieldLock,
  IconSparkles,
  IconSun,
  IconTransfer,
  IconTrash,
  IconUsers,
  IconWorld,
  IconWorldOff,
  IconWorldShare,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { backup, runBackup } from '../api/account/backup.ts';
import { addExamples, examples } from '../api/account/examples.ts';
import { applications } from '../api/sharing/access.ts';
import { functions } from '../api/functions/queries.ts';
import { endpoints } from '../api/queries.ts';
import { runWithToast, showToast } from '../../shared/feedback/toasts.tsx';
import { openChapter } from '../../shared/help/help-link.tsx';
import { useTopLayer } from '../../shared/overlay/use-top-layer.ts';
import { FUNCTION_GUIDE_CHAPTER } from '../../shared/help/chapters.ts';
import { m } from '../../shared/messages/texts.ts';
import {
  BACKUP_PATH,
  CONTRACTS_PATH,
  ERASE_PATH,
  EXPOSURE_PATH,
  MOVE_PATH,
  NETWORK_PATH,
  NOTES_PATH,
  OFFERS_PATH,
  PROFILE_PATH,
  applicationPath,
  endpointPath,
  functionPath,
  navigationEntries,
} from '../navigation.ts';
import { EndpointIcon } from '../pages/data/endpoints/endpoint-icon.tsx';
import { nameOf } from '../pages/functions/function-text.ts';
import { type PaletteGroup, arrangeGroups } from './palette-match.ts';
import { useNamedActions, useSearchResults } from './use-search-actions.tsx';
import { signOut } from '../../shared/layout/account-menu.tsx';

const ICON_PROPS = { size: 18, stroke: 1.6 } as const;

const [store, spotlight] = createSpotlight();

export function openCommandPalette(): void {
  spotlight.open();
}

/** Keeps all groups, because `arrangeGroups` has already filtered them. */
const keepGroups: Spotlight.FilterFunction = (_input, groups) => groups;

/**
 * Opens the first entry on Enter if none is selected. Spotlight loses its selection when search results replace the
 * list, so that Enter would do nothing.
 */
function openFirstResult({ key }: KeyboardEvent): void {
  const list = document.getElementById(store.getState().listId);
  if (key === 'Enter' && list?.querySelector('[data-selected]') === null)
    list.querySelector<HTMLElement>('[data-action]')?.click();
}

/** Opens with Ctrl+K or /. Searches records and files, and finds pages, actions and named items. */
export function CommandPalette({ openShortcuts }: { openShortcuts: () => void }) {
  const navigate = useNavigate();
  const isOpen = useSpotlight(store).opened;
  const endpointSummaries = useQuery({ ...endpoints, enabled: isOpen }).data ?? [];
  const catalogue = useQuery({ ...applications, enabled: isOpen }).data ?? [];
  const installedFunctions = useQuery({ ...functions, enabled: isOpen }).data ?? [];
  const backupState = useQuery({ ...backup, enabled: isOpen }).data;
  const canBackUp = backupState !== undefined && backupState.folder !== null && backupState.running === null;
  const hasNoExamples = useQuery(examples).data?.put === null;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  const words = m.shell.palette;
  const goTo = (to: string) => () => void navigate(to);
  const addExampleData = async () => {
    if (!(await runWithToast(addExamples))) return;
    showToast(m.examples.noticeTitle);
    void navigate('/');
  };
  const startBackup = async () => {
    if (await runWithToast(runBackup)) showToast(m.backup.began);
  };
  const [input, setInput] = useState('');
  const { groups: results, isSearching } = useSearchResults(input, goTo);
  const namedActions = useNamedActions(goTo, isOpen);
  const keywords: Readonly<Record<string, string | undefined>> = words.keywords;
  const withKeywords = <Action extends { id: string }>(action: Action) => ({
    ...action,
    keywords: keywords[action.id] ?? '',
  });

  const pages = [
    ...navigationEntries.map((entry) => ({
      id: entry.id,
      label: entry.label,
      leftSection: <entry.icon {...ICON_PROPS} />,
      onClick: goTo(entry.path),
    })),
    {
      id: 'offers',
      label: words.offers,
      leftSection: <IconSpeakerphone {...ICON_PROPS} />,
      onClick: goTo(OFFERS_PATH),
    },
    {
      id: 'contracts',
      label: words.contracts,
      leftSection: <IconContract {...ICON_PROPS} />,
      onClick: goTo(CONTRACTS_PATH),
    },
    { id: 'notes', label: m.notes.pageTitle, leftSection: <IconNote {...ICON_PROPS} />, onClick: goTo(NOTES_PATH) },
    {
      id: 'imports',
      label: words.imports,
      leftSection: <IconHistory {...ICON_PROPS} />,
      onClick: goTo('/data/imports'),
    },
    {
      id: 'uploads',
      label: words.uploads,
      leftSection: <IconProgress {...ICON_PROPS} />,
      onClick: goTo('/files/uploads'),
    },
    {
      id: 'space',
      label: words.space,
      leftSection: <IconChartTreemap {...ICON_PROPS} />,
      onClick: goTo('/files/space'),
    },
    {
      id: 'deleted-files',
      label: words.deletedFiles,
      leftSection: <IconTrash {...ICON_PROPS} />,
      onClick: goTo('/files/deleted'),
    },
    {
      id: 'function-guide',
      label: words.functionGuide,
      leftSection: <IconBook {...ICON_PROPS} />,
      onClick: () => openChapter(FUNCTION_GUIDE_CHAPTER),
    },
    {
      id: 'messages',
      label: words.messages,
      leftSection: <IconMail {...ICON_PROPS} />,
      onClick: goTo('/history/messages'),
    },
    {
      id: 'deleted',
      label: words.recentlyDeleted,
      leftSection: <IconTrash {...ICON_PROPS} />,
      onClick: goTo('/data/deleted'),
    },
    {
      id: 'security',
      label: words.security,
      leftSection: <IconShieldLock {...ICON_PROPS} />,
      onClick: goTo('/settings/security'),
    },
    {
      id: 'exposure',
      label: m.exposure.pageTitle,
      leftSection: <IconWorldShare {...ICON_PROPS} />,
      onClick: goTo(EXPOSURE_PATH),
    },
    { id: 'profile', label: m.profile.pageTitle, leftSection: <IconId {...ICON_PROPS} />, onClick: goTo(PROFILE_PATH) },
    {
      id: 'backup',
      label: m.settings.sections.backup,
      leftSection: <IconDeviceFloppy {...ICON_PROPS} />,
      onClick: goTo(BACKUP_PATH),
    },
    { id: 'move', label: m.move.pageTitle, leftSection: <IconTransfer {...ICON_PROPS} />, onClick: goTo(MOVE_PATH) },
    { id: 'erase', label: m.erasure.pageTitle, leftSection: <IconEraser {...ICON_PROPS} />, onClick: goTo(ERASE_PATH) },
    { id: 'network', label: words.network, leftSection: <IconWorld {...ICON_PROPS} />, onClick: goTo(NETWORK_PATH) },
    {
      id: 'people',
      label: words.people,
      leftSection: <IconUsers {...ICON_PROPS} />,
      onClick: goTo('/settings/people'),
    },
    { id: 'api', label: words.api, leftSection: <IconApi {...ICON_PROPS} />, onClick: goTo('/settings/api') },
    {
      id: 'about',
      label: words.about,
      leftSection: <IconInfoCircle {...ICON_PROPS} />,
      onClick: goTo('/settings/about'),
    },
  ];
  const actions = [
    {
      id: 'import',
      label: words.importFile,
      leftSection: <IconDatabaseImport {...ICON_PROPS} />,
      onClick: goTo('/data/imports'),
    },
    {
      id: 'install-function',
      label: words.installFunction,
      leftSection: <IconPackageImport {...ICON_PROPS} />,
      onClick: goTo('/functions'),
    },
    {
      id: 'backup-now',
      label: canBackUp ? m.backup.run : words.openBackup,
      leftSection: <IconDeviceFloppy {...ICON_PROPS} />,
      onClick: canBackUp ? () => void startBackup() : goTo(BACKUP_PATH),
    },
    { id: 'go-dark', label: words.goDark, leftSection: <IconWorldOff {...ICON_PROPS} />, onClick: goTo(EXPOSURE_PATH) },
    { id: 'share-files', label: words.shareFiles, leftSection: <IconShare {...ICON_PROPS} />, onClick: goTo('/files') },
    { id: 'share-table', label: words.shareTable, leftSection: <IconShare {...ICON_PROPS} />, onClick: goTo('/data') },
    {
      id: 'add-note',
      label: m.notes.add,
      leftSection: <IconNote {...ICON_PROPS} />,
      onClick: goTo(`${NOTES_PATH}?edit=new`),
    },
    { id: 'add', label: words.addRecord, leftSection: <IconPlus {...ICON_PROPS} />, onClick: goTo('/data?add=1') },
    ...(hasNoExamples
      ? [
          {
            id: 'examples',
            label: m.examples.offer,
            leftSection: <IconSparkles {...ICON_PROPS} />,
            onClick: () => void addExampleData(),
          },
        ]
      : []),
    {
      id: 'scheme',
      label: isDark ? words.switchLight : words.switchDark,
      leftSection: isDark ? <IconSun {...ICON_PROPS} /> : <IconMoon {...ICON_PROPS} />,
      onClick: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    {
      id: 'shortcuts',
      label: words.shortcuts,
      leftSection: <IconKeyboard {...ICON_PROPS} />,
      onClick: openShortcuts,
    },
    {
      id: 'sign-out',
      label: words.signOut,
      leftSection: <IconLogout {...ICON_PROPS} />,
      onClick: () => void signOut(),
    },
  ];
  const endpointActions = endpointSummaries.map(({ endpoint, name, icon, colour, records, namespaceDisplay }) => ({
    id: `endpoint ${endpoint}`,
    label: isolateText(name),
    description: `${endpoint} · ${m.data.records(records)}`,
    keywords: [endpoint, namespaceDisplay?.name ?? ''],
    leftSection: <EndpointIcon icon={icon} colour={colour} size={ICON_PROPS.size} />,
    onClick: goTo(endpointPath(endpoint)),
  }));

  const applicationActions = catalogue.map(({ item: { application } }) => ({
    id: `application ${application.id}`,
    label: isolateText(application.info.name),
    description: isolateText(application.info.headline),
    keywords: application.info.headline,
    leftSection: <IconApps {...ICON_PROPS} />,
    onClick: goTo(applicationPath(application.id)),
  }));

  const functionActions = installedFunctions.map((ownerFunction) => ({
    id: `function ${ownerFunction.id}`,
    label: nameOf(ownerFunction),
    description: isolateText(ownerFunction.configuration?.info.headline ?? ''),
    keywords: ownerFunction.configuration?.info.headline ?? '',
    leftSection: <IconMathFunction {...ICON_PROPS} />,
    onClick: goTo(functionPath(ownerFunction.id)),
  }));

  const groups: PaletteGroup<Spotlight.ActionData>[] = [
    { group: words.pages, kind: 'command', actions: pages.map(withKeywords) },
    { group: words.actions, kind: 'command', actions: actions.map(withKeywords) },
    { group: words.endpoints, kind: 'name', actions: endpointActions },
    { group: words.applications, kind: 'name', actions: applicationActions },
    { group: words.functions, kind: 'name', actions: functionActions },
    ...namedActions,
    ...results,
  ];

  // Prevents Escape from also closing the layer below.
  useTopLayer(isOpen);
  return (
    <Spotlight
      store={store}
      attributes={{ content: { 'aria-label': words.label } }}
      shortcut={null}
      radius="lg"
      scrollable
      centered={false}
      yOffset="12vh"
      overlayProps={{ backgroundOpacity: 0.25, blur: 0 }}
      styles={{ search: { fontSize: 'var(--mantine-font-size-md)' } }}
      maxHeight={440}
      query={input}
      onQueryChange={setInput}
      filter={keepGroups}
      nothingFound={isSearching ? words.searching : words.nothing}
      transitionProps={{ duration: 90 }}
      searchProps={{
        placeholder: words.placeholder,
        'aria-label': words.label,
        onKeyDown: openFirstResult,
        leftSection: <IconSearch size={18} stroke={1.6} />,
      }}
      actions={arrangeGroups(input, groups)}
    />
  );
}
