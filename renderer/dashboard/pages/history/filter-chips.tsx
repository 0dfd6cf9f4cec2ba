import { Anchor, CloseButton } from '@mantine/core';
import { ACTS } from '../../../../server/wire/access-kinds.ts';
import { useApplicationName } from '../../api/sharing/access.ts';
import { m } from '../../../shared/messages/texts.ts';
import { recordPath } from '../../navigation.ts';
import { fileSource } from './entry-text.ts';
import type { FilterBarProps } from './filter-bar.tsx';
import classes from './filter-bar.module.css';
import { useDebitName, useEntryNames, usePersonName, useShareLinkName } from './use-names.ts';
import { activeFilters, type FILTERS, isFiltered } from './use-filter.ts';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.history.filter;

export function FilterChips({ filter, change, clear }: FilterBarProps) {
  const applicationName = useApplicationName();
  const debitName = useDebitName();
  const personName = usePersonName();
  const linkName = useShareLinkName();
  const { contractName, functionName, endpointName } = useEntryNames();
  if (!isFiltered(filter)) return null;
  const label = (name: (typeof FILTERS)[number], value: string): string => {
    switch (name) {
      case 'application':
        return texts.chip.application(applicationName(value));
      case 'debit':
        return texts.chip.debit(debitName(value));
      case 'user':
        return texts.chip.user(personName(value));
      case 'contract':
        return texts.chip.contract(contractName(value));
      case 'function':
        return texts.chip.function(functionName(value));
      case 'who':
        return value === 'owner' || value === 'visitor' || value === 'exchange' ? texts.chip.who[value] : value;
      case 'act': {
        const act = ACTS.find((candidate) => candidate === value);
        return act === undefined ? value : texts.acts[act];
      }
      case 'endpoint':
        return fileSource(value) ?? endpointName(value);
      case 'search':
        return texts.chip.search(value);
      case 'link':
        return texts.chip.link(linkName(value));
      case 'record':
        return texts.chip.record;
      case 'outcome':
        return value === 'allowed' ? texts.chip.allowed : texts.chip.refused;
      case 'from':
        return texts.chip.from(value);
      case 'to':
        return texts.chip.to(value);
    }
  };
  return (
    <ul className={classes.chips} aria-label={texts.chips}>
      {activeFilters(filter).map(([name, value]) => (
        <li key={name} className={classes.chip}>
          {name === 'record' ? (
            <TextLink to={recordPath(value)}>{label(name, value)}</TextLink>
          ) : (
            <span>{label(name, value)}</span>
          )}
          <CloseButton
            size="sm"
            aria-label={texts.remove(label(name, value))}
            onClick={() => change({ [name]: undefined })}
          />
        </li>
      ))}
      <li>
        <Anchor component="button" type="button" onClick={clear}>
          {texts.clear}
        </Anchor>
      </li>
    </ul>
  );
}
