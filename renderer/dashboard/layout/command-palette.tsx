import { isolateText } from '../../../server/wire/isolation.ts';
import '@mantine/spotlight/styles.css';
import { useMantineColorScheme } from '@mantine/core';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import {
  type Icon,
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
  IconLink,
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
  LINKS_PATH,
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
import { useNamedItemGroups, useSearchResults } from './use-search-actions.tsx';
import { signOut } from '../../shared/layout/account-menu.tsx';

const ICON_PROPS = { size: 18, stroke: 1.6 } as const;

const command = (id: string, label: string, CommandIcon: Icon, onClick: () => void) => ({
  id,
  label,
  leftSection: <CommandIcon {...ICON_PROPS} />,
  onClick,
});

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

export function CommandPalette({ openShortcuts }: { openShortcuts: () => void }) {
  const navigate = useNavigate();
  const isOpen = useSpotlight(store).opened;
  const endpointSummaries = useQuery({ ...endpoints, enabled: isOpen }).data ?? [];
  const catalogue = useQuery({ ...applications, enabled: isOpen }).data ?? [];
  const installedFunctions = useQuery({ ...functions, enabled: isOpen }).data ?? [];
  const backupState = useQuery({ ...backup, enabled: isOpen }).data;
  const canBackUp = backupState !== undefined && backupState.folder !== null && backupState.running === null;
  const hasNoExamples = useQuery(examples).data?.stored === null;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isDark =
    colorScheme === 'dark' || (colorScheme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  const texts = m.shell.palette;
  const goTo = (to: string) => () => void navigate(to);
  const addExampleData = async () => {
    if (!(await runWithToast(addExamples))) return;
    showToast(m.examples.noticeTitle);
    void navigate('/');
  };
  const startBackup = async () => {
    if (await runWithToast(runBackup)) showToast(m.backup.started);
  };
  const [input, setInput] = useState('');
  const { groups: results, isSearching } = useSearchResults(input, goTo);
  const namedItemGroups = useNamedItemGroups(goTo, isOpen);
  const keywords: Readonly<Record<string, string | undefined>> = texts.keywords;
  const withKeywords = <Action extends { id: string }>(action: Action) => ({
    ...action,
    keywords: keywords[action.id] ?? '',
  });

  const pages = [
    ...navigationEntries.map(({ id, label, icon, path }) => command(id, label, icon, goTo(path))),
    command('offers', m.offers.pageTitle, IconSpeakerphone, goTo(OFFERS_PATH)),
    command('contracts', m.network.contracts.joined, IconContract, goTo(CONTRACTS_PATH)),
    command('share-links', m.shareLinks.pageTitle, IconLink, goTo(LINKS_PATH)),
    command('notes', m.notes.pageTitle, IconNote, goTo(NOTES_PATH)),
    command('imports', m.imports.listTitle, IconHistory, goTo('/data/imports')),
    command('uploads', m.files.uploading.title, IconProgress, goTo('/files/uploads')),
    command('space', texts.space, IconChartTreemap, goTo('/files/space')),
    command('deleted-files', texts.deletedFiles, IconTrash, goTo('/files/deleted')),
    command('function-guide', m.functions.empty.guide, IconBook, () => openChapter(FUNCTION_GUIDE_CHAPTER)),
    command('messages', m.history.messages.pageTitle, IconMail, goTo('/history/messages')),
    command('deleted', m.data.deletion.list.title, IconTrash, goTo('/data/deleted')),
    command('security', m.settings.sections.security, IconShieldLock, goTo('/settings/security')),
    command('exposure', m.exposure.pageTitle, IconWorldShare, goTo(EXPOSURE_PATH)),
    command('profile', m.profile.pageTitle, IconId, goTo(PROFILE_PATH)),
    command('backup', m.settings.sections.backup, IconDeviceFloppy, goTo(BACKUP_PATH)),
    command('move', m.move.pageTitle, IconTransfer, goTo(MOVE_PATH)),
    command('erase', m.erasure.pageTitle, IconEraser, goTo(ERASE_PATH)),
    command('network', m.settings.sections.network, IconWorld, goTo(NETWORK_PATH)),
    command('people', m.settings.sections.people, IconUsers, goTo('/settings/people')),
    command('api', texts.api, IconApi, goTo('/settings/api')),
    command('about', texts.about, IconInfoCircle, goTo('/settings/about')),
  ];
  const actions = [
    command('import', m.home.empty.importTitle, IconDatabaseImport, goTo('/data/imports')),
    command('install-function', texts.installFunction, IconPackageImport, goTo('/functions')),
    canBackUp
      ? command('backup-now', m.backup.run, IconDeviceFloppy, () => void startBackup())
      : command('backup-now', texts.openBackup, IconDeviceFloppy, goTo(BACKUP_PATH)),
    command('go-dark', texts.goDark, IconWorldOff, goTo(EXPOSURE_PATH)),
    command('share-files', texts.shareFiles, IconShare, goTo('/files')),
    command('share-table', texts.shareTable, IconShare, goTo('/data')),
    command('add-note', m.notes.add, IconNote, goTo(`${NOTES_PATH}?edit=new`)),
    command('add', m.home.empty.addTitle, IconPlus, goTo('/data?add=1')),
    ...(hasNoExamples ? [command('examples', m.examples.offer, IconSparkles, () => void addExampleData())] : []),
    isDark
      ? command('scheme', texts.switchLight, IconSun, () => setColorScheme('light'))
      : command('scheme', texts.switchDark, IconMoon, () => setColorScheme('dark')),
    command('shortcuts', m.shell.shortcuts.title, IconKeyboard, openShortcuts),
    command('sign-out', m.shell.account.signOut, IconLogout, () => void signOut()),
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
    { group: m.shell.nav.label, kind: 'command', actions: pages.map(withKeywords) },
    { group: texts.actions, kind: 'command', actions: actions.map(withKeywords) },
    { group: texts.endpoints, kind: 'name', actions: endpointActions },
    { group: m.applications.pageTitle, kind: 'name', actions: applicationActions },
    { group: m.functions.pageTitle, kind: 'name', actions: functionActions },
    ...namedItemGroups,
    ...results,
  ];

  // Prevents Escape from also closing the layer below.
  useTopLayer(isOpen);
  return (
    <Spotlight
      store={store}
      attributes={{ content: { 'aria-label': texts.label } }}
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
      nothingFound={isSearching ? texts.searching : texts.nothing}
      transitionProps={{ duration: 90 }}
      searchProps={{
        placeholder: texts.label,
        'aria-label': texts.label,
        onKeyDown: openFirstResult,
        leftSection: <IconSearch size={18} stroke={1.6} />,
      }}
      actions={arrangeGroups(input, groups)}
    />
  );
}
