import { Button, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { Network } from '../../../../shared/api/contract.ts';
import { network as networkQuery, refreshNetwork } from '../../../api/sharing/network.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { StatusBadge, type BadgeStatus } from '../../../../shared/components/status-badge.tsx';
import { OverflowMenu } from '../../../../shared/components/overflow-menu.tsx';
import { showToast, runWithToast } from '../../../../shared/feedback/toasts.tsx';
import { Section } from '../../../components/page.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { hostText } from '../../offers/offer-text.ts';
import { AddressForm } from './address-form.tsx';
import classes from './network-page.module.css';
import lists from '../../../../shared/components/lists.module.css';

const words = m.network.exchange;
const ICON_PROPS = { size: 16, stroke: 1.6 } as const;

type ExchangeView = NonNullable<Network['exchange']>;

const BADGE_STATUS: Record<ExchangeView['state'], BadgeStatus> = {
  none: 'none',
  registering: 'pending',
  registered: 'ok',
  failed: 'error',
  leaving: 'pending',
};

async function cacheNetwork(response: Promise<Network>): Promise<Network> {
  const updatedNetwork = await response;
  queryClient.setQueryData(networkQuery.queryKey, updatedNetwork);
  void refreshNetwork();
  return updatedNetwork;
}

async function saveExchange(url: string): Promise<void> {
  const { exchange } = await cacheNetwork(call('PUT /api/v2.6/owner/network', { body: { exchange: url } }));
  const host = hostText(exchange?.url ?? url);
  showToast(exchange?.state === 'registered' ? words.registered(host) : words.exchangeSet(host));
}

async function register(): Promise<void> {
  const { exchange } = await cacheNetwork(call('POST /api/v2.6/owner/network/register', {}));
  if (exchange?.state === 'registered') showToast(words.registered(hostText(exchange.url)));
}

async function leave(): Promise<void> {
  const { exchange } = await cacheNetwork(call('POST /api/v2.6/owner/network/leave', {}));
  if (exchange === null) return;
  showToast(words.leave.done(hostText(exchange.url)), exchange.state === 'leaving' ? words.leave.retrying : undefined);
}

export function ExchangeSection({ exchange }: { exchange: ExchangeView | null }) {
  return (
    <Section title={words.title}>
      <Text c="dimmed" maw="44rem">
        {words.text}
      </Text>
      {exchange === null ? (
        <AddressForm label={words.label} submitLabel={words.register} save={saveExchange} />
      ) : (
        <SelectedExchange key={exchange.url} exchange={exchange} />
      )}
    </Section>
  );
}

function SelectedExchange({ exchange }: { exchange: ExchangeView }) {
  const { url, fixed, state, address, since, reachable, catalogueAt } = exchange;
  const [isChanging, change] = useDisclosure(false);
  const save = async (newUrl: string) => {
    await saveExchange(newUrl);
    change.close();
  };
  return (
    <>
      <div className={classes.facts}>
        <FactList
          facts={[
            { term: m.network.address, value: fixed ? `${url}\n${m.network.fixed}` : url },
            {
              term: words.status,
              value: <StatusBadge status={BADGE_STATUS[state]}>{words.states[state]}</StatusBadge>,
            },
            since !== null && state === 'registered' && { term: words.since, value: <RelativeTime at={since} /> },
            address !== null && state === 'registered' && { term: words.knownAs, value: address },
            reachable !== null && { term: words.lastCheck, value: reachable ? words.reachable : words.unreachable },
            catalogueAt !== null && { term: words.catalogue, value: <RelativeTime at={catalogueAt} /> },
          ]}
        />
      </div>
      <ExchangeProblem exchange={exchange} />
      {isChanging ? (
        <AddressForm
          label={words.label}
          submitLabel={m.network.save}
          initialAddress={url}
          save={save}
          cancel={change.close}
        />
      ) : (
        <Actions exchange={exchange} change={change.open} />
      )}
    </>
  );
}

function ExchangeProblem({ exchange: { state, problem } }: { exchange: ExchangeView }) {
  const isLeaving = state === 'leaving';
  if (!isLeaving && (problem === null || state === 'none')) return null;
  return (
    <div className={classes.problem}>
      <Callout
        tone={state === 'failed' ? 'error' : 'neutral'}
        title={isLeaving ? words.leaving : (problem ?? undefined)}
      >
        {isLeaving ? problem : words.failed}
      </Callout>
    </div>
  );
}

function Actions({ exchange, change }: { exchange: ExchangeView; change: () => void }) {
  const { url, fixed, state } = exchange;
  const [busy, setBusy] = useState(false);
  const [isLeaveOpen, leaveDialog] = useDisclosure(false);
  const [isRemoving, removingDialog] = useDisclosure(false);
  const host = hostText(url);
  const withBusy = (action: () => Promise<void>) => async () => {
    setBusy(true);
    await runWithToast(action);
    setBusy(false);
  };
  const registerLabel = {
    none: words.registerNow,
    registering: words.tryNow,
    failed: words.tryNow,
    registered: words.refresh,
    leaving: words.stay,
  }[state];
  const isParticipating = state !== 'none' && state !== 'leaving';
  return (
    <div className={classes.actions}>
      {state === 'leaving' && (
        <Button variant="default" loading={busy} onClick={() => void withBusy(leave)()}>
          {words.notifyNow}
        </Button>
      )}
      <Button
        variant={state === 'none' || state === 'failed' ? 'filled' : 'default'}
        loading={busy}
        onClick={() => void withBusy(register)()}
      >
        {registerLabel}
      </Button>
      {isParticipating && (
        <Button variant="default" c="var(--stop)" onClick={leaveDialog.open}>
          {words.leave.action}
        </Button>
      )}
      {!fixed && (
        <OverflowMenu label={m.shell.moreActions}>
          <Menu.Item leftSection={<IconPencil {...ICON_PROPS} />} onClick={change}>
            {m.shell.change}
          </Menu.Item>
          <Menu.Item c="var(--stop)" leftSection={<IconTrash {...ICON_PROPS} />} onClick={removingDialog.open}>
            {m.shell.remove}
          </Menu.Item>
        </OverflowMenu>
      )}
      <ConfirmDialog
        opened={isLeaveOpen}
        close={leaveDialog.close}
        title={words.leave.title(host)}
        cancelLabel={words.leave.keep}
        confirmLabel={words.leave.submit}
        onConfirm={leave}
      >
        <Consequences />
      </ConfirmDialog>
      <RemoveDialog host={host} opened={isRemoving} close={removingDialog.close} />
    </div>
  );
}

function RemoveDialog({ host, opened, close }: { host: string; opened: boolean; close: () => void }) {
  const remove = async () => {
    await cacheNetwork(call('PUT /api/v2.6/owner/network', { body: { exchange: null } }));
    showToast(words.remove.done);
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={words.remove.title(host)}
      cancelLabel={words.leave.keep}
      confirmLabel={words.remove.submit}
      onConfirm={remove}
    >
      <div>
        <Text mb="xs">{words.remove.text(host)}</Text>
        <Consequences />
      </div>
    </ConfirmDialog>
  );
}

function Consequences() {
  const { stops, deletionRequested, permissionsStay } = words.leave.points;
  return (
    <ul className={lists.bullets}>
      <li>{stops}</li>
      <li>{deletionRequested}</li>
      <li>{permissionsStay}</li>
    </ul>
  );
}
