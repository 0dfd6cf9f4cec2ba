import background from 'virtual:map-background';
import { memo } from 'react';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './day-map.module.css';
import { addLineBounds, DRAWING_SIZE, drawPlaces } from './place-drawing.ts';
import type { Place } from './places.ts';

const OUTLINES = addLineBounds({
  land: background.land.flat().map((ring) => ring.flat()),
  borders: background.borders.map((line) => line.flat()),
  cities: background.cities,
});
/** Distance between a city and its label, in SVG units. Leaves room for the dot of a place in the city. */
const NAME_DISTANCE = 16;

interface PlaceMapProps {
  /** At least one. */
  places: readonly Place[];
}

function arePlacesEqual({ places }: PlaceMapProps, { places: others }: PlaceMapProps): boolean {
  return (
    places.length === others.length &&
    places.every(({ latitude, longitude }, index) => {
      const other = others[index];
      return other?.latitude === latitude && other.longitude === longitude;
    })
  );
}

export const PlaceMap = memo(function PlaceMap({ places }: PlaceMapProps) {
  const drawing = drawPlaces(places, OUTLINES);
  return (
    <svg
      role="img"
      aria-label={m.timeline.map}
      viewBox={`0 0 ${DRAWING_SIZE.width} ${DRAWING_SIZE.height}`}
      className={classes.map}
    >
      <path className={classes.land} d={drawing.land} />
      <path className={classes.border} d={drawing.borders} vectorEffect="non-scaling-stroke" />
      {drawing.cities.map(({ name, x, y }) => (
        <text key={`${name} ${x} ${y}`} x={x} y={y - NAME_DISTANCE}>
          {name}
        </text>
      ))}
      <path className={classes.placeOutlines} d={drawing.places} vectorEffect="non-scaling-stroke" />
      <path className={classes.places} d={drawing.places} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}, arePlacesEqual);
