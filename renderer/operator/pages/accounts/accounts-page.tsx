import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconPlus } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { LinkListItem, LinkList } from '../../../shared/components/link-list.tsx';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import { useAccount } from '../../api/account.ts';
import type { Account } from '../../api/client.ts';
import { accounts } from '../../api/queries.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import { Page } from '../../components/page.tsx';
import { messages } from '../../messages/texts.ts';
import { AccountDrawer } from './account-drawer.tsx';
import { AccountForm } from './account-form.tsx';

const texts = messages.accounts;

export const formatRoles = ({ roles }: Pick<Account, 'roles'>): string =>
  roles.map((role) => messages.roles[role].name).join(', ');

export function AccountsPage() {
  const { userId } = useAccount();
  const [query, setQuery] = useSearchParams();
  const [isFormOpen, formDisclosure] = useDisclosure();
  const result = useQuery(accounts);
  const selectedAccount = result.data?.find((account) => account.userId === query.get('open'));
  return (
    <Page
      title={texts.pageTitle}
      lead={texts.lead}
      actions={
        <Button leftSection={<IconPlus size={16} stroke={1.8} />} onClick={formDisclosure.open}>
          {texts.create}
        </Button>
      }
    >
      <QueryBoundary query={result} rows={4} height={40} />
      {result.data !== undefined && (
        <LinkList label={texts.pageTitle}>
          {result.data.map((account) => (
            <LinkListItem
              key={account.userId}
              to={`/accounts?open=${account.userId}`}
              name={account.name}
              note={account.userId === userId ? texts.you : undefined}
              description={formatRoles(account)}
              status={
                <>
                  <StatusBadge status={account.enabled ? 'ok' : 'stopped'} short>
                    {account.enabled ? texts.enabled : texts.disabled}
                  </StatusBadge>
                  <small>
                    {texts.lastSeen} <Timestamp at={account.lastSeen} short />
                  </small>
                </>
              }
            />
          ))}
        </LinkList>
      )}
      <AccountDrawer account={selectedAccount} isOwn={selectedAccount?.userId === userId} close={() => setQuery({})} />
      {isFormOpen && <AccountForm close={formDisclosure.close} />}
    </Page>
  );
}
