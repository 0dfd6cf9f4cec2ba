import { Button } from '@mantine/core';
import { useEffect, useMemo, useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { OwnerDebit, Permission } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { Logo } from '../../../../shared/components/logo.tsx';
import { toSentenceCase } from '../../../../shared/components/display-names.ts';
import { bundleText, extentText, plainBundle } from '../../../../shared/consent/bundle-text.ts';
import { type Timing, finalEnd, nearTimeText, untilText } from '../../../../shared/consent/timing-text.ts';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { debitQuery, refreshDebits, requestedDataPreview } from '../../../api/sharing/debits.ts';
import { Page } from '../../../components/page.tsx';
import { AllowBar } from '../../../consent/allow-bar.tsx';
import { choicesOf, narrowingOf, remainingExtent } from '../../../consent/choices.ts';
import { DurationSelect } from '../../../consent/duration-select.tsx';
import { firstDay, lastFullDay } from '../../../consent/duration.ts';
import { SharedData } from '../../../consent/shared-data.tsx';
import { isEnabled, permissionEndText } from '../status-text.ts';
import { type EndChoice, GRANTED_END, customEndChoice, endChoices } from './end-choices.ts';
import { useDataNames } from '../../../consent/use-data-names.ts';

const texts = m.sharing.change;

interface ChangeConsentProps {
  item: OwnerDebit;
  permission: Permission;
  /** Requested period and renewal, and how the request was narrowed. */
  grant: NonNullable<OwnerDebit['lastGranted']>;
  /** True if the permission was replaced in the meantime, possibly in another window. */
  isOutdated: boolean;
  now: Date;
  close: () => void;
}

/**
 * Returns the granted end (ISO 8601); null if the permission renews. If the end has passed, the granted duration
 * restarts now.
 */
function grantedEndOf(permission: Permission, isRunning: boolean, now: Date): string | null {
  if (isRunning && permission.canceledAt !== undefined) return permission.end;
  if (!permission.cancelAtPeriodEnd) return null;
  const durationMs = permission.period * 1000;
  const end = Date.parse(permission.start) + durationMs;
  return new Date(end > now.getTime() ? end : now.getTime() + durationMs).toISOString();
}

/** Changes the data and end of a consent, or shares again after it has been stopped or has ended. */
export function ChangeConsent({ item, permission, grant, isOutdated, now, close }: ChangeConsentProps) {
  const { debit } = item;
  const key = debit.dataDebitKey;
  const name = debit.requestClientName;
  const isRunning = isEnabled(item);
  const requestedTiming: Timing = {
    start: isRunning ? permission.start : new Date(Math.max(now.getTime(), Date.parse(permission.start))).toISOString(),
    period: grant.requestedPeriod,
    cancelAtPeriodEnd: grant.requestedCancelAtPeriodEnd,
  };
  const endOptions = endChoices(requestedTiming, grantedEndOf(permission, isRunning, now), now);
  const names = useDataNames();
  const properties = useMemo(
    () => plainBundle((permission.asked ?? permission.bundle).bundle, names),
    [permission, names],
  );
  const [choices, setChoices] = useState(() => choicesOf(grant.narrowing));
  const [selectedEnd, setSelectedEnd] = useState<EndChoice>(
    () => endOptions.find(({ value }) => value === GRANTED_END) ?? endOptions[0],
  );
  const source = useMemo(() => requestedDataPreview(key, permission.permissionId), [key, permission.permissionId]);
  const { busy, problem, run } = useSubmit();
  useEffect(() => {
    // Saving this form also replaces the permission, possibly before the response arrives.
    if (!isOutdated || busy) return;
    close();
    showToast(texts.outdated, texts.outdatedText);
  }, [isOutdated, busy, close]);
  const dataText = toSentenceCase(bundleText(permission.bundle.bundle, names));
  const narrowing = narrowingOf(properties, choices);
  const extent = remainingExtent(properties, choices);
  const until =
    selectedEnd.end === undefined
      ? untilText(requestedTiming, now)
      : m.consent.time.until(nearTimeText(new Date(selectedEnd.end), now));

  const save = async () => {
    const changedDebit = await call('POST /api/v2.6/owner/debits/*key/change', {
      params: { key },
      body: {
        permissionId: permission.permissionId,
        ...(narrowing === undefined ? {} : { narrowing }),
        ...(selectedEnd.end === undefined ? {} : { end: selectedEnd.end }),
      },
    });
    queryClient.setQueryData(debitQuery(key).queryKey, changedDebit);
    close();
    const hasStarted = Date.parse(requestedTiming.start) <= now.getTime();
    const sharedAgainText = hasStarted
      ? m.sharing.enabledAgain(name)
      : m.sharing.allowedAgain(name, nearTimeText(new Date(requestedTiming.start), now));
    showToast(
      isRunning ? texts.changed(name) : sharedAgainText,
      m.requests.decide.allowedText(extentText(extent), until),
    );
    await refreshDebits();
  };

  /** Called on a conflict: the permission was replaced in the meantime, possibly in another window. */
  const closeOutdated = async () => {
    await refreshDebits();
    close();
    showToast(texts.outdated, texts.outdatedText);
  };

  const title = (isRunning ? texts.title : texts.againTitle)(name);
  return (
    <Page
      title={title}
      crumbs={[{ label: m.sharing.pageTitle, to: '/sharing' }]}
      picture={<Logo url={debit.requestClientLogoUrl} name={name} size={56} />}
      lead={isRunning ? texts.lead(item.callbackHost === null ? null : name) : texts.againLead}
    >
      <FactList
        facts={[
          isRunning
            ? {
                term: permission.state === 'scheduled' ? m.sharing.past.states.scheduled : texts.now,
                value: `${dataText}. ${permissionEndText(permission, now)}`,
              }
            : { term: texts.before, value: dataText },
          {
            term: texts.until,
            value: (
              <DurationSelect
                choices={endOptions}
                value={selectedEnd.value}
                firstDay={firstDay(requestedTiming, now)}
                lastDay={lastFullDay(finalEnd(requestedTiming))}
                choiceOf={(day) => customEndChoice(day, requestedTiming, now)}
                change={setSelectedEnd}
              />
            ),
          },
        ]}
      />
      <SharedData properties={properties} source={source} choices={choices} change={setChoices} />
      <SubmitError problem={problem} />
      <AllowBar
        allowLabel={texts.submit(extentText(extent), until)}
        blockedReason={extent.fields === 0 && extent.entireEndpoints.length === 0 ? texts.nothing : undefined}
        busy={busy}
        onAllow={() => void run(save, closeOutdated)}
      >
        <Button variant="default" onClick={close}>
          {m.shell.cancel}
        </Button>
      </AllowBar>
    </Page>
  );
}
