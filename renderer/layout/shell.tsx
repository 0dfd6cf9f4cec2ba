import { UnstyledButton } from '@mantine/core';
import { useHotkeys, useMediaQuery, useWindowEvent } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ComponentType, useState } from 'react';
import { Outlet } from 'react-router';
import { useWaiting } from '../api/debits.ts';
import { useConnected, useLiveChanges } from '../api/live.ts';
import { useOwnerName } from '../api/queries.ts';
import { undoByKey } from '../components/deleting.tsx';
import { m } from '../messages/texts.ts';
import { type Room, rooms } from '../navigation.ts';
import { UploadBar } from '../pages/files/upload-bar.tsx';
import { Badge, Frame } from './frame.tsx';
import classes from './shell.module.css';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** How many requests want a decision. */
function WaitingRequests() {
  const waiting = useWaiting();
  return <Badge waiting={waiting} said={m.requests.badge(waiting)} />;
}

const badgeOf = ({ id }: Room) => id === 'requests' && <WaitingRequests />;

/** The frame around every page of the dashboard, and what goes on behind them. */
export function Shell() {
  const name = useOwnerName();
  const connected = useConnected();
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [Palette, setPalette] = useState<ComponentType>();
  useLiveChanges();
  // Loaded when it is first wanted: it is no part of the first paint.
  const openPalette = () => {
    void import('./palette.tsx').then((part) => {
      setPalette(() => part.Palette);
      part.openPalette();
    });
  };
  useHotkeys([['mod+K', openPalette]], []);
  useWindowEvent('keydown', undoByKey);

  return (
    <>
      <Frame
        rooms={rooms}
        badge={badgeOf}
        name={name}
        tool={{ label: m.shell.searchShort, icon: IconSearch, open: openPalette }}
        above={
          <UnstyledButton className={classes.search} onClick={openPalette}>
            <IconSearch size={16} stroke={1.6} aria-hidden="true" />
            <span>{m.shell.search}</span>
            <kbd>{isApple ? m.shell.searchKeysApple : m.shell.searchKeys}</kbd>
          </UnstyledButton>
        }
        below={!isPhone && <UploadBar />}
        overBar={
          isPhone && (
            <div className={classes.overBar}>
              <UploadBar />
            </div>
          )
        }
      >
        {!connected && (
          <div role="status" className={classes.offline}>
            {m.shell.offline}
          </div>
        )}
        <Outlet />
      </Frame>
      {Palette !== undefined && <Palette />}
    </>
  );
}
