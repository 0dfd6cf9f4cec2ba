import type { Localised } from '../../../shared/messages/localised.ts';
import { count, number } from '../../../shared/format/format.ts';
import type { charts as english } from '../en/charts.ts';

const perBucket = { hour: 'je Stunde', day: 'je Tag', week: 'je Woche', month: 'je Monat', year: 'je Jahr' };
const aggregations = {
  sum: 'Summe',
  mean: 'Durchschnitt',
  min: 'Niedrigster Wert',
  max: 'Höchster Wert',
  count: 'Anzahl',
};
const records = (n: number) => count(n, 'Datensatz', 'Datensätze');
const ofRecords = (n: number) => count(n, 'Datensatz', 'Datensätzen');

export const charts: Localised<typeof english> = {
  chart: 'Diagramm',
  kind: 'Art des Diagramms',
  kinds: {
    time: 'Im Lauf der Zeit',
    heat: 'Jahr nach Tagen',
    distribution: 'Verteilung',
    values: 'Anzahl je Wert',
    scatter: 'Zwei Zahlen',
  },
  value: 'Wert',
  records: 'Datensätze',
  horizontal: 'Waagerecht',
  vertical: 'Senkrecht',
  time: 'Zeit',
  stored: 'Zeit des Speicherns',
  aggregation: 'Zusammenfassung',
  aggregations,
  bucket: 'Zeitabschnitt',
  buckets: { hour: 'Stunde', day: 'Tag', week: 'Woche', month: 'Monat', year: 'Jahr' },
  range: 'Zeitraum',
  all: 'Alles',
  lastDays: (n: number) => (n === 1 ? 'Letzter Tag' : `Letzte ${number(n)} Tage`),
  mark: 'Darstellung',
  marks: { line: 'Linie', bar: 'Balken', area: 'Fläche' },
  compare: 'Mit dem Zeitraum davor vergleichen',
  before: 'Zeitraum davor',
  year: 'Jahr',
  day: 'Tag',
  showTable: 'Als Tabelle zeigen',
  showChart: 'Als Diagramm zeigen',
  weekOf: (day: string) => `Woche ab ${day}`,
  withUnit: (name: string, unit: string) => (unit === '' ? name : `${name} (${unit})`),
  overTime: (name, aggregation, per) => `${name}: ${aggregations[aggregation]} ${perBucket[per]}`,
  recordsOverTime: (per) => `Datensätze ${perBucket[per]}`,
  heatTitle: (name: string, year: string) => `${name} im Jahr ${year}`,
  distributionOf: (name: string) => `Verteilung von ${name}`,
  valuesOf: (name: string) => `Datensätze nach ${name}`,
  pairs: (x: string, y: string) => `${y} nach ${x}`,
  summary: (title: string, from: string, to: string, lowest: string, highest: string) =>
    `${title}, ${from} bis ${to}. Niedrigster Wert: ${lowest}. Höchster Wert: ${highest}`,
  withTable: (summary: string) => `${summary}. Die Tabelle zeigt jede Zahl.`,
  binRange: (from: string, to: string) => `${from} bis ${to}`,
  noValue: '(kein Wert)',
  emptyValue: '(leerer Text)',
  others: (n: number) => `Das Diagramm zeigt die häufigsten von ${number(n)} Werten.`,
  notCounted: (n: number) => `${records(n)} mit selteneren Werten fehlen hier.`,
  sample: (n: number, total: number) => `Eine Stichprobe von ${number(n)} aus ${number(total)} Punkten.`,
  noNumber: (n: number, total: number) => `${number(n)} von ${ofRecords(total)} haben hier keine Zahl.`,
  noTime: (n: number, total: number) => `${number(n)} von ${ofRecords(total)} haben hier kein Datum.`,
  noNumberOrTime: (n: number, total: number) =>
    `${number(n)} von ${ofRecords(total)} haben hier keine Zahl oder kein Datum.`,
  listValues: (n: number, total: number) =>
    `${number(n)} von ${ofRecords(total)} haben hier eine Liste oder ein Objekt.`,
  progress: (n: number, total: number) => `${number(n)} von ${ofRecords(total)} gelesen`,
  pins: {
    title: 'Diagramme',
    pin: 'An Start anheften',
    pinned: 'An Start angeheftet',
    remove: 'Von Start lösen',
    removed: 'Das Diagramm ist von Start gelöst',
    full: (n: number) => `Auf Start haben höchstens ${number(n)} Diagramme Platz`,
    fullText: 'Löse eines von Start, um ein anderes anzuheften.',
    menu: (name: string) => `Aktionen für ${name}`,
    moveEarlier: 'Weiter nach vorn',
    moveLater: 'Weiter nach hinten',
    moved: (name: string, at: number, total: number) =>
      `${name} ist jetzt an Stelle ${number(at)} von ${number(total)}`,
    empty: 'Kein Datensatz hat im Zeitraum dieses Diagramms einen Wert dafür.',
    withoutFields:
      'Dieses Diagramm lässt sich nicht zeichnen: Den Datensätzen fehlen seine Felder, oder deren Typ hat sich geändert.',
    choose: 'Anderes Diagramm wählen',
  },
  emptyTitle: 'Nichts zu zeigen',
  emptyText:
    'Kein Datensatz hat in diesem Zeitraum einen Wert für dieses Diagramm. Wähle einen anderen Zeitraum oder Wert.',
};
