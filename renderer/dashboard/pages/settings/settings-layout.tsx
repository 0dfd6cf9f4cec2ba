import { SectionLayout } from '../../../shared/layout/section-tabs.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { BACKUP_PATH, ERASE_PATH, EXPOSURE_PATH, MOVE_PATH, PROFILE_PATH } from '../../navigation.ts';

const words = m.settings.sections;
const tabs = [
  { to: '/settings/security', label: words.security },
  { to: PROFILE_PATH, label: m.profile.pageTitle },
  { to: EXPOSURE_PATH, label: words.exposure },
  { to: BACKUP_PATH, label: words.backup },
  { to: '/settings/people', label: words.people },
  { to: '/settings/network', label: words.network },
  { to: MOVE_PATH, label: m.move.pageTitle },
  { to: ERASE_PATH, label: words.erase },
  { to: '/settings/api', label: m.settings.api.pageTitle },
  { to: '/settings/about', label: words.about },
];

export function SettingsLayout() {
  return <SectionLayout label={words.label} tabs={tabs} />;
}
