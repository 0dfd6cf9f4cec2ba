import { languageFor, type Language } from '../../../wire/language.ts';

const MAX_HEADER_CHARS = 500;

/** Returns the supported language with the highest weight (RFC 9110, section 12.5.4), or English. */
export function languageOf(header: string | undefined): Language {
  const tags = (header ?? '')
    .slice(0, MAX_HEADER_CHARS)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((parameter) => parameter.trim());
      const quality = parameters.find((parameter) => /^q=/iu.test(parameter))?.slice(2);
      return { tag, weight: quality === undefined ? 1 : Number.parseFloat(quality) };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
  return languageFor(tags);
}
