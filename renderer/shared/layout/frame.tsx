import { Drawer, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type Icon, IconChevronDown, IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { NavLink, useLocation } from 'react-router';
import { m } from '../messages/texts.ts';
import { BOTTOM_BAR_MAX_ITEMS, type NavigationEntry, isUnderEntry } from './navigation.ts';
import { AccountMenu } from './account-menu.tsx';
import { BrandMark } from './brand-mark.tsx';
import classes from './frame.module.css';

export function PendingBadge({ pendingCount, label }: { pendingCount: number; label: string }) {
  if (pendingCount === 0) return null;
  return (
    <span className={classes.badge}>
      <span aria-hidden="true">{pendingCount > 99 ? '99+' : pendingCount}</span>
      <VisuallyHidden>{label}</VisuallyHidden>
    </span>
  );
}

/** Button on a phone: in the bottom bar or, if not all entries fit there, in the menu of further entries. */
interface Tool {
  label: string;
  icon: Icon;
  open: () => void;
}

interface NavigationProps<E extends NavigationEntry> {
  entries: readonly E[];
  badge: (entry: E) => ReactNode;
  name: string;
  /** Replaces `signOut`, for servers other than the PDA. */
  onSignOut?: (() => Promise<void>) | undefined;
  tool?: Tool;
}

interface FrameProps<E extends NavigationEntry> extends NavigationProps<E> {
  /** Shown in the sidebar only. */
  aboveEntries?: ReactNode;
  /** Shown in the sidebar only. */
  belowEntries?: ReactNode;
  /** Follows the content. Must position itself above the bottom bar of a phone. */
  aboveBottomBar?: ReactNode;
  children: ReactNode;
}

/** Page layout with navigation: a sidebar in a wide window, a bottom bar on a phone. */
export function Frame<E extends NavigationEntry>({
  aboveEntries,
  belowEntries,
  aboveBottomBar,
  children,
  ...navigation
}: FrameProps<E>) {
  const { entries, badge, name, onSignOut } = navigation;
  return (
    <div className={classes.shell}>
      <button
        type="button"
        className={classes.skipLink}
        onClick={() => document.querySelector<HTMLElement>('#content')?.focus()}
      >
        {m.shell.skip}
      </button>
      <div className={classes.sidebar}>
        <AccountMenu onSignOut={onSignOut}>
          <UnstyledButton className={classes.account} aria-label={m.shell.account.label(name)}>
            <BrandMark />
            <span className={classes.accountName}>{name}</span>
            <IconChevronDown size={15} stroke={1.6} aria-hidden="true" />
          </UnstyledButton>
        </AccountMenu>
        {aboveEntries}
        <nav aria-label={m.shell.nav.label} className={classes.entries}>
          {entries.map((entry) => (
            <EntryLink key={entry.id} entry={entry} badge={badge(entry)} className={classes.entry} />
          ))}
        </nav>
        {belowEntries}
      </div>
      <main id="content" tabIndex={-1} className={classes.content}>
        {children}
      </main>
      {aboveBottomBar}
      <BottomBar {...navigation} />
    </div>
  );
}

interface EntryLinkProps {
  entry: NavigationEntry;
  badge: ReactNode;
  className: string | undefined;
  onClick?: () => void;
}

function EntryLink({ entry, badge, className, onClick }: EntryLinkProps) {
  const { pathname } = useLocation();
  const isCurrent = isUnderEntry(entry, pathname);
  return (
    <NavLink
      to={entry.path}
      className={className ?? ''}
      aria-current={isCurrent ? 'page' : undefined}
      data-current={isCurrent || undefined}
      onClick={onClick}
    >
      <entry.icon size={18} stroke={1.6} aria-hidden="true" />
      <span>{entry.label}</span>
      {badge}
    </NavLink>
  );
}

function BottomBar<E extends NavigationEntry>({ entries, badge, name, onSignOut, tool }: NavigationProps<E>) {
  const [isMoreOpen, sheet] = useDisclosure(false);
  const { pathname } = useLocation();
  // The account and the tool each need a slot.
  const allEntriesFit = entries.length + (tool === undefined ? 1 : 2) <= BOTTOM_BAR_MAX_ITEMS;
  const barEntries = allEntriesFit ? entries : entries.slice(0, BOTTOM_BAR_MAX_ITEMS - 1);
  const overflowEntries = allEntriesFit ? [] : entries.slice(BOTTOM_BAR_MAX_ITEMS - 1);
  const renderExtraItems = (className: string | undefined, nameClass: string | undefined) => (
    <>
      {tool !== undefined && (
        <UnstyledButton
          className={className}
          onClick={() => {
            sheet.close();
            tool.open();
          }}
        >
          <tool.icon size={18} stroke={1.6} aria-hidden="true" />
          <span>{tool.label}</span>
        </UnstyledButton>
      )}
      <AccountMenu onSignOut={onSignOut}>
        <UnstyledButton className={className} aria-label={m.shell.account.label(name)}>
          <BrandMark size={18} />
          <span className={nameClass}>{name}</span>
        </UnstyledButton>
      </AccountMenu>
    </>
  );
  return (
    <nav aria-label={m.shell.nav.label} className={classes.bottomBar}>
      {barEntries.map((entry) => (
        <EntryLink key={entry.id} entry={entry} badge={badge(entry)} className={classes.barItem} />
      ))}
      {allEntriesFit ? (
        renderExtraItems(classes.barItem, classes.barItemName)
      ) : (
        <>
          <UnstyledButton
            className={classes.barItem}
            onClick={sheet.open}
            aria-expanded={isMoreOpen}
            data-current={overflowEntries.some((entry) => isUnderEntry(entry, pathname)) || undefined}
          >
            <IconDots size={18} stroke={1.6} aria-hidden="true" />
            <span>{m.shell.nav.more}</span>
          </UnstyledButton>
          <Drawer
            opened={isMoreOpen}
            onClose={sheet.close}
            position="bottom"
            size="auto"
            title={m.shell.nav.label}
            closeButtonProps={{ 'aria-label': m.shell.close }}
            classNames={{ content: classes.sheet ?? '', title: classes.sheetTitle ?? '' }}
          >
            {overflowEntries.map((entry) => (
              <EntryLink
                key={entry.id}
                entry={entry}
                badge={badge(entry)}
                className={classes.entry}
                onClick={sheet.close}
              />
            ))}
            <hr className={classes.divider} />
            {renderExtraItems(classes.entry, classes.accountName)}
          </Drawer>
        </>
      )}
    </nav>
  );
}
