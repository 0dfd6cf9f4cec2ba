import { Drawer, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Icon, IconChevronDown, IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { NavLink, useLocation } from 'react-router';
import { m } from '../messages/texts.ts';
import { BAR_PLACES, type Room, isIn } from '../navigation.ts';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';
import classes from './shell.module.css';

/** How many want a decision there; nothing when none does. */
export function Badge({ waiting, said }: { waiting: number; said: string }) {
  if (waiting === 0) return null;
  return (
    <span className={classes.badge}>
      <span aria-hidden="true">{waiting > 99 ? '99+' : waiting}</span>
      <VisuallyHidden>{said}</VisuallyHidden>
    </span>
  );
}

/** Something that is no room, and has a place beside them on a phone. */
interface Tool {
  label: string;
  icon: Icon;
  open: () => void;
}

interface NavigationProps<R extends Room> {
  rooms: readonly R[];
  /** Behind the name of a room. */
  badge: (room: R) => ReactNode;
  /** Whose account it is. */
  name: string;
  /** In place of leaving the PDA. */
  leave?: (() => Promise<void>) | undefined;
  tool?: Tool;
}

interface FrameProps<R extends Room> extends NavigationProps<R> {
  /** Of the side bar, before and after the rooms. */
  above?: ReactNode;
  below?: ReactNode;
  /** Between the page and the bar of a phone. */
  overBar?: ReactNode;
  children: ReactNode;
}

/** The frame around every page: side bar on a wide window, bar at the bottom on a phone. */
export function Frame<R extends Room>({ above, below, overBar, children, ...navigation }: FrameProps<R>) {
  const { rooms, badge, name, leave } = navigation;
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
        <AccountMenu leave={leave}>
          <UnstyledButton className={classes.account} aria-label={m.shell.account.label(name)}>
            <Mark />
            <span className={classes.accountName}>{name}</span>
            <IconChevronDown size={15} stroke={1.6} aria-hidden="true" />
          </UnstyledButton>
        </AccountMenu>
        {above}
        <nav aria-label={m.shell.nav.label} className={classes.rooms}>
          {rooms.map((room) => (
            <RoomLink key={room.id} room={room} badge={badge(room)} className={classes.room} />
          ))}
        </nav>
        {below}
      </div>
      <main id="content" tabIndex={-1} className={classes.content}>
        {children}
      </main>
      {overBar}
      <BottomBar {...navigation} />
    </div>
  );
}

interface RoomLinkProps {
  room: Room;
  badge: ReactNode;
  className: string | undefined;
  onClick?: () => void;
}

function RoomLink({ room, badge, className, onClick }: RoomLinkProps) {
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
      {badge}
    </NavLink>
  );
}

function BottomBar<R extends Room>({ rooms, badge, name, leave, tool }: NavigationProps<R>) {
  const [more, sheet] = useDisclosure(false);
  const { pathname } = useLocation();
  // The account takes a place, and so does the tool, as long as there is room for them.
  const fits = rooms.length + (tool === undefined ? 1 : 2) <= BAR_PLACES;
  const inBar = fits ? rooms : rooms.slice(0, BAR_PLACES - 1);
  const behind = fits ? [] : rooms.slice(BAR_PLACES - 1);
  /** What stands behind the rooms, wherever that is. */
  const others = (place: string | undefined, nameClass: string | undefined) => (
    <>
      {tool !== undefined && (
        <UnstyledButton
          className={place}
          onClick={() => {
            sheet.close();
            tool.open();
          }}
        >
          <tool.icon size={18} stroke={1.6} aria-hidden="true" />
          <span>{tool.label}</span>
        </UnstyledButton>
      )}
      <AccountMenu leave={leave}>
        <UnstyledButton className={place} aria-label={m.shell.account.label(name)}>
          <Mark size={18} />
          <span className={nameClass}>{name}</span>
        </UnstyledButton>
      </AccountMenu>
    </>
  );
  return (
    <nav aria-label={m.shell.nav.label} className={classes.bar}>
      {inBar.map((room) => (
        <RoomLink key={room.id} room={room} badge={badge(room)} className={classes.place} />
      ))}
      {fits ? (
        others(classes.place, classes.placeName)
      ) : (
        <>
          <UnstyledButton
            className={classes.place}
            onClick={sheet.open}
            aria-expanded={more}
            data-here={behind.some((room) => isIn(room, pathname)) || undefined}
          >
            <IconDots size={18} stroke={1.6} aria-hidden="true" />
            <span>{m.shell.nav.more}</span>
          </UnstyledButton>
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
              <RoomLink key={room.id} room={room} badge={badge(room)} className={classes.room} onClick={sheet.close} />
            ))}
            <hr className={classes.rule} />
            {others(classes.room, classes.accountName)}
          </Drawer>
        </>
      )}
    </nav>
  );
}
