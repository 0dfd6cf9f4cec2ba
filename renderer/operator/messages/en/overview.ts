import { count, number } from '../../../shared/format/format.ts';

export const overview = {
  pageTitle: 'Overview',
  well: 'Nothing waits for you',
  waits: (n: number) => (n === 1 ? 'One thing waits for you' : `${number(n)} things wait for you`),
  welcome: (name: string) => `Signed in as ${name}`,
  lead: 'What PDAs, developers and Data Plugs do here.',
  yours: (roles: string) => `Roles of this account: ${roles}.`,
  applications: (n: number, more: boolean) =>
    n === 1
      ? 'An application wants to be published'
      : `${number(n)}${more ? ' or more' : ''} applications want to be published`,
  offers: (n: number, more: boolean) =>
    n === 1 ? 'An Offer wants to be shown' : `${number(n)}${more ? ' or more' : ''} Offers want to be shown`,
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
  days: 'Day by day',
  span: 'Days shown',
  spans: { '30': '30 days', '90': '90 days', '365': 'A year' },
  asTable: 'Show as table',
  asChart: 'Show as chart',
  tableOf: (title: string) => `${title}: show as table`,
  chartOf: (title: string) => `${title}: show as chart`,
  none: (days: number) => `Nothing in the last ${count(days, 'day', 'days')}.`,
  charts: {
    pdas: {
      title: 'PDAs that came and left',
      registrations: 'Came',
      leavings: 'Left',
      summary: (came: number, left: number) => `${number(came)} came, ${number(left)} left`,
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
      events: 'Reports',
      summary: (values: number, events: number) =>
        `${count(values, 'value', 'values')} in ${count(events, 'report', 'reports')}`,
    },
    out: {
      title: 'Values shared',
      values: 'Values',
      events: 'Reports',
      summary: (values: number, events: number) =>
        `${count(values, 'value', 'values')} in ${count(events, 'report', 'reports')}`,
    },
    applications: {
      title: 'Who wrote',
      application: 'Application',
      values: 'Values written',
      other: 'Others, not published here',
      text: (days: number) => `Values that applications wrote in the last ${count(days, 'day', 'days')}.`,
    },
  },
  top: { title: 'Endpoints that most PDAs have', endpoint: 'Endpoint', values: 'Values', none: 'None is known yet.' },
  topText: 'Only endpoints that several PDAs reported are named.',
} as const;
