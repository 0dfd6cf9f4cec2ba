import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconPlus } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { Awaited } from '../../../components/awaited.tsx';
import { Line, Lines } from '../../../components/lines.tsx';
import { Mark } from '../../../components/mark.tsx';
import { useAccount } from '../../api/account.ts';
import type { Account } from '../../api/client.ts';
import { accounts } from '../../api/queries.ts';
import { Moment } from '../../components/moment.tsx';
import { Page } from '../../components/page.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/texts.ts';
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
    <Page
      title={words.pageTitle}
      lead={words.lead}
      actions={
        <Button leftSection={<IconPlus size={16} stroke={1.8} />} onClick={shown.open}>
          {words.create}
        </Button>
      }
    >
      <Awaited found={found} rows={4} height={40} />
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
                  <Mark standing={one.enabled ? 'well' : 'stopped'} short>
                    {one.enabled ? words.enabled : words.disabled}
                  </Mark>
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
    </Page>
  );
}
