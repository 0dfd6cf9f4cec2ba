import { count } from '../../../shared/format/format.ts';

export const available = {
  pageTitle: 'Available data',
  lead: 'Which data there is in PDAs: names of places and fields, never what they hold.',
  leadEdit: 'Which data there is in PDAs, and what it is. Everybody can read the descriptions.',
  none: 'Nothing is known yet',
  noneText: 'Endpoints and fields are named here once several PDAs have reported them.',
  summary: (namespaces: number, endpoints: number) =>
    `${count(namespaces, 'namespace', 'namespaces')}, ${count(endpoints, 'endpoint', 'endpoints')}`,
  find: 'Find a place or field',
  clear: 'Clear the search',
  noMatch: (text: string) => `Nothing is called “${text}”.`,
  fields: (n: number) => count(n, 'field', 'fields'),
  values: (n: number) => count(n, 'value', 'values'),
  field: 'Field',
  description: 'Description',
  valuesHead: 'Values',
  undescribed: 'No description',
  describe: (what: string) => `Describe ${what}`,
  edit: 'Describe',
  hint: 'Plain words for people who do not know the source. Empty takes the description away.',
  submit: 'Keep this description',
  done: (what: string) => `${what} is described`,
  show: (endpoint: string) => `Fields of ${endpoint}`,
} as const;
