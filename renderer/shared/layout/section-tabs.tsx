import { createContext, useContext, useEffect, useRef } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router';
import classes from './section-tabs.module.css';

interface SectionTab {
  to: string;
  label: string;
  /** Marks the tab as current only on this exact path. */
  end?: boolean;
}

interface SectionTabsProps {
  label: string;
  tabs: readonly SectionTab[];
}

const SectionTabsContext = createContext<SectionTabsProps | null>(null);

/** The section's pages show the tabs below their title. */
export function SectionLayout(props: SectionTabsProps) {
  return (
    <SectionTabsContext value={props}>
      <Outlet />
    </SectionTabsContext>
  );
}

/** Returns null outside of sections. */
export function useSectionTabs(): SectionTabsProps | null {
  return useContext(SectionTabsContext);
}

export function SectionTabs({ label, tabs }: SectionTabsProps) {
  const tabList = useRef<HTMLDivElement>(null);
  // Subscribes to the location, so that the effect below runs after each navigation.
  useLocation();
  // Scrolls the current tab into view if the row is wider than the screen.
  useEffect(() => {
    const currentTab = tabList.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (currentTab !== null && currentTab !== undefined && tabList.current !== null) {
      tabList.current.scrollLeft = currentTab.offsetLeft - (tabList.current.clientWidth - currentTab.offsetWidth) / 2;
    }
  });
  return (
    <nav className={classes.nav} aria-label={label}>
      <div ref={tabList} className={classes.tabs}>
        {tabs.map(({ to, label: name, end = false }) => (
          <NavLink key={to} to={to} end={end} className={classes.tab ?? ''}>
            {name}
          </NavLink>
        ))}
      </div>
    </nav>
  );
}
