import { NativeSelect } from '@mantine/core';
import { ACTS } from '../../../../server/wire/access-kinds.ts';
import { DayField } from '../../../shared/form/day-field.tsx';
import { SearchField } from '../../../shared/form/search-field.tsx';
import { today } from '../../../shared/format/local-date.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './filter-bar.module.css';
import { FilterChips } from './filter-chips.tsx';
import { CONSENT_FILTERS, READER_FILTERS } from './reader-filter.ts';
import { useConsentChoices, useDataChoices, useReaderChoices } from './use-choices.ts';
import type { Filter } from './use-filter.ts';

const texts = m.history.filter;

export interface FilterBarProps {
  filter: Filter;
  change: (change: Partial<Filter>) => void;
  clear: () => void;
}

export function FilterBar({ filter, change, clear }: FilterBarProps) {
  const currentDay = today();
  const readers = useReaderChoices(filter);
  const consents = useConsentChoices(filter);
  const dataChoices = useDataChoices(filter);
  /** Sets the filter of an option, and clears the other filters of the same select. */
  const select = (choice: string, filterNames: readonly string[]) => {
    const [selectedFilter, ...nameParts] = choice.split(' ');
    change(
      Object.fromEntries(
        filterNames.map((filterName) => [filterName, filterName === selectedFilter ? nameParts.join(' ') : undefined]),
      ),
    );
  };
  return (
    <section aria-label={texts.label} className={classes.filter}>
      <SearchField
        className={classes.search}
        label={texts.search}
        value={filter.search ?? ''}
        onSearch={(search) => change({ search: search.trim() === '' ? undefined : search })}
      />
      <div className={classes.controls}>
        <NativeSelect
          label={texts.actor}
          value={readers.selected}
          data={[{ value: '', label: texts.anyone }, ...readers.choices]}
          onChange={({ currentTarget: { value } }) => select(value, READER_FILTERS)}
        />
        {consents.choices.length > 0 && (
          <NativeSelect
            label={texts.consent}
            value={consents.selected}
            data={[{ value: '', label: texts.any }, ...consents.choices]}
            onChange={({ currentTarget: { value } }) => select(value, CONSENT_FILTERS)}
          />
        )}
        <NativeSelect
          label={texts.act}
          value={filter.act ?? ''}
          data={[{ value: '', label: texts.any }, ...ACTS.map((act) => ({ value: act, label: texts.acts[act] }))]}
          onChange={({ currentTarget: { value } }) => change({ act: ACTS.find((act) => act === value) })}
        />
        <NativeSelect
          label={texts.subject}
          value={filter.endpoint ?? ''}
          data={[{ value: '', label: texts.anything }, ...dataChoices]}
          onChange={({ currentTarget: { value } }) => change({ endpoint: value === '' ? undefined : value })}
        />
        <NativeSelect
          label={texts.outcome}
          value={filter.outcome ?? ''}
          data={[
            { value: '', label: texts.any },
            { value: 'allowed', label: texts.allowed },
            { value: 'refused', label: texts.refused },
          ]}
          onChange={({ currentTarget: { value } }) =>
            change({ outcome: value === 'allowed' || value === 'refused' ? value : undefined })
          }
        />
        <DayField
          label={texts.from}
          max={filter.to ?? currentDay}
          value={filter.from ?? ''}
          onChange={(from) => change({ from })}
        />
        <DayField
          label={texts.to}
          min={filter.from}
          max={currentDay}
          value={filter.to ?? ''}
          onChange={(to) => change({ to })}
        />
      </div>
      <FilterChips filter={filter} change={change} clear={clear} />
    </section>
  );
}
