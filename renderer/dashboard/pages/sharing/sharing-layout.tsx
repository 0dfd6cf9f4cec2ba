import { SectionLayout } from '../../../shared/layout/section-tabs.tsx';
import { m } from '../../../shared/messages/texts.ts';

const tabs = [
  { to: '/sharing', label: m.contracts.tabs.sharing, end: true },
  { to: '/sharing/contracts', label: m.contracts.tabs.contracts },
];

/** Layout with tabs for consents and contracts. */
export function SharingLayout() {
  return <SectionLayout label={m.contracts.tabs.label} tabs={tabs} />;
}
