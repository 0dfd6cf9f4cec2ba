import { Suspense, lazy } from 'react';
import classes from './day-map.module.css';
import type { Place } from './places.ts';

/** Loaded only if there are places, because the outlines are large. */
const PlaceMap = lazy(async () => ({ default: (await import('./place-map.tsx')).PlaceMap }));

export function DayMap({ places }: { places: readonly Place[] }) {
  if (places.length === 0) return null;
  return (
    <div className={classes.frame}>
      <Suspense fallback={null}>
        <PlaceMap places={places} />
      </Suspense>
    </div>
  );
}
