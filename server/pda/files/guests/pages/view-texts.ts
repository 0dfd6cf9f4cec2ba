import type { Aggregation } from '../../../../wire/chart-choices.ts';
import type { ChartBucket } from '../../../../wire/charts.ts';
import type { Language } from '../../../../wire/language.ts';

/** Texts of the pages with the tables and charts of a guest. */

const AGGREGATIONS_EN: Readonly<Record<Aggregation, string>> = {
  sum: 'Sum',
  mean: 'Average',
  min: 'Lowest',
  max: 'Highest',
  count: 'Records',
};
const AGGREGATIONS_DE: Readonly<Record<Aggregation, string>> = {
  sum: 'Summe',
  mean: 'Durchschnitt',
  min: 'Kleinster Wert',
  max: 'Größter Wert',
  count: 'Datensätze',
};
const BUCKETS_EN: Readonly<Record<ChartBucket, string>> = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
  year: 'Year',
};
const BUCKETS_DE: Readonly<Record<ChartBucket, string>> = {
  hour: 'Stunde',
  day: 'Tag',
  week: 'Woche',
  month: 'Monat',
  year: 'Jahr',
};

const VIEW_TEXTS_EN = {
  back: 'All that is shared with you',
  records: (first: string, last: string, total: string) => `Records ${first} to ${last} of ${total}`,
  noRecords: 'This table has no records at the moment.',
  noRecordsHere: 'This page has no records. The table has become shorter.',
  previous: 'Previous page',
  next: 'Next page',
  csv: 'Download as CSV',
  csvName: (name: string) => `${name}.csv`,
  noCsv: (max: string) => `CSV files contain ${max} records at most.`,
  yes: 'yes',
  no: 'no',
  notShown: 'not shared',
  noValues: 'This chart has no values at the moment.',
  chartLabel: (name: string) => `${name}, as a chart. The table below has the same values.`,
  range: (lowest: string, highest: string) => `Lowest: ${lowest} · Highest: ${highest}`,
  newestRecords: 'Shows the newest records only.',
  moreRows: (rows: string) => `The table contains the last ${rows} values.`,
  otherValues: (count: string) => `${count} less frequent values are not shown.`,
  emptyValue: 'No value',
  value: 'Value',
  between: 'From – to',
  weekOf: (day: string) => `Week of ${day}`,
  axes: (horizontal: string, vertical: string, lowest: string, highest: string) =>
    `Horizontal: ${horizontal} · Vertical: ${vertical}, ${lowest} to ${highest}`,
  sample: (shown: string, total: string) => `A sample of ${shown} of ${total} points.`,
  time: 'Time',
  title: 'Title',
  untitled: 'Without a title',
  moreRecords: (count: string) => `${count} more`,
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  emptyMonth: 'This month has no records.',
  place: 'Place',
  mapLabel: (name: string) => `${name}, as a map. The table below has the same places.`,
  near: (position: string, city: string) => `${position}, near ${city}`,
  /** North, south, east and west. */
  directions: ['N', 'S', 'E', 'W'] as readonly [string, string, string, string],
  linesCut: 'The map does not show all lines, because there are too many.',
  sources: 'Outlines: Natural Earth. Place names: GeoNames, CC BY 4.0.',
  aggregations: AGGREGATIONS_EN,
  buckets: BUCKETS_EN,
  missingTitle: 'This is not available',
  missing: 'It is no longer shared with you, or its data was deleted.',
  tooLargeTitle: 'This takes too long to read',
  tooLarge: 'Ask the owner to share a smaller part.',
  busyTitle: 'Other pages are still loading',
  busy: 'Try again when they have finished.',
};

/** Texts in the language that the browser prefers. */
export const VIEW_TEXTS: Readonly<Record<Language, typeof VIEW_TEXTS_EN>> = {
  en: VIEW_TEXTS_EN,
  de: {
    back: 'Alles, was mit Ihnen geteilt ist',
    records: (first, last, total) => `Datensätze ${first} bis ${last} von ${total}`,
    noRecords: 'Diese Tabelle enthält zurzeit keine Datensätze.',
    noRecordsHere: 'Diese Seite enthält keine Datensätze. Die Tabelle ist kürzer geworden.',
    previous: 'Vorige Seite',
    next: 'Nächste Seite',
    csv: 'Als CSV herunterladen',
    csvName: (name) => `${name}.csv`,
    noCsv: (max) => `CSV-Dateien enthalten höchstens ${max} Datensätze.`,
    yes: 'ja',
    no: 'nein',
    notShown: 'nicht geteilt',
    noValues: 'Dieses Diagramm enthält zurzeit keine Werte.',
    chartLabel: (name) => `${name} als Diagramm. Die Tabelle darunter enthält dieselben Werte.`,
    range: (lowest, highest) => `Kleinster Wert: ${lowest} · Größter Wert: ${highest}`,
    newestRecords: 'Gezeigt werden nur die neuesten Datensätze.',
    moreRows: (rows) => `Die Tabelle enthält die letzten ${rows} Werte.`,
    otherValues: (count) => `${count} seltenere Werte werden nicht gezeigt.`,
    emptyValue: 'Kein Wert',
    value: 'Wert',
    between: 'Von – bis',
    weekOf: (day) => `Woche ab ${day}`,
    axes: (horizontal, vertical, lowest, highest) =>
      `Waagerecht: ${horizontal} · Senkrecht: ${vertical}, ${lowest} bis ${highest}`,
    sample: (shown, total) => `Eine Stichprobe von ${shown} aus ${total} Punkten.`,
    time: 'Uhrzeit',
    title: 'Titel',
    untitled: 'Ohne Titel',
    moreRecords: (count) => `${count} weitere`,
    previousMonth: 'Voriger Monat',
    nextMonth: 'Nächster Monat',
    emptyMonth: 'Dieser Monat enthält keine Datensätze.',
    place: 'Ort',
    mapLabel: (name) => `${name} als Karte. Die Tabelle darunter enthält dieselben Orte.`,
    near: (position, city) => `${position}, bei ${city}`,
    directions: ['N', 'S', 'O', 'W'],
    linesCut: 'Die Karte zeigt nicht alle Linien, weil es zu viele sind.',
    sources: 'Umrisse: Natural Earth. Ortsnamen: GeoNames, CC BY 4.0.',
    aggregations: AGGREGATIONS_DE,
    buckets: BUCKETS_DE,
    missingTitle: 'Das ist nicht verfügbar',
    missing: 'Es ist nicht mehr mit Ihnen geteilt, oder die Daten wurden gelöscht.',
    tooLargeTitle: 'Das Lesen dauert zu lange',
    tooLarge: 'Bitten Sie den Inhaber, einen kleineren Teil zu teilen.',
    busyTitle: 'Andere Seiten werden noch geladen',
    busy: 'Versuchen Sie es noch einmal, wenn sie fertig sind.',
  },
};

export type ViewTexts = typeof VIEW_TEXTS_EN;
