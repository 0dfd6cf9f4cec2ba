import { escapeHtml } from '../../../../wire/html.ts';
import type { Language } from '../../../../wire/language.ts';
import { nearestCity, type MapOutlines } from '../../../../wire/map-outlines.ts';
import type { SharedChartValues } from '../../../sharing/shared-views/index.ts';
import { numberText } from '../../page-format.ts';
import type { FrameParts } from './frame.ts';
import { drawMap } from './map-drawing.ts';
import { scrollingTable } from './tables.ts';
import { VIEW_TEXTS } from './view-texts.ts';

/** Decimal places of a position: 0.001° is about 100 m. */
const POSITION_DIGITS = 3;

const positionText = (longitude: number, latitude: number, language: Language): string => {
  const [north, south, east, west] = VIEW_TEXTS[language].directions;
  const degrees = (value: number, positive: string, negative: string): string => {
    const rounded = Number(value.toFixed(POSITION_DIGITS));
    return `${numberText(Math.abs(rounded), language)}°\u00A0${rounded < 0 ? negative : positive}`;
  };
  return `${degrees(latitude, north, south)}, ${degrees(longitude, east, west)}`;
};

export const mapBody = (
  name: string,
  values: SharedChartValues & { kind: 'map' },
  outlines: MapOutlines | undefined,
  frame: FrameParts,
): string[] => {
  const { view, clusters, lines, isComplete } = values;
  if (view === undefined) return [];
  const { language } = frame;
  const texts = VIEW_TEXTS[language];
  const largestFirst = clusters.toSorted((a, b) => b.records - a.records);
  const rows = largestFirst.map(({ longitude, latitude, records }) => {
    const position = positionText(longitude, latitude, language);
    const city = nearestCity(outlines?.cities ?? [], longitude, latitude);
    const place = city === undefined ? position : texts.near(position, city);
    return `<tr><th scope="row"><bdi>${escapeHtml(place)}</bdi></th><td class="number">${numberText(records, language)}</td></tr>`;
  });
  return [
    `<figure>${drawMap({ label: texts.mapLabel(name), view, clusters, lines, outlines })}</figure>`,
    isComplete ? '' : `<p class="secondary">${texts.linesCut}</p>`,
    outlines === undefined ? '' : `<p class="hint">${texts.sources}</p>`,
    scrollingTable({
      name,
      head: `<tr><th scope="col">${texts.place}</th><th scope="col" class="number">${texts.aggregations.count}</th></tr>`,
      body: rows.join(''),
    }),
  ];
};
