import { useQuery } from '@tanstack/react-query';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { users } from '../../api/account/users.ts';
import { fileSummary } from '../../api/files/queries.ts';
import { shareLinks } from '../../api/files/share-links.ts';
import { functions } from '../../api/functions/queries.ts';
import { endpoints } from '../../api/queries.ts';
import { applications } from '../../api/sharing/access.ts';
import { debits } from '../../api/sharing/debits.ts';
import { contracts } from '../../api/sharing/network.ts';
import { compare } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { fileSource } from './entry-text.ts';
import type { Filter } from './use-filter.ts';
import { useEntryNames, usePersonName, useShareLinkName } from './use-names.ts';

const words = m.history.filter;
const FILES_PREFIX = 'files:';

/** Filters by reader or consent. Only one of them can be active at a time. */
export const READER_FILTERS = ['who', 'application', 'debit', 'contract', 'function', 'link', 'user'] as const;

interface Choice {
  value: string;
  label: string;
}

interface ChoiceGroup {
  group: string;
  items: Choice[];
}

const isNotEmpty = ({ items }: ChoiceGroup): boolean => items.length > 0;

/** Returns the readers and consents that can be chosen. A value consists of the filter and the name. */
export function useReaderChoices(filter: Filter): { selected: string; choices: (Choice | ChoiceGroup)[] } {
  const catalogue = useQuery(applications).data ?? [];
  const dataDebits = useQuery(debits).data ?? [];
  const contractList = useQuery(contracts).data ?? [];
  const functionList = useQuery(functions).data ?? [];
  const linkList = useQuery(shareLinks).data ?? [];
  const userList = useQuery(users).data ?? [];
  const names = useEntryNames();
  const personName = usePersonName();
  const linkName = useShareLinkName();

  const groups: ChoiceGroup[] = [
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
      group: words.contracts,
      items: contractList.map(({ contractId, name }) => ({
        value: `contract ${contractId}`,
        label: isolateText(name),
      })),
    },
    {
      group: words.functions,
      items: functionList
        .filter(({ place }) => place.kind === 'elsewhere')
        .map(({ id }) => ({ value: `function ${id}`, label: names.functionName(id) })),
    },
    {
      group: words.links,
      items: linkList.map(({ linkId, name }) => ({ value: `link ${linkId}`, label: isolateText(name) })),
    },
    {
      group: words.people,
      items: userList.map(({ userId, name }) => ({ value: `user ${userId}`, label: name })),
    },
  ].filter(isNotEmpty);
  const fixedChoices: Choice[] = [
    { value: 'who owner', label: words.you },
    { value: 'who visitor', label: words.anonymous },
    { value: 'who exchange', label: words.exchange },
  ];

  const kind = READER_FILTERS.find((name) => filter[name] !== undefined);
  const name = kind === undefined ? '' : (filter[kind] ?? '');
  const selected = kind === undefined ? '' : `${kind} ${name}`;
  const isListed = [...fixedChoices, ...groups.flatMap(({ items }) => items)].some(({ value }) => value === selected);
  // The URL may name a reader that no longer exists.
  if (selected !== '' && !isListed) {
    const label = kind === 'user' ? personName(name) : kind === 'link' ? linkName(name) : name;
    groups.push({ group: words.others, items: [{ value: selected, label }] });
  }
  return { selected, choices: [...fixedChoices, ...groups] };
}

/** Returns the endpoints and sources of files that can be chosen. */
export function useDataChoices({ endpoint: selected }: Filter): ChoiceGroup[] {
  const summaries = useQuery(endpoints).data ?? [];
  const sources = useQuery(fileSummary).data?.sources ?? [];
  const groups: ChoiceGroup[] = [
    {
      group: words.endpoints,
      items: summaries
        .map(({ endpoint, name }) => ({ value: endpoint, label: `${isolateText(name)} (${endpoint})` }))
        .toSorted((a, b) => compare(a.label, b.label)),
    },
    { group: words.files, items: sources.map(({ source }) => ({ value: `${FILES_PREFIX}${source}`, label: source })) },
  ].filter(isNotEmpty);
  if (selected !== undefined && !groups.some(({ items }) => items.some(({ value }) => value === selected)))
    groups.push({ group: words.others, items: [{ value: selected, label: fileSource(selected) ?? selected }] });
  return groups;
}
