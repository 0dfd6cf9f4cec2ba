import { SectionLayout } from '../../../shared/layout/section-tabs.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { CONTRACTS_PATH, LINKS_PATH } from '../../navigation.ts';

const tabs = [
  { to: '/sharing', label: m.contracts.tabs.sharing, end: true },
  { to: LINKS_PATH, label: m.shareLinks.tab },
  { to: CONTRACTS_PATH, label: m.contracts.tabs.contracts },
];

export function SharingLayout() {
  return <SectionLayout label={m.contracts.tabs.label} tabs={tabs} />;
}
