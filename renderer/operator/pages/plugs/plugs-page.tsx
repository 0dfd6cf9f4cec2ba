import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconPlug, IconPlus } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { QueryBoundary, combineQueries } from '../../../shared/feedback/query-boundary.tsx';
import { LinkListItem, LinkList } from '../../../shared/components/link-list.tsx';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import { Section } from '../../../shared/layout/page-frame.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { useAccount, useHasRole } from '../../api/account.ts';
import type { Plug } from '../../api/client.ts';
import { accounts, plugs } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { messages } from '../../messages/texts.ts';
import { PlugDrawer } from './plug-drawer.tsx';
import { RegisterPlug } from './register-plug.tsx';
import { PLUG_STATUS_BY_STATE, plugStateOf } from './status.ts';

const texts = messages.plugs;

export function PlugsPage() {
  const isAdministrator = useHasRole('administrator');
  const { userId, name } = useAccount();
  const [query, setQuery] = useSearchParams();
  const [isFormOpen, formDisclosure] = useDisclosure();
  const result = useQuery(plugs);
  const accountList = useQuery({ ...accounts, enabled: isAdministrator });
  const providerNameOf = (plug: Plug): string =>
    accountList.data?.find((account) => account.userId === plug.providerId)?.name ??
    (plug.providerId === userId ? name : '');
  const visiblePlugs = result.data?.filter(({ providerId }) => isAdministrator || providerId === userId);
  const selectedPlug = visiblePlugs?.find(({ uuid }) => uuid === query.get('open'));
  const groups = [
    { title: texts.unapprovedGroup, items: visiblePlugs?.filter(({ approved }) => !approved) ?? [] },
    { title: texts.approvedGroup, items: visiblePlugs?.filter(({ approved }) => approved) ?? [] },
  ];
  return (
    <Page
      title={texts.pageTitle}
      lead={isAdministrator ? texts.lead : texts.leadOwn}
      actions={
        isAdministrator && (
          <Button
            leftSection={<IconPlus size={16} stroke={1.8} />}
            disabled={accountList.data === undefined}
            onClick={formDisclosure.open}
          >
            {texts.register}
          </Button>
        )
      }
    >
      <QueryBoundary query={isAdministrator ? combineQueries(result, accountList) : result} rows={4} height={40} />
      {visiblePlugs?.length === 0 && (
        <EmptyState icon={IconPlug} title={isAdministrator ? texts.none : texts.noneOwn}>
          {isAdministrator ? texts.noneText : texts.noneOwnText}
        </EmptyState>
      )}
      {groups.map(
        ({ title, items }) =>
          items.length > 0 && (
            <Section key={title} title={title}>
              <LinkList label={title}>
                {items.map((plug) => (
                  <LinkListItem
                    key={plug.uuid}
                    to={`/plugs?open=${plug.uuid}`}
                    name={plug.name}
                    note={providerNameOf(plug) === '' ? undefined : texts.by(providerNameOf(plug))}
                    description={plug.description}
                    details={plug.url}
                    status={
                      <StatusBadge status={PLUG_STATUS_BY_STATE[plugStateOf(plug)]} short>
                        {texts.states[plugStateOf(plug)]}
                      </StatusBadge>
                    }
                  />
                ))}
              </LinkList>
            </Section>
          ),
      )}
      <PlugDrawer
        plug={selectedPlug}
        providerName={selectedPlug === undefined ? '' : providerNameOf(selectedPlug)}
        close={() => setQuery({})}
      />
      {isFormOpen && accountList.data !== undefined && (
        <RegisterPlug close={formDisclosure.close} accounts={accountList.data} />
      )}
    </Page>
  );
}
