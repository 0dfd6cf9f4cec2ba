import { hash } from 'node:crypto';
import { z } from 'zod';
import { jsonText, type RouteResponse } from '../route.ts';

/** Headers of conditional requests (RFC 9110, section 13.1.2). */
export const conditionalHeaders = z.object({ 'if-none-match': z.string().max(10_000).optional() });

export type TextWithEtag = { text: string | Buffer; etag: string };

export const etagOf = (text: string): string => `"${hash('sha256', text, 'base64url')}"`;
export const withEtag = (text: string): TextWithEtag => ({ text, etag: etagOf(text) });

/** Returns the text, or 304 if `If-None-Match` contains its entity tag or is `*`. */
export const conditionalResponse = ({ text, etag }: TextWithEtag, ifNoneMatch: string | undefined): RouteResponse => {
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//u, '')) ?? [];
  const headers = { etag };
  if (tags.includes(etag) || ifNoneMatch?.trim() === '*') return { status: 304, headers };
  return { ...jsonText(200, text), headers };
};

export const NOT_MODIFIED = { 304: { description: 'Not modified' } } as const;
