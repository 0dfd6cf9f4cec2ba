import { createContext, useContext, useEffect, useRef } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router';
import classes from './section-tabs.module.css';

export interface SectionTab {
  to: string;
  label: string;
  /** Marks the tab as current on this path only, not on paths below it. */
  end?: boolean;
}

interface SectionTabsProps {
  label: string;
  tabs: readonly SectionTab[];
}

const SectionTabsContext = createContext<SectionTabsProps | null>(null);

/** Layout of a dashboard section. Its pages show the tabs below their title. */
export function SectionLayout(props: SectionTabsProps) {
  return (
    <SectionTabsContext value={props}>
      <Outlet />
    </SectionTabsContext>
  );
}

/** Returns the tabs of the current page's section; null outside of sections. */
export function useSectionTabs(): SectionTabsProps | null {
  return useContext(SectionTabsContext);
}

/** Tabs of a section, one page each. */
export function SectionTabs({ label, tabs }: SectionTabsProps) {
  const row = useRef<HTMLDivElement>(null);
  // Renders again when another tab is opened.
  useLocation();
  // Scroll the open tab into view if the row is longer than the screen.
  useEffect(() => {
    const currentTab = row.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (currentTab !== null && currentTab !== undefined && row.current !== null) {
      row.current.scrollLeft = currentTab.offsetLeft - (row.current.clientWidth - currentTab.offsetWidth) / 2;
    }
  });
  return (
    <nav className={classes.sections} aria-label={label}>
      <div ref={row} className={classes.row}>
        {tabs.map(({ to, label: name, end = false }) => (
          <NavLink key={to} to={to} end={end} className={classes.section ?? ''}>
            {name}
          </NavLink>
        ))}
      </div>
    </nav>
  );
}
