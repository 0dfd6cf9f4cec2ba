import { NavLink, Outlet } from 'react-router';
import { m } from '../../messages/en.ts';
import classes from './settings-frame.module.css';

const words = m.settings.sections;
const sections = [
  { to: '/settings/security', label: words.security },
  { to: '/settings/people', label: words.people },
  { to: '/settings/api', label: words.api },
  { to: '/settings/about', label: words.about },
];

/** The parts of Settings, one page each. */
export function SettingsFrame() {
  return (
    <>
      <nav className={classes.sections} aria-label={words.label}>
        <div className={classes.row}>
          {sections.map(({ to, label }) => (
            <NavLink key={to} to={to} className={classes.section ?? ''}>
              {label}
            </NavLink>
          ))}
        </div>
      </nav>
      <Outlet />
    </>
  );
}
