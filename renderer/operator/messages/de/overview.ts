import { count, number } from '../../../shared/format/format.ts';
import type { Localised } from '../../../shared/messages/localised.ts';
import type { overview as en } from '../en/overview.ts';

const values = (n: number) => count(n, 'Wert', 'Werte');
const inEvents = (n: number) => count(n, 'Ereignis', 'Ereignissen');
const inDays = (days: number) => (days === 1 ? 'am letzten Tag' : `in den letzten ${count(days, 'Tag', 'Tagen')}`);

export const overview = {
  pageTitle: 'Übersicht',
  ok: 'Nichts wartet auf dich',
  attention: (n: number, isMinimum: boolean) =>
    n === 1 ? 'Eine Sache wartet auf dich' : `${number(n)}${isMinimum ? ' oder mehr' : ''} Dinge warten auf dich`,
  welcome: (name: string) => `Angemeldet als ${name}`,
  lead: 'Aktivität von PDAs, Entwicklern und Datenanschlüssen.',
  accountRoles: (roles: string) => `Rollen dieses Kontos: ${roles}.`,
  applications: (n: number, isMinimum: boolean) =>
    n === 1
      ? 'Eine Anwendung wartet auf die Veröffentlichung'
      : `${number(n)}${isMinimum ? ' oder mehr' : ''} Anwendungen warten auf die Veröffentlichung`,
  offers: (n: number, isMinimum: boolean) =>
    n === 1
      ? 'Ein Angebot wartet auf die Genehmigung'
      : `${number(n)}${isMinimum ? ' oder mehr' : ''} Angebote warten auf die Genehmigung`,
  plugs: (n: number) =>
    n === 1 ? 'Ein Datenanschluss ist nicht genehmigt' : `${number(n)} Datenanschlüsse sind nicht genehmigt`,
  decide: 'Entscheiden',
  figures: 'Zahlen',
  names: {
    'Registered PDAs': 'PDAs',
    'Data Plugs': 'Datenanschlüsse',
    'Total Offer Claims': 'Teilnahmen an Angeboten',
    'Data In': 'Geschriebene Werte',
    'Data Out': 'Freigegebene Werte',
  },
  dailyActivity: 'Tägliche Aktivität',
  span: 'Zeitraum',
  spans: { '30': '30 Tage', '90': '90 Tage', '365': 'Ein Jahr' },
  asTable: 'Als Tabelle zeigen',
  asChart: 'Als Diagramm zeigen',
  tableOf: (title: string) => `${title}: als Tabelle zeigen`,
  chartOf: (title: string) => `${title}: als Diagramm zeigen`,
  none: (days: number) => `Nichts ${inDays(days)}.`,
  charts: {
    pdas: {
      title: 'Eingetragene und entfernte PDAs',
      registrations: 'Eingetragen',
      removals: 'Entfernt',
      summary: (registered: number, removed: number) =>
        `${number(registered)} eingetragen, ${number(removed)} entfernt`,
    },
    claims: {
      title: 'Teilnahmen an Angeboten',
      claims: 'Teilgenommen',
      confirmations: 'Bestätigt',
      summary: (made: number, confirmed: number) => `${number(made)} teilgenommen, ${number(confirmed)} bestätigt`,
    },
    in: {
      title: 'Geschriebene Werte',
      values: 'Werte',
      events: 'Ereignisse',
      summary: (n: number, events: number) => `${values(n)} in ${inEvents(events)}`,
    },
    out: {
      title: 'Freigegebene Werte',
      values: 'Werte',
      events: 'Ereignisse',
      summary: (n: number, events: number) => `${values(n)} in ${inEvents(events)}`,
    },
    applications: {
      title: 'Werte nach Anwendung',
      application: 'Anwendung',
      values: 'Geschriebene Werte',
      other: 'Andere, hier nicht veröffentlicht',
      text: (days: number) => `Anwendungen, die ${inDays(days)} die meisten Werte geschrieben haben.`,
    },
  },
  top: {
    title: 'Endpunkte, die von den meisten PDAs gemeldet wurden',
    endpoint: 'Endpunkt',
    values: 'Werte',
    none: 'Noch kein Endpunkt wurde von mehreren PDAs gemeldet.',
  },
} satisfies Localised<typeof en>;
