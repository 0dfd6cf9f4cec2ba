import { SectionLayout } from '../../../shared/layout/section-tabs.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { BACKUP_PATH, ERASE_PATH, EXPOSURE_PATH, MOVE_PATH, PROFILE_PATH } from '../../navigation.ts';

const texts = m.settings.sections;
const tabs = [
  { to: '/settings/security', label: texts.security },
  { to: PROFILE_PATH, label: m.profile.pageTitle },
  { to: EXPOSURE_PATH, label: texts.exposure },
  { to: BACKUP_PATH, label: texts.backup },
  { to: '/settings/people', label: texts.people },
  { to: '/settings/network', label: texts.network },
  { to: MOVE_PATH, label: m.move.pageTitle },
  { to: ERASE_PATH, label: texts.erase },
  { to: '/settings/api', label: m.settings.api.pageTitle },
  { to: '/settings/about', label: texts.about },
];

export function SettingsLayout() {
  return <SectionLayout label={texts.label} tabs={tabs} />;
}
