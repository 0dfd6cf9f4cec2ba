import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCalendarX, IconEye, IconPlayerPause, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link, useParams } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import type { OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { debitQuery, debitPreview, refreshDebits } from '../../api/sharing/debits.ts';
import { isNotFound } from '../../../shared/api/problem.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { NO_CHOICES } from '../../consent/choices.ts';
import { type Fact, FactList } from '../../../shared/components/fact-list.tsx';
import { Logo } from '../../../shared/components/logo.tsx';
import { type DataNames, toSentenceCase } from '../../../shared/components/display-names.ts';
import { ExternalLink, hostOf } from '../../../shared/components/external-link.tsx';
import { bundleText, endpointsOf, plainBundle } from '../../../shared/consent/bundle-text.ts';
import { TechnicalDetails } from '../../../shared/consent/technical-details.tsx';
import { endText, nearTimeText, startText } from '../../../shared/consent/timing-text.ts';
import { SharedData } from '../../consent/shared-data.tsx';
import { OverflowMenu } from '../../../shared/components/overflow-menu.tsx';
import { showToast, runWithToast } from '../../../shared/feedback/toasts.tsx';
import { Page } from '../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { NoticeCallout } from '../../components/notice.tsx';
import { requestPath } from '../../navigation.ts';
import classes from './consent-page.module.css';
import { ChangeConsent } from './change/change-consent.tsx';
import { PauseDialog } from './pause/pause-dialog.tsx';
import { ResumeButton } from './pause/resume-button.tsx';
import { shareAgain, stopSharing } from './revocation.tsx';
import { RevocationProof } from './revocation-proof.tsx';
import { PermissionHistory } from './permission-history.tsx';
import { Receipt } from './receipt.tsx';
import { RemoveConsentDialog } from './remove-dialog.tsx';
import { debitStatusText, grantOf, isEnabled, isReadable, laterPermissions, mainPermission } from './status-text.ts';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.sharing.page;
const CRUMBS = [{ label: m.sharing.pageTitle, to: '/sharing' }];

export function ConsentPage() {
  const key = useParams()['*'] ?? '';
  return <Consent key={key} dataDebitKey={key} />;
}

function Consent({ dataDebitKey }: { dataDebitKey: string }) {
  const result = useQuery(debitQuery(dataDebitKey));
  if (result.data !== undefined) return <LoadedConsent item={result.data} />;
  const isMissing = result.isError && isNotFound(result.error);
  return (
    <Page title={isMissing ? texts.notFound : m.sharing.pageTitle} windowTitle={m.sharing.pageTitle} crumbs={CRUMBS}>
      {result.isPending && <LoadingSkeleton rows={8} height={24} />}
      {result.isError && !isMissing && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {isMissing && (
        <EmptyState
          icon={IconEye}
          title={texts.notFoundShort}
          actions={
            <Button component={Link} to="/sharing" variant="default">
              {texts.back}
            </Button>
          }
        >
          {texts.notFoundText}
        </EmptyState>
      )}
    </Page>
  );
}

function titleOf(item: OwnerDebit, permission: Permission, names: DataNames): string {
  const { debit } = item;
  const name = debit.requestClientName;
  const dataText = bundleText(permission.bundle.bundle, names);
  if (debit.pausedUntil !== undefined) return m.sharing.pause.pausedTitle(name, dataText);
  if (isEnabled(item)) return (permission.state === 'scheduled' ? texts.laterTitle : texts.title)(name, dataText);
  return (debit.state === 'disabled' || debit.state === 'ended' ? texts.pastTitle : texts.refusedTitle)(name, dataText);
}

function LoadedConsent({ item }: { item: OwnerDebit }) {
  const { debit, waiting } = item;
  const [now] = useState(() => new Date());
  // Grant of the permission being changed, as it was when the form opened.
  const [grantToChange, setGrantToChange] = useState<OwnerDebit['liveGrants'][number]>();
  const names = useDataNames();
  const permission = mainPermission(item);
  const futurePermissions = laterPermissions(item);
  const changedPermission = debit.permissions.find(({ permissionId }) => permissionId === grantToChange?.permissionId);
  if (grantToChange !== undefined && changedPermission !== undefined)
    return (
      <ChangeConsent
        key={grantToChange.permissionId}
        item={item}
        permission={changedPermission}
        grant={grantToChange}
        isOutdated={grantOf(item, changedPermission) === undefined}
        now={now}
        close={() => setGrantToChange(undefined)}
      />
    );
  const title = titleOf(item, permission, names);
  const wasAllowed = permission.accepted;
  return (
    <Page
      title={title}
      crumbs={CRUMBS}
      picture={<Logo url={debit.requestClientLogoUrl} name={debit.requestClientName} size={56} />}
      lead={
        <div className={classes.requester}>
          {hostOf(debit.requestClientUrl) !== undefined && <ExternalLink url={debit.requestClientUrl} />}
          <span>{toSentenceCase(debitStatusText(item, now))}.</span>
        </div>
      }
      actions={
        <Actions
          item={item}
          permission={permission}
          now={now}
          change={() => setGrantToChange(grantOf(item, permission))}
        />
      }
    >
      {waiting !== null && (
        <NoticeCallout
          tone="attention"
          title={isEnabled(item) ? texts.waiting : texts.waitingRequest}
          action={{ label: texts.decide, to: requestPath(debit.dataDebitKey) }}
        />
      )}
      {debit.pausedUntil !== undefined && (
        <Callout
          tone="attention"
          title={m.sharing.pause.pausedUntil(nearTimeText(new Date(debit.pausedUntil), now))}
          action={<ResumeButton debit={debit} />}
        >
          {m.sharing.pause.pausedHint(debit.requestClientName)}
        </Callout>
      )}
      {futurePermissions.map((next) => (
        <LaterPermission
          key={next.permissionId}
          item={item}
          permission={next}
          now={now}
          change={() => setGrantToChange(grantOf(item, next))}
        />
      ))}
      <FactList facts={factsOf(item, permission)} />
      {isEnabled(item) ? (
        <SharedDataSection item={item} permission={permission} />
      ) : (
        wasAllowed && <RevocationProof item={item} />
      )}
      {wasAllowed && <Receipt dataDebitKey={debit.dataDebitKey} />}
      <PermissionHistory item={item} now={now} />
      <TechnicalDetails
        terms={[
          { term: m.requests.technical.key, value: debit.dataDebitKey },
          { term: m.requests.technical.bundle, value: permission.bundle.name },
          { term: m.requests.technical.application, value: debit.requestApplicationId },
        ]}
        json={debit}
        texts={texts.technical}
      />
    </Page>
  );
}

/** Announces a permission that will replace the displayed one. */
function LaterPermission({ item, permission, now, change }: ActionsProps) {
  const names = useDataNames();
  const title = texts.laterTitle(item.debit.requestClientName, bundleText(permission.bundle.bundle, names));
  return (
    <Callout
      tone="neutral"
      title={title}
      action={
        <Button variant="default" size="xs" aria-label={`${m.shell.change}: ${title}`} onClick={change}>
          {m.shell.change}
        </Button>
      }
    >
      {startText(permission, now)} {endText(permission, now)}
      <div className={classes.paths}>
        {endpointsOf(permission.bundle.bundle).map((endpoint) => (
          <code key={endpoint}>{endpoint}</code>
        ))}
      </div>
    </Callout>
  );
}

function factsOf(item: OwnerDebit, permission: Permission): (Fact | false)[] {
  const { debit, lastRead, reads, recordsShared, refused } = item;
  const termsHost = hostOf(permission.termsUrl);
  return [
    { term: m.requests.page.purpose, value: permission.purpose },
    permission.grantedAt !== undefined && { term: texts.since, value: <RelativeTime at={permission.grantedAt} /> },
    permission.accepted && {
      term: m.sharing.lastRead,
      value: (
        <span className={classes.facts}>
          {lastRead === null ? m.sharing.never : <RelativeTime at={lastRead} />}
          <Link to={`/history?debit=${encodeURIComponent(debit.dataDebitKey)}`} data-standalone>
            {texts.history}
          </Link>
        </span>
      ),
    },
    reads > 0 && { term: texts.howOften, value: texts.counts(reads, recordsShared) },
    refused > 0 && { term: texts.refusedTerm, value: texts.refused(refused) },
    item.callbackHost !== null && {
      term: m.requests.page.notified,
      value: m.requests.page.notifiedText(item.callbackHost),
    },
    termsHost !== undefined && {
      term: m.requests.page.terms,
      value: <ExternalLink url={permission.termsUrl}>{m.requests.page.termsLink(termsHost)}</ExternalLink>,
    },
  ];
}

function SharedDataSection({ item, permission }: { item: OwnerDebit; permission: Permission }) {
  const names = useDataNames();
  const properties = useMemo(() => plainBundle(permission.bundle.bundle, names), [permission, names]);
  const source = useMemo(
    () => debitPreview(item.debit.dataDebitKey, permission.permissionId),
    [item.debit.dataDebitKey, permission.permissionId],
  );
  return <SharedData properties={properties} source={source} choices={NO_CHOICES} isShared={isReadable(item)} />;
}

interface ActionsProps {
  item: OwnerDebit;
  permission: Permission;
  now: Date;
  change: () => void;
}

function Actions({ item, permission, now, change }: ActionsProps) {
  const { debit, renews, waiting } = item;
  const [busy, setBusy] = useState(false);
  const [isRemoveOpen, removeDialog] = useDisclosure(false);
  const [isPauseOpen, pauseDialog] = useDisclosure(false);
  const key = debit.dataDebitKey;
  const isActive = isEnabled(item);
  const withBusy = async (action: () => Promise<void>) => {
    setBusy(true);
    await action();
    setBusy(false);
  };
  const stopAtEnd = async () => {
    await runWithToast(async () => {
      await call('GET /api/v2.6/data-debit/*key/disable', { params: { key }, query: { atPeriodEnd: 'true' } });
      if (renews !== null) showToast(texts.stopsAtEnd(nearTimeText(new Date(renews), now)));
    });
    await refreshDebits();
  };
  const hasGrant = grantOf(item, permission) !== undefined;
  // A pending request is decided on its own page.
  const canShareAgain = waiting === null && (debit.state === 'disabled' || debit.state === 'ended');
  return (
    <>
      {hasGrant && (isActive || canShareAgain) && (
        <Button variant="default" onClick={change}>
          {isActive ? m.shell.change : texts.shareAgain}
        </Button>
      )}
      {isActive && waiting === null && permission.canceledAt !== undefined && (
        <Button
          variant="default"
          loading={busy}
          onClick={() => void withBusy(() => shareAgain(key, debit.requestClientName))}
        >
          {texts.keepSharing}
        </Button>
      )}
      {isActive && (
        <Button variant="default" c="var(--stop)" loading={busy} onClick={() => void withBusy(() => stopSharing(item))}>
          {m.sharing.stop}
        </Button>
      )}
      <OverflowMenu label={m.shell.moreActions}>
        {isActive && permission.state === 'running' && (
          <Menu.Item leftSection={<IconPlayerPause size={16} stroke={1.6} />} onClick={pauseDialog.open}>
            {m.sharing.pause.menu}
          </Menu.Item>
        )}
        {renews !== null && (
          <Menu.Item leftSection={<IconCalendarX size={16} stroke={1.6} />} onClick={() => void withBusy(stopAtEnd)}>
            {texts.stopAtEnd(nearTimeText(new Date(renews), now))}
          </Menu.Item>
        )}
        <Menu.Item c="var(--stop)" leftSection={<IconTrash size={16} stroke={1.6} />} onClick={removeDialog.open}>
          {m.shell.remove}
        </Menu.Item>
      </OverflowMenu>
      <PauseDialog item={item} permission={permission} now={now} opened={isPauseOpen} close={pauseDialog.close} />
      <RemoveConsentDialog item={item} opened={isRemoveOpen} close={removeDialog.close} />
    </>
  );
}
