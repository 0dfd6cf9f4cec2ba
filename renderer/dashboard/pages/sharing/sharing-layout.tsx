import { Outlet } from 'react-router';
import { SectionTabs } from '../../../shared/layout/section-tabs.tsx';
import { m } from '../../../shared/messages/texts.ts';

const tabs = [
  { to: '/sharing', label: m.contracts.tabs.sharing, end: true },
  { to: '/sharing/contracts', label: m.contracts.tabs.contracts },
];

/** Who can see what, and the contracts by which services get at it. */
export function SharingRoom() {
  return (
    <>
      <SectionTabs label={m.contracts.tabs.label} tabs={tabs} />
      <Outlet />
    </>
  );
}
