import { escapeHtml } from '../../../../wire/html.ts';
import type { MapOutlines } from '../../../../wire/map-outlines.ts';
import { borderPath, landPath, namedCities, svgDotsOf, svgNumber, svgPathOf } from '../../../../wire/map-paths.ts';
import type { MapClusters, MapLines } from '../../../../wire/maps.ts';
import { projectPosition, type MapView } from '../../../../wire/mercator.ts';

/**
 * Distance in SVG units between the label and the position of a city. Keeps the label clear of a marker at that
 * position.
 */
const LABEL_DISTANCE = 14;
/** Minimum number of records for each marker size. */
const MARKER_SIZE_MIN_RECORDS = [1, 2, 10, 100] as const;

const markersSvg = (clusters: MapClusters['clusters'], view: MapView): string =>
  MARKER_SIZE_MIN_RECORDS.map((minimum, index) => {
    const dots = svgDotsOf(
      clusters
        .filter(
          ({ records }) =>
            records >= minimum && records < (MARKER_SIZE_MIN_RECORDS[index + 1] ?? Number.POSITIVE_INFINITY),
        )
        .map(({ longitude, latitude }) => projectPosition(longitude, latitude, view)),
    );
    if (dots === '') return '';
    const path = (className: string): string =>
      `<path class="${className}" data-size="${index + 1}" d="${dots}" vector-effect="non-scaling-stroke"/>`;
    return path('marker-outline') + path('marker');
  }).join('');

export const drawMap = (parts: {
  label: string;
  view: MapView;
  clusters: MapClusters['clusters'];
  lines: MapLines['lines'];
  outlines: MapOutlines | undefined;
}): string => {
  const { label, view, clusters, lines, outlines } = parts;
  const background =
    outlines === undefined
      ? []
      : [
          `<path class="land" d="${landPath(outlines, view)}"/>`,
          `<path class="border" d="${borderPath(outlines, view)}" vector-effect="non-scaling-stroke"/>`,
        ];
  const cityNames =
    outlines === undefined
      ? []
      : namedCities(outlines, view).map(
          ({ name, x, y }) =>
            `<text x="${svgNumber(x)}" y="${svgNumber(y - LABEL_DISTANCE)}">${escapeHtml(name)}</text>`,
        );
  const track = lines
    .map((line) => svgPathOf(line.map(([longitude = 0, latitude = 0]) => projectPosition(longitude, latitude, view))))
    .join('');
  return [
    `<svg class="map" role="img" aria-label="${escapeHtml(label)}" viewBox="0 0 ${view.width} ${view.height}">`,
    ...background,
    ...cityNames,
    track === '' ? '' : `<path class="track" d="${track}" vector-effect="non-scaling-stroke"/>`,
    markersSvg(clusters, view),
    '</svg>',
  ].join('');
};
