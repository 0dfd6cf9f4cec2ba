import { UnstyledButton } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery, useWindowEvent } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ComponentType, useEffect, useState } from 'react';
import { Outlet, useNavigate } from 'react-router';
import { useWaitingDebitCount } from '../api/sharing/debits.ts';
import { useIsConnected, useLiveChanges } from '../api/live.ts';
import { useOwnerName } from '../api/queries.ts';
import { handleUndoKey } from '../components/deletion.tsx';
import { editFocusedItem, focusItem } from '../../shared/keyboard/list-items.ts';
import { useShortcuts } from '../../shared/keyboard/use-shortcuts.ts';
import { m } from '../../shared/messages/texts.ts';
import type { NavigationEntry } from '../../shared/layout/navigation.ts';
import { navigationEntries } from '../navigation.ts';
import { registerOfflinePage } from '../offline-page.ts';
import { UploadBar } from '../pages/files/uploads/upload-bar.tsx';
import { PendingBadge, Frame } from '../../shared/layout/frame.tsx';
import classes from '../../shared/layout/frame.module.css';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

function PendingRequestsBadge() {
  const pendingCount = useWaitingDebitCount();
  return <PendingBadge pendingCount={pendingCount} label={m.requests.badge(pendingCount)} />;
}

const badgeOf = ({ id }: NavigationEntry) => id === 'requests' && <PendingRequestsBadge />;

export function Shell() {
  const name = useOwnerName();
  const isConnected = useIsConnected();
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [Palette, setPalette] = useState<ComponentType<{ openShortcuts: () => void }>>();
  const [Sheet, setSheet] = useState<ComponentType<{ opened: boolean; close: () => void }>>();
  const [isSheetOpen, sheet] = useDisclosure(false);
  useLiveChanges();
  useEffect(registerOfflinePage, []);
  // Loaded lazily, because the palette is not part of the first paint.
  const openPalette = () => {
    void import('./command-palette.tsx').then((module) => {
      setPalette(() => module.CommandPalette);
      module.openCommandPalette();
    });
  };
  useHotkeys([['mod+K', openPalette]], []);
  const navigate = useNavigate();
  const openSheet = () =>
    void import('./shortcut-sheet.tsx').then((module) => {
      setSheet(() => module.ShortcutSheet);
      sheet.open();
    });
  useShortcuts('page', {
    '[Shift]+/': openPalette,
    '[Shift]+?': openSheet,
    ...Object.fromEntries(navigationEntries.map(({ key, path }) => [`g ${key}`, () => void navigate(path)])),
    j: () => focusItem(1),
    k: () => focusItem(-1),
    // Listed after `g e`, which has precedence.
    e: editFocusedItem,
  });
  useWindowEvent('keydown', handleUndoKey);

  return (
    <>
      <Frame
        entries={navigationEntries}
        badge={badgeOf}
        name={name}
        tool={{ label: m.shell.searchShort, icon: IconSearch, open: openPalette }}
        aboveEntries={
          <UnstyledButton className={classes.search} onClick={openPalette}>
            <IconSearch size={16} stroke={1.6} aria-hidden="true" />
            <span>{m.shell.search}</span>
            <kbd>{isApple ? m.shell.searchKeysApple : m.shell.searchKeys}</kbd>
          </UnstyledButton>
        }
        belowEntries={!isPhone && <UploadBar />}
        aboveBottomBar={
          isPhone && (
            <div className={classes.aboveBottomBar}>
              <UploadBar />
            </div>
          )
        }
      >
        {!isConnected && (
          <div role="status" className={classes.offlineNotice}>
            {m.shell.offline}
          </div>
        )}
        <Outlet />
      </Frame>
      {Palette !== undefined && <Palette openShortcuts={openSheet} />}
      {Sheet !== undefined && <Sheet opened={isSheetOpen} close={sheet.close} />}
    </>
  );
}
