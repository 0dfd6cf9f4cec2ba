import { count, number } from '../../../shared/format/format.ts';

export const overview = {
  pageTitle: 'Overview',
  ok: 'Nothing needs your attention',
  attention: (n: number, isMinimum: boolean) =>
    n === 1 ? 'One item needs your attention' : `${number(n)}${isMinimum ? ' or more' : ''} items need your attention`,
  welcome: (name: string) => `Signed in as ${name}`,
  lead: 'Activity of PDAs, developers and Data Plugs.',
  accountRoles: (roles: string) => `Roles of this account: ${roles}.`,
  applications: (n: number, isMinimum: boolean) =>
    n === 1
      ? 'An application is waiting to be published'
      : `${number(n)}${isMinimum ? ' or more' : ''} applications are waiting to be published`,
  offers: (n: number, isMinimum: boolean) =>
    n === 1
      ? 'An Offer is waiting to be approved'
      : `${number(n)}${isMinimum ? ' or more' : ''} Offers are waiting to be approved`,
  plugs: (n: number) => (n === 1 ? 'A Data Plug is not approved' : `${number(n)} Data Plugs are not approved`),
  decide: 'Decide',
  figures: 'Figures',
  names: {
    'Registered PDAs': 'PDAs',
    'Data Plugs': 'Data Plugs',
    'Total Offer Claims': 'Offer claims',
    'Data In': 'Values written',
    'Data Out': 'Values shared',
  } as Readonly<Record<string, string>>,
  dailyActivity: 'Daily activity',
  span: 'Period',
  spans: { '30': '30 days', '90': '90 days', '365': 'A year' },
  asTable: 'Show as table',
  asChart: 'Show as chart',
  tableOf: (title: string) => `${title}: show as table`,
  chartOf: (title: string) => `${title}: show as chart`,
  none: (days: number) => `Nothing in the last ${count(days, 'day', 'days')}.`,
  charts: {
    pdas: {
      title: 'PDAs registered and removed',
      registrations: 'Registered',
      removals: 'Removed',
      summary: (registered: number, removed: number) => `${number(registered)} registered, ${number(removed)} removed`,
    },
    claims: {
      title: 'Offer claims',
      claims: 'Claimed',
      confirmations: 'Confirmed',
      summary: (made: number, confirmed: number) => `${number(made)} claimed, ${number(confirmed)} confirmed`,
    },
    in: {
      title: 'Values written',
      values: 'Values',
      events: 'Events',
      summary: (values: number, events: number) =>
        `${count(values, 'value', 'values')} in ${count(events, 'event', 'events')}`,
    },
    out: {
      title: 'Values shared',
      values: 'Values',
      events: 'Events',
      summary: (values: number, events: number) =>
        `${count(values, 'value', 'values')} in ${count(events, 'event', 'events')}`,
    },
    applications: {
      title: 'Values by application',
      application: 'Application',
      values: 'Values written',
      other: 'Others, not published here',
      text: (days: number) => `Applications that wrote the most values in the last ${count(days, 'day', 'days')}.`,
    },
  },
  top: {
    title: 'Endpoints reported by the most PDAs',
    endpoint: 'Endpoint',
    values: 'Values',
    none: 'No endpoint has been reported by several PDAs yet.',
  },
} as const;
