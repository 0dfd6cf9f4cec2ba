import { Group, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { debitPreview } from '../../api/sharing/debits.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { NO_CHOICES, narrowingOf, remainingExtent } from '../../consent/choices.ts';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { Logo } from '../../../shared/components/logo.tsx';
import { ExternalLink, hostOf } from '../../../shared/components/external-link.tsx';
import { bundleText, conditionTexts, plainBundle, worstCaseText } from '../../../shared/consent/bundle-text.ts';
import { TechnicalDetails } from '../../../shared/consent/technical-details.tsx';
import { endText, hasEnded, startText, untilText } from '../../../shared/consent/timing-text.ts';
import { AS_REQUESTED, type DurationLimit, withLimit } from '../../consent/duration.ts';
import { SharedData } from '../../consent/shared-data.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { permissionToChange } from '../sharing/status-text.ts';
import { DecisionBar } from './decision-bar.tsx';
import { DurationChoice } from './duration-choice.tsx';
import { PermissionChanges } from './change-list.tsx';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.requests.page;

interface DecisionProps {
  item: OwnerDebit;
  permission: Permission;
  hasChanged: boolean;
}

export function Decision({ item, permission, hasChanged }: DecisionProps) {
  const { debit, pendingRequester } = item;
  const requester = pendingRequester ?? debit;
  const name = requester.requestClientName;
  const names = useDataNames();
  const properties = useMemo(() => plainBundle(permission.bundle.bundle, names), [permission, names]);
  const [choices, setChoices] = useState(NO_CHOICES);
  const [duration, setDuration] = useState<{ value: string; limit: DurationLimit }>({ value: AS_REQUESTED, limit: {} });
  const [now] = useState(() => new Date());

  const source = useMemo(
    () => debitPreview(debit.dataDebitKey, permission.permissionId),
    [debit.dataDebitKey, permission.permissionId],
  );
  const timing = withLimit(permission, duration.limit);
  const extent = remainingExtent(properties, choices);
  const sharesNothing = extent.fields === 0 && extent.entireEndpoints.length === 0;
  const narrowing = narrowingOf(properties, choices);
  const currentPermission = permissionToChange(item);
  const dataText = bundleText(permission.bundle.bundle, names);

  return (
    <Page
      title={currentPermission === undefined ? texts.title(name, dataText) : texts.changeTitle(name)}
      crumbs={[{ label: m.requests.pageTitle, to: '/requests' }]}
      picture={<Logo url={requester.requestClientLogoUrl} name={name} size={56} />}
      lead={
        <Group gap="0 1rem">
          {hostOf(requester.requestClientUrl) !== undefined && <ExternalLink url={requester.requestClientUrl} />}
          <span>
            {texts.received} <RelativeTime at={permission.dateCreated} />, {originText(item)}
          </span>
        </Group>
      }
    >
      {hasChanged && (
        <Callout tone="attention" title={m.requests.changed.title} urgent>
          {m.requests.changed.text}
        </Callout>
      )}
      {currentPermission !== undefined && (
        <PermissionChanges
          item={item}
          currentPermission={currentPermission}
          requestedPermission={permission}
          now={now}
        />
      )}
      <FactList
        facts={[
          { term: texts.purpose, value: purposeOf(item, permission) },
          {
            term: texts.when,
            value: (
              <>
                {startText(timing, now)} {endText(timing, now)}
                <DurationChoice requested={permission} now={now} value={duration.value} change={setDuration} />
              </>
            ),
          },
          {
            term: texts.atMost,
            value: sharesNothing
              ? texts.atMostNothing
              : texts.atMostText(worstCaseText(extent), untilText(timing, now)),
            emphasised: true,
          },
          permission.conditions !== undefined && {
            term: texts.conditions,
            value: texts.conditionsText(conditionTexts(permission.conditions.bundle, names)),
          },
          item.callbackHost !== null && { term: texts.notified, value: texts.notifiedText(item.callbackHost) },
          hostOf(permission.termsUrl) !== undefined && {
            term: texts.terms,
            value: (
              <ExternalLink url={permission.termsUrl}>
                {texts.termsLink(hostOf(permission.termsUrl) ?? '')}
              </ExternalLink>
            ),
          },
        ]}
      />
      <Text size="xs" c="dimmed" mt="sm">
        {texts.requesterText}
      </Text>
      <SharedData properties={properties} source={source} choices={choices} change={setChoices} />
      <TechnicalDetails
        terms={[
          { term: m.requests.technical.key, value: debit.dataDebitKey },
          { term: m.requests.technical.bundle, value: permission.bundle.name },
          { term: m.requests.technical.application, value: debit.requestApplicationId },
          { term: m.requests.technical.permission, value: permission.permissionId },
        ]}
        json={{ ...permission, ...requester }}
      />
      <DecisionBar
        item={item}
        name={name}
        permission={permission}
        extent={extent}
        narrowing={narrowing}
        limit={duration.limit}
        timing={timing}
        blockedReason={findBlockedReason(sharesNothing, hasEnded(timing, now))}
        hasChanged={hasChanged}
        now={now}
      />
    </Page>
  );
}

function findBlockedReason(sharesNothing: boolean, isOver: boolean): string | undefined {
  if (sharesNothing) return m.requests.decide.nothing;
  return isOver ? m.requests.decide.expired : undefined;
}

function originText({ requester }: OwnerDebit): string {
  return requester.kind === 'owner' ? texts.from.owner : texts.from[requester.kind](requester.name);
}

function purposeOf({ debit, pendingRequester }: OwnerDebit, { purpose }: Permission): string {
  const description = (pendingRequester ?? debit).requestDescription ?? '';
  return description === '' || description === purpose ? purpose : `${purpose}\n${description}`;
}
