import { isolateText } from '../../../../server/wire/isolation.ts';
import { Anchor, CloseButton, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { applications, useApplicationName } from '../../api/sharing/access.ts';
import { debits } from '../../api/sharing/debits.ts';
import { users } from '../../api/account/users.ts';
import { DayField } from '../../../shared/form/day-field.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { recordPath } from '../../navigation.ts';
import { localDate } from './day-groups.ts';
import classes from './filter-bar.module.css';
import { useDebitName, usePersonName, useShareLinkName } from './use-names.ts';
import { type Filter, FILTERS } from './use-filter.ts';

const words = m.history.filter;
/** Filters by reader. Only one of them can be active at a time. */
const READER_FILTERS = ['application', 'debit', 'user'] as const;

interface FilterBarProps {
  filter: Filter;
  change: (change: Partial<Filter>) => void;
  clear: () => void;
}

/** Filter controls of the access history, with a removable chip for each active filter. */
export function FilterBar({ filter, change, clear }: FilterBarProps) {
  const catalogue = useQuery(applications).data ?? [];
  const dataDebits = useQuery(debits).data ?? [];
  const userList = useQuery(users).data ?? [];
  const personName = usePersonName();
  const [today] = useState(() => localDate(new Date()));
  const kind = READER_FILTERS.find((name) => filter[name] !== undefined);
  const selectedReader = kind === undefined ? '' : `${kind} ${filter[kind] ?? ''}`;
  const choices: { group: string; items: { value: string; label: string }[] }[] = [
    {
      group: words.applications,
      items: catalogue
        .filter(({ item }) => item.setup || item.application.id === filter.application)
        .map(({ item: { application } }) => ({
          value: `application ${application.id}`,
          label: isolateText(application.info.name),
        })),
    },
    {
      group: words.debits,
      items: dataDebits.map(({ debit }) => ({
        value: `debit ${debit.dataDebitKey}`,
        label: `${isolateText(debit.requestClientName)} (${debit.dataDebitKey})`,
      })),
    },
    {
      group: words.people,
      items: userList.map(({ userId, name }) => ({ value: `user ${userId}`, label: name })),
    },
  ].filter(({ items }) => items.length > 0);
  // The URL may name a reader that no longer exists.
  if (selectedReader !== '' && !choices.some(({ items }) => items.some(({ value }) => value === selectedReader))) {
    const name = selectedReader.slice(selectedReader.indexOf(' ') + 1);
    choices.push({
      group: words.actor,
      items: [{ value: selectedReader, label: kind === 'user' ? personName(name) : name }],
    });
  }
  return (
    <section aria-label={words.label} className={classes.filter}>
      <div className={classes.controls}>
        <NativeSelect
          label={words.actor}
          value={selectedReader}
          data={[{ value: '', label: words.anyone }, ...choices]}
          onChange={(event) => {
            const [selectedFilter, ...name] = event.currentTarget.value.split(' ');
            change(
              Object.fromEntries(
                READER_FILTERS.map((filterName) => [
                  filterName,
                  filterName === selectedFilter ? name.join(' ') : undefined,
                ]),
              ),
            );
          }}
        />
        <NativeSelect
          label={words.outcome}
          value={filter.outcome ?? ''}
          data={[
            { value: '', label: words.any },
            { value: 'allowed', label: words.allowed },
            { value: 'refused', label: words.refused },
          ]}
          onChange={({ currentTarget: { value } }) =>
            change({ outcome: value === 'allowed' || value === 'refused' ? value : undefined })
          }
        />
        <DayField
          label={words.from}
          max={filter.to ?? today}
          value={filter.from ?? ''}
          onDay={(from) => change({ from })}
        />
        <DayField
          label={words.to}
          min={filter.from}
          max={today}
          value={filter.to ?? ''}
          onDay={(to) => change({ to })}
        />
      </div>
      <Chips filter={filter} change={change} clear={clear} />
    </section>
  );
}

function Chips({ filter, change, clear }: FilterBarProps) {
  const applicationName = useApplicationName();
  const debitName = useDebitName();
  const personName = usePersonName();
  const linkName = useShareLinkName();
  const activeFilters = FILTERS.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ name, value }];
  });
  if (activeFilters.length === 0) return null;
  const label = (name: (typeof FILTERS)[number], value: string): string => {
    switch (name) {
      case 'application':
        return words.chip.application(applicationName(value));
      case 'debit':
        return words.chip.debit(debitName(value));
      case 'user':
        return words.chip.user(personName(value));
      case 'contract':
        return words.chip.contract(value);
      case 'link':
        return words.chip.link(linkName(value));
      case 'record':
        return words.chip.record;
      case 'outcome':
        return value === 'allowed' ? words.chip.allowed : words.chip.refused;
      case 'from':
        return words.chip.from(value);
      case 'to':
        return words.chip.to(value);
    }
  };
  return (
    <ul className={classes.chips} aria-label={words.chips}>
      {activeFilters.map(({ name, value }) => (
        <li key={name} className={classes.chip}>
          {name === 'record' ? (
            <Anchor component={Link} to={recordPath(value)} size="sm">
              {label(name, value)}
            </Anchor>
          ) : (
            <span>{label(name, value)}</span>
          )}
          <CloseButton
            size="sm"
            aria-label={words.remove(label(name, value))}
            onClick={() => change({ [name]: undefined })}
          />
        </li>
      ))}
      <li>
        <Anchor component="button" type="button" size="sm" onClick={clear}>
          {words.clear}
        </Anchor>
      </li>
    </ul>
  );
}
