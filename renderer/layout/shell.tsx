import { Drawer, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure, useHotkeys, useMediaQuery, useWindowEvent } from '@mantine/hooks';
import { IconChevronDown, IconDots, IconSearch } from '@tabler/icons-react';
import { type ComponentType, useState } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router';
import { useWaiting } from '../api/debits.ts';
import { useConnected, useLiveChanges } from '../api/live.ts';
import { useOwnerName } from '../api/queries.ts';
import { undoByKey } from '../components/deleting.tsx';
import { m } from '../messages/en.ts';
import { BAR_PLACES, type Room, isIn, rooms } from '../navigation.ts';
import { UploadBar } from '../pages/files/upload-bar.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';
import classes from './shell.module.css';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

function RoomLink({ room, className, onClick }: { room: Room; className: string | undefined; onClick?: () => void }) {
  const { pathname } = useLocation();
  const here = isIn(room, pathname);
  return (
    <NavLink
      to={room.path}
      className={className ?? ''}
      aria-current={here ? 'page' : undefined}
      data-here={here || undefined}
      onClick={onClick}
    >
      <room.icon size={18} stroke={1.6} aria-hidden="true" />
      <span>{room.label}</span>
      {room.id === 'requests' && <WaitingBadge />}
    </NavLink>
  );
}

/** How many requests want a decision; nothing when none does. */
function WaitingBadge() {
  const waiting = useWaiting();
  if (waiting === 0) return null;
  return (
    <span className={classes.badge}>
      <span aria-hidden="true">{waiting > 99 ? '99+' : waiting}</span>
      <VisuallyHidden>{m.requests.badge(waiting)}</VisuallyHidden>
    </span>
  );
}

/** The frame around every page: side bar on a wide window, bar at the bottom on a phone. */
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
    <div className={classes.shell}>
      <button
        type="button"
        className={classes.skip}
        onClick={() => document.querySelector<HTMLElement>('#content')?.focus()}
      >
        {m.shell.skip}
      </button>
      <div className={classes.side}>
        <AccountMenu>
          <UnstyledButton className={classes.account} aria-label={m.shell.account.label(name)}>
            <Mark />
            <span className={classes.accountName}>{name}</span>
            <IconChevronDown size={15} stroke={1.6} aria-hidden="true" />
          </UnstyledButton>
        </AccountMenu>
        <UnstyledButton className={classes.search} onClick={openPalette}>
          <IconSearch size={16} stroke={1.6} aria-hidden="true" />
          <span>{m.shell.search}</span>
          <kbd>{isApple ? m.shell.searchKeysApple : m.shell.searchKeys}</kbd>
        </UnstyledButton>
        <nav aria-label={m.shell.nav.label} className={classes.rooms}>
          {rooms.map((room) => (
            <RoomLink key={room.id} room={room} className={classes.room} />
          ))}
        </nav>
        {!isPhone && <UploadBar />}
      </div>
      <main id="content" tabIndex={-1} className={classes.content}>
        {!connected && (
          <div role="status" className={classes.offline}>
            {m.shell.offline}
          </div>
        )}
        <Outlet />
      </main>
      {isPhone && (
        <div className={classes.overBar}>
          <UploadBar />
        </div>
      )}
      <BottomBar openPalette={openPalette} name={name} />
      {Palette !== undefined && <Palette />}
    </div>
  );
}

function BottomBar({ openPalette, name }: { openPalette: () => void; name: string }) {
  const [more, sheet] = useDisclosure(false);
  const { pathname } = useLocation();
  // Two places are taken by the search and the account as long as there is room for them.
  const fits = rooms.length + 2 <= BAR_PLACES;
  const inBar = fits ? rooms : rooms.slice(0, BAR_PLACES - 1);
  const behind = fits ? [] : rooms.slice(BAR_PLACES - 1);
  return (
    <nav aria-label={m.shell.nav.label} className={classes.bar}>
      {inBar.map((room) => (
        <RoomLink key={room.id} room={room} className={classes.place} />
      ))}
      {fits && (
        <>
          <UnstyledButton className={classes.place} onClick={openPalette}>
            <IconSearch size={18} stroke={1.6} aria-hidden="true" />
            <span>{m.shell.searchShort}</span>
          </UnstyledButton>
          <AccountMenu>
            <UnstyledButton className={classes.place} aria-label={m.shell.account.label(name)}>
              <Mark size={18} />
              <span className={classes.placeName}>{name}</span>
            </UnstyledButton>
          </AccountMenu>
        </>
      )}
      {behind.length > 0 && (
        <UnstyledButton
          className={classes.place}
          onClick={sheet.open}
          aria-expanded={more}
          data-here={behind.some((room) => isIn(room, pathname)) || undefined}
        >
          <IconDots size={18} stroke={1.6} aria-hidden="true" />
          <span>{m.shell.nav.more}</span>
        </UnstyledButton>
      )}
      {behind.length > 0 && (
        <Drawer
          opened={more}
          onClose={sheet.close}
          position="bottom"
          size="auto"
          title={m.shell.nav.label}
          closeButtonProps={{ 'aria-label': m.shell.nav.close }}
          classNames={{ content: classes.sheet ?? '', title: classes.sheetTitle ?? '' }}
        >
          {behind.map((room) => (
            <RoomLink key={room.id} room={room} className={classes.room} onClick={sheet.close} />
          ))}
          <hr className={classes.rule} />
          <UnstyledButton
            className={classes.room}
            onClick={() => {
              sheet.close();
              openPalette();
            }}
          >
            <IconSearch size={18} stroke={1.6} aria-hidden="true" />
            <span>{m.shell.searchShort}</span>
          </UnstyledButton>
          <AccountMenu>
            <UnstyledButton className={classes.room} aria-label={m.shell.account.label(name)}>
              <Mark size={18} />
              <span className={classes.accountName}>{name}</span>
            </UnstyledButton>
          </AccountMenu>
        </Drawer>
      )}
    </nav>
  );
}
