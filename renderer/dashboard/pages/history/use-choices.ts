import { useQuery } from '@tanstack/react-query';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { users } from '../../api/account/users.ts';
import { fileSummary } from '../../api/files/queries.ts';
import { shareLinks } from '../../api/files/share-links.ts';
import { functions } from '../../api/functions/queries.ts';
import { endpoints } from '../../api/queries.ts';
import { applications } from '../../api/sharing/access.ts';
import { debitsQuery } from '../../api/sharing/debits.ts';
import { contracts } from '../../api/sharing/network.ts';
import { compare } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { FILES_PREFIX, fileSource } from './entry-text.ts';
import { CONSENT_FILTERS, READER_FILTERS } from './reader-filter.ts';
import type { Filter } from './use-filter.ts';
import { useEntryNames, usePersonName, useShareLinkName } from './use-names.ts';

const texts = m.history.filter;

interface Choice {
  value: string;
  label: string;
}

interface ChoiceGroup {
  group: string;
  items: Choice[];
}

/** Options of a select. Their values consist of a filter and a name, such as `application notes`. */
interface Choices {
  /** Value of the selected option; empty if none is selected. */
  selected: string;
  choices: (Choice | ChoiceGroup)[];
}

function selectedValueOf(filter: Filter, filterNames: readonly (keyof Filter)[]): string {
  const name = filterNames.find((candidate) => filter[candidate] !== undefined);
  return name === undefined ? '' : `${name} ${filter[name] ?? ''}`;
}

/** Adds the selected choice if it is missing, because the URL may name an item that does not exist. */
function withSelected(selected: string, choices: (Choice | ChoiceGroup)[], label: string): Choices {
  const listedChoices = choices.flatMap((choice) => ('items' in choice ? choice.items : [choice]));
  if (selected === '' || listedChoices.some(({ value }) => value === selected)) return { selected, choices };
  return { selected, choices: [...choices, { group: texts.others, items: [{ value: selected, label }] }] };
}

const isNotEmpty = ({ items }: ChoiceGroup): boolean => items.length > 0;

export function useReaderChoices(filter: Filter): Choices {
  const applicationList = useQuery(applications).data ?? [];
  const contractList = useQuery(contracts).data ?? [];
  const functionList = useQuery(functions).data ?? [];
  const userList = useQuery(users).data ?? [];
  const names = useEntryNames();
  const personName = usePersonName();

  const groups: ChoiceGroup[] = [
    {
      group: texts.applications,
      items: applicationList
        .filter(({ item }) => item.setup || item.application.id === filter.application)
        .map(({ item: { application } }) => ({
          value: `application ${application.id}`,
          label: isolateText(application.info.name),
        })),
    },
    {
      group: texts.contracts,
      items: contractList.map(({ contractId, name }) => ({
        value: `contract ${contractId}`,
        label: isolateText(name),
      })),
    },
    {
      group: texts.functions,
      items: functionList
        .filter(({ place }) => place.kind === 'elsewhere')
        .map(({ id }) => ({ value: `function ${id}`, label: names.functionName(id) })),
    },
    {
      group: texts.people,
      items: userList.map(({ userId, name }) => ({ value: `user ${userId}`, label: name })),
    },
  ].filter(isNotEmpty);
  const fixedChoices: Choice[] = [
    { value: 'who owner', label: m.history.actors.you },
    { value: 'who visitor', label: m.history.actors.anonymousMany },
    { value: 'who exchange', label: m.history.actors.exchange },
  ];

  const selected = selectedValueOf(filter, READER_FILTERS);
  const label = filter.user === undefined ? selected.slice(selected.indexOf(' ') + 1) : personName(filter.user);
  return withSelected(selected, [...fixedChoices, ...groups], label);
}

export function useConsentChoices(filter: Filter): Choices {
  const dataDebits = useQuery(debitsQuery).data ?? [];
  const linkList = useQuery(shareLinks).data ?? [];
  const linkName = useShareLinkName();
  const groups: ChoiceGroup[] = [
    {
      group: texts.debits,
      items: dataDebits.map(({ debit }) => ({
        value: `debit ${debit.dataDebitKey}`,
        label: `${isolateText(debit.requestClientName)} (${debit.dataDebitKey})`,
      })),
    },
    {
      group: texts.links,
      items: linkList.map(({ linkId, name }) => ({ value: `link ${linkId}`, label: isolateText(name) })),
    },
  ].filter(isNotEmpty);
  const label = filter.link === undefined ? (filter.debit ?? '') : linkName(filter.link);
  return withSelected(selectedValueOf(filter, CONSENT_FILTERS), groups, label);
}

export function useDataChoices({ endpoint: selected }: Filter): ChoiceGroup[] {
  const summaries = useQuery(endpoints).data ?? [];
  const sources = useQuery(fileSummary).data?.sources ?? [];
  const groups: ChoiceGroup[] = [
    {
      group: texts.endpoints,
      items: summaries
        .map(({ endpoint, name }) => ({ value: endpoint, label: `${isolateText(name)} (${endpoint})` }))
        .toSorted((a, b) => compare(a.label, b.label)),
    },
    { group: texts.files, items: sources.map(({ source }) => ({ value: `${FILES_PREFIX}${source}`, label: source })) },
  ].filter(isNotEmpty);
  if (selected !== undefined && !groups.some(({ items }) => items.some(({ value }) => value === selected)))
    groups.push({ group: texts.others, items: [{ value: selected, label: fileSource(selected) ?? selected }] });
  return groups;
}
