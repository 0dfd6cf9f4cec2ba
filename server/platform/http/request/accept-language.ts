import { languageFor, type Language } from '../../../wire/language.ts';

/** More than any browser sends; what comes after is not read. */
const MAX_CHARS = 500;

/** The language to answer an `Accept-Language` header in: the most wanted of ours, English where none is. What is no tag fits no language. */
export function languageOf(header: string | undefined): Language {
  const tags = (header ?? '')
    .slice(0, MAX_CHARS)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim());
      const quality = parameters.find((parameter) => /^q=/iu.test(parameter))?.slice(2);
      return { tag, weight: quality === undefined ? 1 : Number.parseFloat(quality) };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
  return languageFor(tags);
}
