// Field types, icons and colours. This file contains no schemas, so that the dashboard can import it without bundling
// Zod.

export const FIELD_TYPES = [
  'text',
  'number',
  'money',
  'date',
  'dateTime',
  'duration',
  'boolean',
  'link',
  'email',
  'colour',
  'image',
  'list',
  'object',
  'latitude',
  'longitude',
  'geoJson',
] as const;

export const ENDPOINT_ICONS = [
  'table',
  'heart',
  'run',
  'map',
  'money',
  'calendar',
  'music',
  'photo',
  'book',
  'home',
  'cloud',
  'mail',
  'star',
  'car',
  'food',
] as const;

export const ENDPOINT_COLOURS = ['grey', 'teal', 'blue', 'violet', 'grape', 'orange', 'green'] as const;
