import { NavLink } from 'react-router';
import classes from './section-tabs.module.css';

export interface SectionTab {
  to: string;
  label: string;
  /** Only this very place, not what is below it. */
  end?: boolean;
}

/** The parts of a room of the dashboard, one page each. */
export function SectionTabs({ label, tabs }: { label: string; tabs: readonly SectionTab[] }) {
  return (
    <nav className={classes.sections} aria-label={label}>
      <div className={classes.row}>
        {tabs.map(({ to, label: name, end = false }) => (
          <NavLink key={to} to={to} end={end} className={classes.section ?? ''}>
            {name}
          </NavLink>
        ))}
      </div>
    </nav>
  );
}
