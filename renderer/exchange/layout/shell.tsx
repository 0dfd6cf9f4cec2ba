import { Drawer, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconDots } from '@tabler/icons-react';
import { NavLink, Outlet, useLocation } from 'react-router';
import { m } from '../../messages/en.ts';
import { AccountMenu } from '../../layout/account-menu.tsx';
import { Mark } from '../../layout/mark.tsx';
import classes from '../../layout/shell.module.css';
import { can, signOut } from '../api/account.ts';
import type { Account } from '../api/client.ts';
import { useWaiting } from '../api/waiting.ts';
import { x } from '../messages/en.ts';
import { type Room, rooms } from '../navigation.ts';

const BAR_PLACES = 5;

const isIn = ({ path }: Room, pathname: string): boolean =>
  path === '/' ? pathname === '/' : pathname === path || pathname.startsWith(`${path}/`);

interface RoomLinkProps {
  room: Room;
  waiting: number;
  className: string | undefined;
  onClick?: () => void;
}

function RoomLink({ room, waiting, className, onClick }: RoomLinkProps) {
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
      {waiting > 0 && (
        <span className={classes.badge}>
          <span aria-hidden="true">{waiting > 99 ? '99+' : waiting}</span>
          <VisuallyHidden>{x.waiting(waiting)}</VisuallyHidden>
        </span>
      )}
    </NavLink>
  );
}

/** The frame around every page: side bar on a wide window, bar at the bottom on a phone; only what the account has a use for. */
export function Shell({ account }: { account: Account }) {
  const waiting = useWaiting(account);
  const waitingIn = ({ id }: Room): number =>
    id === 'applications' || id === 'offers' || id === 'plugs' ? waiting[id].count : 0;
  const own = rooms.filter(({ role }) => role === undefined || can(account, role));
  const { name } = account;
  return (
    <div className={classes.shell}>
      <button
        type="button"
        className={classes.skip}
        onClick={() => document.querySelector<HTMLElement>('#content')?.focus()}
      >
        {x.skip}
      </button>
      <div className={classes.side}>
        <AccountMenu leave={signOut}>
          <UnstyledButton className={classes.account} aria-label={x.account(name)}>
            <Mark />
            <span className={classes.accountName}>{name}</span>
            <IconChevronDown size={15} stroke={1.6} aria-hidden="true" />
          </UnstyledButton>
        </AccountMenu>
        <nav aria-label={x.nav.label} className={classes.rooms}>
          {own.map((room) => (
            <RoomLink key={room.id} room={room} waiting={waitingIn(room)} className={classes.room} />
          ))}
        </nav>
      </div>
      <main id="content" tabIndex={-1} className={classes.content}>
        <Outlet />
      </main>
      <BottomBar own={own} name={name} waitingIn={waitingIn} />
    </div>
  );
}

interface BottomBarProps {
  own: readonly Room[];
  name: string;
  waitingIn: (room: Room) => number;
}

function BottomBar({ own, name, waitingIn }: BottomBarProps) {
  const [more, sheet] = useDisclosure(false);
  const { pathname } = useLocation();
  const fits = own.length < BAR_PLACES;
  const inBar = fits ? own : own.slice(0, BAR_PLACES - 1);
  const behind = fits ? [] : own.slice(BAR_PLACES - 1);
  return (
    <nav aria-label={x.nav.label} className={classes.bar}>
      {inBar.map((room) => (
        <RoomLink key={room.id} room={room} waiting={waitingIn(room)} className={classes.place} />
      ))}
      {fits && (
        <AccountMenu leave={signOut}>
          <UnstyledButton className={classes.place} aria-label={x.account(name)}>
            <Mark size={18} />
            <span className={classes.placeName}>{name}</span>
          </UnstyledButton>
        </AccountMenu>
      )}
      {!fits && (
        <UnstyledButton
          className={classes.place}
          onClick={sheet.open}
          aria-expanded={more}
          data-here={behind.some((room) => isIn(room, pathname)) || undefined}
        >
          <IconDots size={18} stroke={1.6} aria-hidden="true" />
          <span>{x.nav.more}</span>
        </UnstyledButton>
      )}
      {!fits && (
        <Drawer
          opened={more}
          onClose={sheet.close}
          position="bottom"
          size="auto"
          title={x.nav.label}
          closeButtonProps={{ 'aria-label': m.shell.close }}
          classNames={{ content: classes.sheet ?? '', title: classes.sheetTitle ?? '' }}
        >
          {behind.map((room) => (
            <RoomLink
              key={room.id}
              room={room}
              waiting={waitingIn(room)}
              className={classes.room}
              onClick={sheet.close}
            />
          ))}
          <hr className={classes.rule} />
          <AccountMenu leave={signOut}>
            <UnstyledButton className={classes.room} aria-label={x.account(name)}>
              <Mark size={18} />
              <span className={classes.accountName}>{name}</span>
            </UnstyledButton>
          </AccountMenu>
        </Drawer>
      )}
    </nav>
  );
}
