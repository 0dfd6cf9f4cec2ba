import { queryOptions } from '@tanstack/react-query';
import type { MapBounds } from '../../../../server/wire/maps.ts';
import { call } from '../../../shared/api/client.ts';
import { type MapArea, boundsQuery, MAP_CACHE_MS } from '../maps.ts';
import { type FileSelection, filtersOf } from './selection.ts';

// Query keys begin with `files`, so that maps are refetched after each change.

export const pictureExtent = (selection: FileSelection) => {
  const query = filtersOf(selection);
  return queryOptions({
    queryKey: ['files', 'map', 'extent', query],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/files/map/extent', { query }, signal),
    gcTime: MAP_CACHE_MS,
  });
};

export const pictureClusters = (selection: FileSelection, area: MapArea) => {
  const query = { ...filtersOf(selection), ...boundsQuery(area.bounds), zoom: area.zoom };
  return queryOptions({
    queryKey: ['files', 'map', 'clusters', query],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/files/map/clusters', { query }, signal),
    placeholderData: (previous) => previous,
    gcTime: MAP_CACHE_MS,
  });
};

/** Query of at most `MAX_MAP_RECORDS` pictures taken in an area, latest first. */
export const picturesInArea = (selection: FileSelection, bounds: MapBounds) => {
  const query = { ...filtersOf(selection), ...boundsQuery(bounds) };
  return queryOptions({
    queryKey: ['files', 'map', 'pictures', query],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/files/map/pictures', { query }, signal),
    gcTime: MAP_CACHE_MS,
  });
};
