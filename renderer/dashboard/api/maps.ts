import { queryOptions } from '@tanstack/react-query';
import type { TimeFormat } from '../../../server/wire/fields.ts';
import type { MapBounds } from '../../../server/wire/maps.ts';
import { call } from '../../shared/api/client.ts';

// Map queries. The data is fetched again when `revision` changes.

export const MAP_CACHE_MS = 60_000;
/** Decimal places of coordinates in degrees: 1e-6° is about 10 cm. */
const COORDINATE_DECIMALS = 6;

/** `latitude`, `longitude`, `geometry` and `time` are paths of fields. */
export interface MapRequest {
  endpoint: string;
  latitude?: string | undefined;
  longitude?: string | undefined;
  geometry?: string | undefined;
  time?: string | undefined;
  format?: TimeFormat | undefined;
  /** Unix seconds. */
  from?: number | undefined;
  to?: number | undefined;
}

export interface MapArea {
  bounds: MapBounds;
  /** Whole zoom level from 0 to 22. */
  zoom: number;
}

export const boundsQuery = ({ west, south, east, north }: MapBounds) => ({
  west: west.toFixed(COORDINATE_DECIMALS),
  south: south.toFixed(COORDINATE_DECIMALS),
  east: east.toFixed(COORDINATE_DECIMALS),
  north: north.toFixed(COORDINATE_DECIMALS),
});

const areaQuery = (request: MapRequest, { bounds, zoom }: MapArea) => ({ ...request, ...boundsQuery(bounds), zoom });

export const mapExtent = (request: MapRequest, revision: string) =>
  queryOptions({
    queryKey: ['maps', 'extent', request, revision],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/maps/extent', { query: request }, signal),
    gcTime: MAP_CACHE_MS,
  });

/** @param title path of the title field */
export const mapClusters = (request: MapRequest, area: MapArea, title: string | undefined, revision: string) =>
  queryOptions({
    queryKey: ['maps', 'clusters', request, area, title, revision],
    queryFn: ({ signal }) =>
      call('GET /api/v2.6/owner/maps/clusters', { query: { ...areaQuery(request, area), title } }, signal),
    // The clusters of the previous area stay on the map until the new clusters arrive.
    placeholderData: (previous) => previous,
    gcTime: MAP_CACHE_MS,
  });

export const mapLines = (request: MapRequest, area: MapArea, revision: string) =>
  queryOptions({
    queryKey: ['maps', 'lines', request, area, revision],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/maps/lines', { query: areaQuery(request, area) }, signal),
    placeholderData: (previous) => previous,
    gcTime: MAP_CACHE_MS,
  });

/** @param title path of the title field */
export const mapRecords = (request: MapRequest, bounds: MapBounds, title: string | undefined, revision: string) =>
  queryOptions({
    queryKey: ['maps', 'records', request, bounds, title, revision],
    queryFn: ({ signal }) =>
      call('GET /api/v2.6/owner/maps/records', { query: { ...request, ...boundsQuery(bounds), title } }, signal),
    gcTime: MAP_CACHE_MS,
  });
