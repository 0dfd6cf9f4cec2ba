import { count } from '../../../shared/format/format.ts';

export const availableData = {
  pageTitle: 'Available data',
  lead: 'Kinds of data that PDAs contain: only the names of endpoints and fields, never their content.',
  leadEdit: 'Data that PDAs contain, with descriptions. The descriptions are public.',
  none: 'No data listed yet',
  noneText: 'Endpoints and fields are listed here once several PDAs have reported them.',
  summary: (namespaces: number, endpoints: number) =>
    `${count(namespaces, 'namespace', 'namespaces')}, ${count(endpoints, 'endpoint', 'endpoints')}`,
  search: 'Find an endpoint or field',
  noMatch: (text: string) => `No endpoint or field matches “${text}”.`,
  fields: (n: number) => count(n, 'field', 'fields'),
  field: 'Field',
  description: 'Description',
  valuesHead: 'Values',
  undescribed: 'No description',
  describe: (subject: string) => `Describe ${subject}`,
  edit: 'Describe',
  hint: 'Describe it for people who do not know the source. Leave the field empty to remove the description.',
  submit: 'Save description',
  done: (subject: string) => `Description of ${subject} saved`,
  show: (endpoint: string) => `Fields of ${endpoint}`,
} as const;
