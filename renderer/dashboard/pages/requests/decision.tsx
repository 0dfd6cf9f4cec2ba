import { Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { debitPreview } from '../../api/sharing/debits.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { NO_CHOICES, narrowingOf, remainingExtent } from '../../consent/choices.ts';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { Logo } from '../../../shared/components/logo.tsx';
import { summariseNames } from '../../../shared/components/program-names.ts';
import { ExternalLink, hostOf } from '../../../shared/components/external-link.tsx';
import { type Extent, extentText, bundleText, plainBundle } from '../../../shared/consent/bundle-text.ts';
import { TechnicalDetails } from '../../../shared/consent/technical-details.tsx';
import { endText, hasEnded, startText, untilShort } from '../../../shared/consent/timing-text.ts';
import { AS_REQUESTED, type DurationLimit, withLimit } from '../../consent/duration.ts';
import { SharedData } from '../../consent/shared-data.tsx';
import { Page } from '../../components/page.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './decision.module.css';
import { Decide } from './decision-bar.tsx';
import { HowLong } from './duration-choice.tsx';
import { WhatChanges } from './change-list.tsx';

const words = m.requests.page;

interface DecisionProps {
  item: OwnerDebit;
  permission: Permission;
  /** It took the place of another one while the owner looked. */
  changed: boolean;
}

/** One request, with the owner's choices so far. */
export function Decision({ item, permission, changed }: DecisionProps) {
  const { debit, waitingAs } = item;
  const asker = waitingAs ?? debit;
  const name = asker.requestClientName;
  const properties = useMemo(() => plainBundle(permission.bundle.bundle), [permission]);
  const [choices, setChoices] = useState(NO_CHOICES);
  const [howLong, setHowLong] = useState<{ value: string; limit: DurationLimit }>({ value: AS_REQUESTED, limit: {} });
  const [now] = useState(() => new Date());

  const source = useMemo(
    () => debitPreview(debit.dataDebitKey, permission.permissionId),
    [debit.dataDebitKey, permission.permissionId],
  );
  const timing = withLimit(permission, howLong.limit);
  const extent = remainingExtent(properties, choices);
  const narrowing = narrowingOf(properties, choices);
  const running = debit.permissionsActive;
  const what = bundleText(permission.bundle.bundle);

  return (
    <Page
      title={running === undefined ? words.title(name, what) : words.changeTitle(name)}
      windowTitle={running === undefined ? words.title(name, what) : words.changeTitle(name)}
      crumbs={[{ label: m.requests.pageTitle, to: '/requests' }]}
      picture={<Logo url={asker.requestClientLogoUrl} name={name} size={56} />}
      lead={
        <div className={classes.who}>
          {hostOf(asker.requestClientUrl) !== undefined && <ExternalLink url={asker.requestClientUrl} />}
          <span>
            {words.asked} <RelativeTime at={permission.dateCreated} />, {cameFrom(item)}
          </span>
        </div>
      }
    >
      {changed && (
        <Callout tone="attention" title={m.requests.changed.title} urgent>
          {m.requests.changed.text}
        </Callout>
      )}
      {running !== undefined && <WhatChanges item={item} before={running} after={permission} now={now} />}
      <FactList
        facts={[
          { term: words.purpose, value: purposeOf(item, permission) },
          {
            term: words.when,
            value: (
              <>
                {startText(timing, now)} {endText(timing, now)}
                <HowLong asked={permission} now={now} value={howLong.value} change={setHowLong} />
              </>
            ),
          },
          { term: words.atMost, value: worst(extent, untilShort(timing, now)), emphasised: true },
          permission.conditions !== undefined && {
            term: words.conditions,
            value: words.conditionsText(placesText(permission.conditions.bundle)),
          },
          item.tells !== null && { term: words.tells, value: words.tellsText(item.tells) },
          hostOf(permission.termsUrl) !== undefined && {
            term: words.terms,
            value: (
              <ExternalLink url={permission.termsUrl}>
                {words.termsLink(hostOf(permission.termsUrl) ?? '')}
              </ExternalLink>
            ),
          },
        ]}
      />
      <Text size="xs" c="dimmed" mt="sm">
        {words.ownWords}
      </Text>
      <SharedData properties={properties} source={source} choices={choices} change={setChoices} />
      <TechnicalDetails
        terms={[
          { term: m.requests.technical.key, value: debit.dataDebitKey },
          { term: m.requests.technical.bundle, value: permission.bundle.name },
          { term: m.requests.technical.application, value: debit.requestApplicationId },
          { term: m.requests.technical.permission, value: permission.permissionId },
        ]}
        json={{ ...permission, ...asker }}
      />
      <Decide
        item={item}
        name={name}
        permission={permission}
        extent={extent}
        narrowing={narrowing}
        limit={howLong.limit}
        timing={timing}
        closed={closedBecause(extent, hasEnded(timing, now))}
        changed={changed}
        now={now}
      />
    </Page>
  );
}

function closedBecause({ fields, entirePlaces }: Extent, over: boolean): string | undefined {
  if (fields === 0 && entirePlaces.length === 0) return m.requests.decide.nothing;
  return over ? m.requests.decide.over : undefined;
}

function cameFrom({ requester }: OwnerDebit): string {
  return requester.kind === 'owner' ? words.from.owner : words.from[requester.kind](requester.name);
}

function purposeOf({ debit, waitingAs }: OwnerDebit, { purpose }: Permission): string {
  const description = (waitingAs ?? debit).requestDescription ?? '';
  return description === '' || description === purpose ? purpose : `${purpose}\n${description}`;
}

/** "home/where (only where Name is “Home”)" */
function placesText(bundle: Permission['bundle']['bundle']): string[] {
  const entries = plainBundle(bundle).flatMap((property) => property.entries);
  return entries.map(({ endpoint, filters }) => (filters === undefined ? endpoint : words.place(endpoint, filters)));
}

/** The worst case, said out loud. */
function worst(extent: Extent, until: string): string {
  if (extent.fields === 0 && extent.entirePlaces.length === 0) return words.worstNothing;
  const entire = extent.entirePlaces.length === 0 ? [] : [m.consent.worst.entire(summariseNames(extent.entirePlaces))];
  const fields = extent.fields === 0 ? [] : [extentText({ ...extent, entirePlaces: [] })];
  return words.worst([...entire, ...fields].join('; '), until);
}
