import { isolateText } from '../../../server/wire/isolation.ts';
import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { createSpotlight, Spotlight, isActionsGroup, useSpotlight } from '@mantine/spotlight';
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
  IconPackageImport,
  IconPlus,
  IconProgress,
  IconSearch,
  IconShieldLock,
  IconSun,
  IconTable,
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
import { applications } from '../api/sharing/access.ts';
import { functions } from '../api/functions/queries.ts';
import { endpoints } from '../api/queries.ts';
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
  OFFERS_PATH,
  PROFILE_PATH,
  applicationPath,
  endpointPath,
  functionPath,
  navigationEntries,
} from '../navigation.ts';
import { nameOf } from '../pages/functions/function-text.ts';
import { matchEntries } from './palette-match.ts';
import { useNamedActions, useSearchResults } from './use-search-actions.tsx';
import { signOut } from '../../shared/layout/account-menu.tsx';

const ICON = { size: 18, stroke: 1.6 } as const;

const [store, spotlight] = createSpotlight();

export function openCommandPalette(): void {
  spotlight.open();
}

/** Keeps entries that match the typed text by their names. The server has already matched records and files. */
const filterActions: Spotlight.FilterFunction = (typed, groups) => {
  const { records, recordsIncomplete, files } = m.shell.palette;
  return groups.map((group) => {
    if (!isActionsGroup(group) || [records, recordsIncomplete, files].includes(group.group)) return group;
    return { ...group, actions: matchEntries(typed, group.actions) };
  });
};

/** Opens the first entry if none is selected: Spotlight selects one when the text changes, which is before results arrive. */
function openFirstResult({ key }: KeyboardEvent): void {
  const list = document.getElementById(store.getState().listId);
  if (key === 'Enter' && list?.querySelector('[data-selected]') === null)
    list.querySelector<HTMLElement>('[data-action]')?.click();
}

/** Command palette (Ctrl+K or /): searches records and files, and finds pages, endpoints, people, actions and more by name. */
export function CommandPalette({ openShortcuts }: { openShortcuts: () => void }) {
  const navigate = useNavigate();
  const endpointSummaries = useQuery(endpoints).data ?? [];
  const catalogue = useQuery(applications).data ?? [];
  const installedFunctions = useQuery(functions).data ?? [];
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  const words = m.shell.palette;
  const go = (to: string) => () => void navigate(to);
  const [typed, setTyped] = useState('');
  const results = useSearchResults(typed, go);
  const namedActions = useNamedActions(go);
  const keywords: Readonly<Record<string, string | undefined>> = words.keywords;
  const withKeywords = <Action extends { id: string }>(action: Action) => ({
    ...action,
    keywords: keywords[action.id] ?? '',
  });

  const pages = [
    ...navigationEntries.map((entry) => ({
      id: entry.id,
      label: entry.label,
      leftSection: <entry.icon {...ICON} />,
      onClick: go(entry.path),
    })),
    { id: 'offers', label: words.offers, leftSection: <IconSpeakerphone {...ICON} />, onClick: go(OFFERS_PATH) },
    { id: 'contracts', label: words.contracts, leftSection: <IconContract {...ICON} />, onClick: go(CONTRACTS_PATH) },
    { id: 'imports', label: words.imports, leftSection: <IconHistory {...ICON} />, onClick: go('/data/imports') },
    { id: 'uploads', label: words.uploads, leftSection: <IconProgress {...ICON} />, onClick: go('/files/uploads') },
    { id: 'space', label: words.space, leftSection: <IconChartTreemap {...ICON} />, onClick: go('/files/space') },
    {
      id: 'deleted-files',
      label: words.deletedFiles,
      leftSection: <IconTrash {...ICON} />,
      onClick: go('/files/deleted'),
    },
    {
      id: 'function-guide',
      label: words.functionGuide,
      leftSection: <IconBook {...ICON} />,
      onClick: () => openChapter(FUNCTION_GUIDE_CHAPTER),
    },
    { id: 'messages', label: words.messages, leftSection: <IconMail {...ICON} />, onClick: go('/history/messages') },
    { id: 'deleted', label: words.recentlyDeleted, leftSection: <IconTrash {...ICON} />, onClick: go('/data/deleted') },
    {
      id: 'security',
      label: words.security,
      leftSection: <IconShieldLock {...ICON} />,
      onClick: go('/settings/security'),
    },
    {
      id: 'exposure',
      label: m.exposure.pageTitle,
      leftSection: <IconWorldShare {...ICON} />,
      onClick: go(EXPOSURE_PATH),
    },
    { id: 'profile', label: m.profile.pageTitle, leftSection: <IconId {...ICON} />, onClick: go(PROFILE_PATH) },
    { id: 'backup', label: m.backup.pageTitle, leftSection: <IconDeviceFloppy {...ICON} />, onClick: go(BACKUP_PATH) },
    { id: 'move', label: m.move.pageTitle, leftSection: <IconTransfer {...ICON} />, onClick: go(MOVE_PATH) },
    { id: 'erase', label: m.erasure.pageTitle, leftSection: <IconEraser {...ICON} />, onClick: go(ERASE_PATH) },
    { id: 'network', label: words.network, leftSection: <IconWorld {...ICON} />, onClick: go(NETWORK_PATH) },
    { id: 'people', label: words.people, leftSection: <IconUsers {...ICON} />, onClick: go('/settings/people') },
    { id: 'api', label: words.api, leftSection: <IconApi {...ICON} />, onClick: go('/settings/api') },
    { id: 'about', label: words.about, leftSection: <IconInfoCircle {...ICON} />, onClick: go('/settings/about') },
  ];
  const actions = [
    {
      id: 'import',
      label: words.importFile,
      leftSection: <IconDatabaseImport {...ICON} />,
      onClick: go('/data/imports'),
    },
    {
      id: 'install-function',
      label: words.installFunction,
      leftSection: <IconPackageImport {...ICON} />,
      onClick: go('/functions'),
    },
    { id: 'backup-now', label: words.backUp, leftSection: <IconDeviceFloppy {...ICON} />, onClick: go(BACKUP_PATH) },
    { id: 'go-dark', label: words.goDark, leftSection: <IconWorldOff {...ICON} />, onClick: go(EXPOSURE_PATH) },
    { id: 'add', label: words.addRecord, leftSection: <IconPlus {...ICON} />, onClick: go('/data?add=1') },
    {
      id: 'scheme',
      label: isDark ? words.switchLight : words.switchDark,
      leftSection: isDark ? <IconSun {...ICON} /> : <IconMoon {...ICON} />,
      onClick: () => setColorScheme(isDark ? 'light' : 'dark'),
    },
    {
      id: 'shortcuts',
      label: words.shortcuts,
      leftSection: <IconKeyboard {...ICON} />,
      onClick: openShortcuts,
    },
    { id: 'sign-out', label: words.signOut, leftSection: <IconLogout {...ICON} />, onClick: () => void signOut() },
  ];
  const endpointActions = endpointSummaries.map(({ endpoint, name, records }) => ({
    id: `endpoint ${endpoint}`,
    label: isolateText(name),
    description: `${endpoint} · ${m.data.records(records)}`,
    leftSection: <IconTable {...ICON} />,
    onClick: go(endpointPath(endpoint)),
  }));

  const applicationActions = catalogue.map(({ item: { application } }) => ({
    id: `application ${application.id}`,
    label: isolateText(application.info.name),
    description: isolateText(application.info.headline),
    leftSection: <IconApps {...ICON} />,
    onClick: go(applicationPath(application.id)),
  }));

  const functionActions = installedFunctions.map((installed) => ({
    id: `function ${installed.id}`,
    label: nameOf(installed),
    description: isolateText(installed.configuration?.info.headline ?? ''),
    leftSection: <IconMathFunction {...ICON} />,
    onClick: go(functionPath(installed.id)),
  }));

  // Prevents Escape from also closing the layer below.
  useTopLayer(useSpotlight(store).opened);
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
      limit={40}
      query={typed}
      onQueryChange={setTyped}
      filter={filterActions}
      nothingFound={words.nothing}
      transitionProps={{ duration: 90 }}
      searchProps={{
        placeholder: words.placeholder,
        'aria-label': words.label,
        onKeyDown: openFirstResult,
        leftSection: <IconSearch size={18} stroke={1.6} />,
      }}
      actions={[
        { group: words.pages, actions: pages.map(withKeywords) },
        { group: words.actions, actions: actions.map(withKeywords) },
        { group: words.applications, actions: applicationActions },
        { group: words.functions, actions: functionActions },
        { group: words.endpoints, actions: endpointActions },
        ...namedActions,
        ...results,
      ]}
    />
  );
}
