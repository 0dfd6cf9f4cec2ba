import { Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { OwnerDebit, Permission } from '../../api/contract.ts';
import { debitPreview } from '../../api/debits.ts';
import { Callout } from '../../components/callout.tsx';
import { AS_ASKED, narrowingOf, remainingExtent } from '../../components/consent/choices.ts';
import { Facts } from '../../components/consent/facts.tsx';
import { Logo } from '../../components/consent/logo.tsx';
import { namesOf } from '../../components/consent/names.ts';
import { OutsideLink, hostOf } from '../../components/consent/outside-link.tsx';
import { type Extent, extentText, bundleText, plainBundle } from '../../components/consent/plain-words.ts';
import { Technical } from '../../components/consent/technical.tsx';
import { endText, isOver, startText, untilShort } from '../../components/consent/time-words.ts';
import { AS_ASKED_TIME, type Limit, withLimit } from '../../components/consent/until.ts';
import { WhatLeaves } from '../../components/consent/what-leaves.tsx';
import { Page } from '../../components/page.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import classes from './decision.module.css';
import { Decide } from './decide.tsx';
import { HowLong } from './how-long.tsx';
import { WhatChanges } from './what-changes.tsx';

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
  const [choices, setChoices] = useState(AS_ASKED);
  const [howLong, setHowLong] = useState<{ value: string; limit: Limit }>({ value: AS_ASKED_TIME, limit: {} });
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
          {hostOf(asker.requestClientUrl) !== undefined && <OutsideLink url={asker.requestClientUrl} />}
          <span>
            {words.asked} <When at={permission.dateCreated} />, {cameFrom(item)}
          </span>
        </div>
      }
    >
      {changed && (
        <Callout tone="decision" title={m.requests.changed.title} urgent>
          {m.requests.changed.text}
        </Callout>
      )}
      {running !== undefined && <WhatChanges item={item} before={running} after={permission} now={now} />}
      <Facts
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
          { term: words.atMost, value: worst(extent, untilShort(timing, now)), loud: true },
          permission.conditions !== undefined && {
            term: words.conditions,
            value: words.conditionsText(placesText(permission.conditions.bundle)),
          },
          item.tells !== null && { term: words.tells, value: words.tellsText(item.tells) },
          hostOf(permission.termsUrl) !== undefined && {
            term: words.terms,
            value: (
              <OutsideLink url={permission.termsUrl}>{words.termsLink(hostOf(permission.termsUrl) ?? '')}</OutsideLink>
            ),
          },
        ]}
      />
      <Text size="xs" c="dimmed" mt="sm">
        {words.ownWords}
      </Text>
      <WhatLeaves properties={properties} source={source} choices={choices} change={setChoices} />
      <Technical
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
        closed={closedBecause(extent, isOver(timing, now))}
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
  const entire = extent.entirePlaces.length === 0 ? [] : [m.consent.worst.entire(namesOf(extent.entirePlaces))];
  const fields = extent.fields === 0 ? [] : [extentText({ ...extent, entirePlaces: [] })];
  return words.worst([...entire, ...fields].join('; '), until);
}
