import createHeader from 'content-disposition';
import { normalizeText } from '../../../wire/normalize.ts';

/**
 * Returns a Content-Disposition header (RFC 6266) with the exact file name. Clients that do not read `filename*` receive
 * an ASCII approximation of the name.
 */
export const contentDisposition = (name: string, type: 'attachment' | 'inline' = 'attachment'): string => {
  const wellFormedName = name.toWellFormed();
  const asciiName = normalizeText(wellFormedName, 'NFKD').replace(/[^\x20-\x7e]/gu, '');
  return createHeader(wellFormedName, { type, fallback: asciiName.trim() === '' ? 'file' : asciiName });
};
