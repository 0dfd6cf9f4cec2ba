import { Outlet } from 'react-router';
import { PendingBadge, Frame } from '../../shared/layout/frame.tsx';
import { hasRole, signOut } from '../api/account.ts';
import type { Account } from '../api/client.ts';
import { usePendingCounts } from '../api/pending-counts.ts';
import { messages } from '../messages/texts.ts';
import { type OperatorNavigationEntry, navigationEntries } from '../navigation.ts';

export function Shell({ account }: { account: Account }) {
  const pendingCounts = usePendingCounts(account);
  const badge = ({ id }: OperatorNavigationEntry) => {
    if (id !== 'applications' && id !== 'offers' && id !== 'plugs') return null;
    const { count, hasMore } = pendingCounts[id];
    return <PendingBadge pendingCount={count} label={messages.waiting(count, hasMore)} />;
  };
  const entries = navigationEntries.filter(({ role }) => role === undefined || hasRole(account, role));
  return (
    <Frame entries={entries} badge={badge} name={account.name} onSignOut={signOut}>
      <Outlet />
    </Frame>
  );
}
