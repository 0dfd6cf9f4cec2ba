import background from 'virtual:map-background';
import { nearestCity } from '../../../../server/wire/map-outlines.ts';
import { m } from '../../../shared/messages/texts.ts';

const MAX_CITIES = 3;

interface PicturePlacesProps {
  places: readonly { latitude: number; longitude: number }[];
}

export function PicturePlaces({ places }: PicturePlacesProps) {
  const cities = new Set(
    places.flatMap(({ latitude, longitude }) => nearestCity(background.cities, longitude, latitude) ?? []),
  );
  return cities.size === 0 ? null : <span>{m.timeline.near([...cities].slice(0, MAX_CITIES))}</span>;
}
