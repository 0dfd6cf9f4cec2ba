import { hash } from 'node:crypto';
import { z } from 'zod';
import { jsonText, type Answer } from '../route.ts';

/** Headers of a call that may be answered by 304. */
export const conditionalHeaders = z.object({ 'if-none-match': z.string().max(10_000).optional() });

/** Text that is ready to be sent, with a tag that is the same wherever the text is: whoever has it need not get it again. */
export type Tagged = { text: string | Buffer; etag: string };

export const etagOf = (text: string): string => `"${hash('sha256', text, 'base64url')}"`;
export const withTag = (text: string): Tagged => ({ text, etag: etagOf(text) });

/** The text with its tag, or nothing (304) for whoever names it in `If-None-Match`. */
export const tagged = ({ text, etag }: Tagged, wanted: string | undefined): Answer => {
  const tags = wanted?.split(',').map((tag) => tag.trim().replace(/^W\//u, '')) ?? [];
  const headers = { etag };
  if (tags.includes(etag) || wanted?.trim() === '*') return { status: 304, headers };
  return { ...jsonText(200, text), headers };
};

export const UNCHANGED = { 304: { description: 'It is what the caller has' } } as const;
