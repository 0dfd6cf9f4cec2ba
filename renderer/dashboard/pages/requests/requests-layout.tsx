import { SectionLayout } from '../../../shared/layout/section-tabs.tsx';
import { m } from '../../../shared/messages/texts.ts';

const tabs = [
  { to: '/requests', label: m.offers.tabs.requests, end: true },
  { to: '/requests/offers', label: m.offers.tabs.offers },
];

export function RequestsLayout() {
  return <SectionLayout label={m.offers.tabs.label} tabs={tabs} />;
}
