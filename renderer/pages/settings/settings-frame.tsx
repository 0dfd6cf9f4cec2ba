import { Outlet } from 'react-router';
import { SectionTabs } from '../../components/section-tabs.tsx';
import { m } from '../../messages/texts.ts';
import { BACKUP, ERASE, EXPOSURE, MOVE, PROFILE } from '../../navigation.ts';

const words = m.settings.sections;
const tabs = [
  { to: '/settings/security', label: words.security },
  { to: PROFILE, label: words.profile },
  { to: EXPOSURE, label: words.exposure },
  { to: BACKUP, label: words.backup },
  { to: '/settings/people', label: words.people },
  { to: '/settings/network', label: words.network },
  { to: MOVE, label: words.move },
  { to: ERASE, label: words.erase },
  { to: '/settings/api', label: words.api },
  { to: '/settings/about', label: words.about },
];

/** The parts of Settings, one page each. */
export function SettingsFrame() {
  return (
    <>
      <SectionTabs label={words.label} tabs={tabs} />
      <Outlet />
    </>
  );
}
