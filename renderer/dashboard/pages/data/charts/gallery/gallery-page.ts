import { queryOptions } from '@tanstack/react-query';
import type { BrowsedRecord } from '../../../../../shared/api/contract.ts';
import { fetchRecordPage, type RecordSelection } from '../../../../api/queries.ts';
import { valueAt } from '../../records/columns.ts';
import { formatField, type ValueType } from '../../records/field-format.ts';
import { type PictureReference, pictureOf } from './picture-reference.ts';

/** Records per page: fewer than in the table, because records with embedded pictures are large. */
export const GALLERY_PAGE_SIZE = 24;
const GALLERY_CACHE_MS = 5000;
const MAX_TEXT_CHARS = 200;

export interface GalleryRequest {
  endpoint: string;
  picture: string;
  title: ValueType | undefined;
  /** Time field; undefined for storage times. */
  time: ValueType | undefined;
  ownOrigins: readonly string[];
}

export interface GalleryItem {
  recordId: string;
  picture: PictureReference;
  title: string;
  time: string;
  /** ISO 8601. */
  created: string;
  lastUpdated: string;
}

function selectionOf({ endpoint, picture, time }: GalleryRequest): RecordSelection {
  return {
    endpoint,
    search: '',
    // The empty path is the whole record, which cannot be filtered.
    filters: picture === '' ? [] : [{ is: 'filled', field: picture }],
    sorts: time === undefined ? [] : [{ field: time.path, descending: true }],
    oldestFirst: false,
  };
}

function textOf(record: BrowsedRecord, field: ValueType | undefined): string {
  return field === undefined ? '' : formatField(valueAt(record.data, field.path), field, MAX_TEXT_CHARS).text;
}

function toItem(record: BrowsedRecord, { picture, title, time, ownOrigins }: GalleryRequest): GalleryItem {
  return {
    recordId: record.recordId,
    picture: pictureOf(valueAt(record.data, picture), ownOrigins),
    title: textOf(record, title),
    time: textOf(record, time),
    created: record.dateCreated,
    lastUpdated: record.lastUpdated,
  };
}

/**
 * Caches only what the tiles need.
 * @param revision only for Home, where a new revision refetches the pictures
 */
export const galleryPage = (request: GalleryRequest, skip: number, take: number, revision?: string) =>
  queryOptions({
    // Queries whose keys begin with `records` are refetched after each change of the endpoint.
    queryKey: [
      revision === undefined ? 'records' : 'charts',
      request.endpoint,
      'gallery',
      request,
      skip,
      take,
      revision,
    ],
    queryFn: async ({ signal }) => {
      const { total, records } = await fetchRecordPage(selectionOf(request), skip, take, signal);
      return { total, items: records.map((record) => toItem(record, request)) };
    },
    gcTime: GALLERY_CACHE_MS,
  });
