import { Outlet } from 'react-router';
import { Badge, Frame } from '../../layout/frame.tsx';
import { can, signOut } from '../api/account.ts';
import type { Account } from '../api/client.ts';
import { useWaiting } from '../api/waiting.ts';
import { x } from '../messages/texts.ts';
import { type Room, rooms } from '../navigation.ts';

/** The frame around every page, with only what the account has a use for. */
export function Shell({ account }: { account: Account }) {
  const waiting = useWaiting(account);
  const badge = ({ id }: Room) => {
    if (id !== 'applications' && id !== 'offers' && id !== 'plugs') return null;
    const { count } = waiting[id];
    return <Badge waiting={count} said={x.waiting(count)} />;
  };
  const own = rooms.filter(({ role }) => role === undefined || can(account, role));
  return (
    <Frame rooms={own} badge={badge} name={account.name} leave={signOut}>
      <Outlet />
    </Frame>
  );
}
