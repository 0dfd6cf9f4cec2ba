import { Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { ExternalLink } from '../../../shared/components/external-link.tsx';
import { StatusBadge } from '../../../shared/components/status-badge.tsx';
import { SideDrawer } from '../../../shared/overlay/side-drawer.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { useAccount, useHasRole } from '../../api/account.ts';
import { type Plug, call } from '../../api/client.ts';
import { type ItemAction, ItemActions } from '../../components/item-actions.tsx';
import { messages } from '../../messages/texts.ts';
import { applicationPath } from '../../navigation.ts';
import { PLUG_STATUS_BY_STATE, plugStateOf } from './status.ts';

const texts = messages.plugs;

interface PlugDrawerProps {
  /** Undefined while the drawer is closed. */
  plug: Plug | undefined;
  /** Name of the account that provides the Data Plug; empty if unknown. */
  providerName: string;
  close: () => void;
}

export function PlugDrawer({ plug, providerName, close }: PlugDrawerProps) {
  return (
    <SideDrawer opened={plug !== undefined} close={close} title={plug?.name ?? ''}>
      {plug !== undefined && <Details plug={plug} providerName={providerName} />}
    </SideDrawer>
  );
}

function Details({ plug, providerName }: { plug: Plug; providerName: string }) {
  const isAdministrator = useHasRole('administrator');
  const { userId } = useAccount();
  const { uuid, name, approved, connected } = plug;
  const state = plugStateOf(plug);
  const params = { id: uuid };
  const approve: ItemAction = {
    label: texts.approve,
    title: texts.approveTitle(name),
    text: texts.approveText,
    isDestructive: false,
    execute: () => call('PUT /api/dataplugs/:id', { params, body: { approved: true } }),
    doneText: texts.approved(name),
  };
  const withdraw: ItemAction = {
    label: texts.withdraw,
    title: texts.withdrawTitle(name),
    text: texts.withdrawText,
    execute: () => call('PUT /api/dataplugs/:id', { params, body: { approved: false } }),
    doneText: texts.withdrawn(name),
  };
  const connect: ItemAction = {
    label: texts.connect,
    title: texts.connectTitle(name),
    text: texts.connectText,
    isDestructive: false,
    execute: () => call('GET /api/dataplugs/:id/connect', { params, query: {} }),
    doneText: texts.connected(name),
  };
  const availableActions = [
    ...(isAdministrator ? [approved ? withdraw : approve] : []),
    ...(plug.providerId === userId && approved && !connected ? [connect] : []),
  ];
  return (
    <Stack gap="lg">
      <div>
        <StatusBadge status={PLUG_STATUS_BY_STATE[state]} short>
          {texts.states[state]}
        </StatusBadge>
        <Text c="dimmed">{texts.stateText[state]}</Text>
      </div>
      <Text style={{ whiteSpace: 'pre-line' }}>{plug.description}</Text>
      <FactList
        facts={[
          providerName !== '' && { term: texts.term.owner, value: providerName },
          { term: texts.term.site, value: <ExternalLink url={plug.url}>{plug.url}</ExternalLink> },
          {
            term: texts.term.picture,
            value: <ExternalLink url={plug.illustrationUrl}>{plug.illustrationUrl}</ExternalLink>,
          },
          isAdministrator && {
            term: texts.term.application,
            value: <Link to={applicationPath(plug.applicationId)}>{plug.applicationId}</Link>,
          },
          { term: texts.term.registered, value: <RelativeTime at={plug.created} /> },
        ]}
      />
      <Group gap="sm">
        <ItemActions actions={availableActions} texts={texts} invalidates={['plugs', 'applications']} />
      </Group>
    </Stack>
  );
}
