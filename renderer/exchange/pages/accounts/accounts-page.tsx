import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconPlus } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { PageFrame } from '../../../components/page-frame.tsx';
import { Failed, Loading } from '../../../components/states.tsx';
import { useAccount } from '../../api/account.ts';
import type { Account } from '../../api/client.ts';
import { accounts } from '../../api/queries.ts';
import { Line, Lines } from '../../components/lines.tsx';
import { Moment } from '../../components/moment.tsx';
import { StateMark } from '../../components/state-mark.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/en.ts';
import { AccountDrawer } from './account-drawer.tsx';
import { NewAccount } from './new-account.tsx';

const words = x.accounts;

export const rolesInWords = ({ roles }: Pick<Account, 'roles'>): string =>
  roles.map((role) => x.roles[role].name).join(', ');

export function AccountsPage() {
  return (
    <Only role="administrator">
      <Accounts />
    </Only>
  );
}

function Accounts() {
  const { userId } = useAccount();
  const [query, setQuery] = useSearchParams();
  const [form, shown] = useDisclosure();
  const found = useQuery(accounts);
  const open = found.data?.find((one) => one.userId === query.get('open'));
  return (
    <PageFrame
      place={x.product}
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={words.lead}
      actions={
        <Button leftSection={<IconPlus size={16} stroke={1.8} />} onClick={shown.open}>
          {words.create}
        </Button>
      }
    >
      {found.isPending && <Loading rows={4} height={40} />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data !== undefined && (
        <Lines label={words.pageTitle}>
          {found.data.map((one) => (
            <Line
              key={one.userId}
              to={`/accounts?open=${one.userId}`}
              name={one.name}
              small={one.userId === userId ? words.you : undefined}
              below={rolesInWords(one)}
              end={
                <>
                  <StateMark tone={one.enabled ? 'good' : 'stop'}>
                    {one.enabled ? words.enabled : words.disabled}
                  </StateMark>
                  <small>
                    {words.lastSeen} <Moment at={one.lastSeen} short />
                  </small>
                </>
              }
            />
          ))}
        </Lines>
      )}
      <AccountDrawer account={open} own={open?.userId === userId} close={() => setQuery({})} />
      {form && <NewAccount close={shown.close} />}
    </PageFrame>
  );
}
