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

const texts = m.network.exchange;
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
  showToast(exchange?.state === 'registered' ? texts.registered(host) : texts.exchangeSet(host));
}

async function register(): Promise<void> {
  const { exchange } = await cacheNetwork(call('POST /api/v2.6/owner/network/register', {}));
  if (exchange?.state === 'registered') showToast(texts.registered(hostText(exchange.url)));
}

async function leave(): Promise<void> {
  const { exchange } = await cacheNetwork(call('POST /api/v2.6/owner/network/leave', {}));
  if (exchange === null) return;
  showToast(texts.leave.done(hostText(exchange.url)), exchange.state === 'leaving' ? texts.leave.retrying : undefined);
}

export function ExchangeSection({ exchange }: { exchange: ExchangeView | null }) {
  return (
    <Section title={texts.title}>
      <Text c="dimmed" maw="44rem">
        {texts.text}
      </Text>
      {exchange === null ? (
        <AddressForm label={texts.label} submitLabel={texts.register} save={saveExchange} />
      ) : (
        <SelectedExchange key={exchange.url} exchange={exchange} />
      )}
    </Section>
  );
}

function SelectedExchange({ exchange }: { exchange: ExchangeView }) {
  const { url, fixed, state, address, since, reachable, catalogueAt } = exchange;
  const [isChanging, form] = useDisclosure(false);
  const save = async (newUrl: string) => {
    await saveExchange(newUrl);
    form.close();
  };
  return (
    <>
      <div className={classes.facts}>
        <FactList
          facts={[
            { term: m.network.address, value: fixed ? `${url}\n${m.network.fixed}` : url },
            {
              term: texts.status,
              value: <StatusBadge status={BADGE_STATUS[state]}>{texts.states[state]}</StatusBadge>,
            },
            since !== null && state === 'registered' && { term: texts.since, value: <RelativeTime at={since} /> },
            address !== null && state === 'registered' && { term: texts.knownAs, value: address },
            reachable !== null && { term: texts.lastCheck, value: reachable ? texts.reachable : texts.unreachable },
            catalogueAt !== null && { term: texts.catalogue, value: <RelativeTime at={catalogueAt} /> },
          ]}
        />
      </div>
      <ExchangeProblem exchange={exchange} />
      {isChanging ? (
        <AddressForm
          label={texts.label}
          submitLabel={m.network.save}
          initialAddress={url}
          save={save}
          cancel={form.close}
        />
      ) : (
        <Actions exchange={exchange} change={form.open} />
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
        title={isLeaving ? texts.leaving : (problem ?? undefined)}
      >
        {isLeaving ? problem : texts.failed}
      </Callout>
    </div>
  );
}

function Actions({ exchange, change }: { exchange: ExchangeView; change: () => void }) {
  const { url, fixed, state } = exchange;
  const [busy, setBusy] = useState(false);
  const [isLeaveOpen, leaveDialog] = useDisclosure(false);
  const [isRemoveOpen, removeDialog] = useDisclosure(false);
  const host = hostText(url);
  const runAction = async (action: () => Promise<void>) => {
    setBusy(true);
    await runWithToast(action);
    setBusy(false);
  };
  const registerLabel = {
    none: texts.registerNow,
    registering: texts.tryNow,
    failed: texts.tryNow,
    registered: texts.refresh,
    leaving: texts.stay,
  }[state];
  const isParticipating = state !== 'none' && state !== 'leaving';
  return (
    <div className={classes.actions}>
      {state === 'leaving' && (
        <Button variant="default" loading={busy} onClick={() => void runAction(leave)}>
          {texts.notifyNow}
        </Button>
      )}
      <Button
        variant={state === 'none' || state === 'failed' ? 'filled' : 'default'}
        loading={busy}
        onClick={() => void runAction(register)}
      >
        {registerLabel}
      </Button>
      {isParticipating && (
        <Button variant="default" c="var(--stop)" onClick={leaveDialog.open}>
          {texts.leave.action}
        </Button>
      )}
      {!fixed && (
        <OverflowMenu label={m.shell.moreActions}>
          <Menu.Item leftSection={<IconPencil {...ICON_PROPS} />} onClick={change}>
            {m.shell.change}
          </Menu.Item>
          <Menu.Item c="var(--stop)" leftSection={<IconTrash {...ICON_PROPS} />} onClick={removeDialog.open}>
            {m.shell.remove}
          </Menu.Item>
        </OverflowMenu>
      )}
      <ConfirmDialog
        opened={isLeaveOpen}
        close={leaveDialog.close}
        title={texts.leave.title(host)}
        cancelLabel={texts.leave.keep}
        confirmLabel={texts.leave.submit}
        onConfirm={leave}
      >
        <Consequences />
      </ConfirmDialog>
      <RemoveDialog host={host} mayBeRegistered={state !== 'none'} opened={isRemoveOpen} close={removeDialog.close} />
    </div>
  );
}

interface RemoveDialogProps {
  host: string;
  /** False only if this PDA is certainly not registered with the exchange. */
  mayBeRegistered: boolean;
  opened: boolean;
  close: () => void;
}

function RemoveDialog({ host, mayBeRegistered, opened, close }: RemoveDialogProps) {
  const remove = async () => {
    await cacheNetwork(call('PUT /api/v2.6/owner/network', { body: { exchange: null } }));
    showToast(texts.remove.done);
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={texts.remove.title(host)}
      cancelLabel={mayBeRegistered ? texts.leave.keep : m.shell.keep}
      confirmLabel={mayBeRegistered ? texts.remove.submit : texts.remove.submitNotRegistered}
      onConfirm={remove}
    >
      {mayBeRegistered ? (
        <div>
          <Text mb="xs">{texts.remove.text(host)}</Text>
          <Consequences />
        </div>
      ) : (
        <Text>{texts.remove.textNotRegistered}</Text>
      )}
    </ConfirmDialog>
  );
}

function Consequences() {
  const { stops, deletionRequested, permissionsStay } = texts.leave.points;
  return (
    <ul className={lists.bullets}>
      <li>{stops}</li>
      <li>{deletionRequested}</li>
      <li>{permissionsStay}</li>
    </ul>
  );
}
