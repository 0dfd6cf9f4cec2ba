// Readable names for endpoints and fields. This file contains no schemas, so that the dashboard can import it without
// bundling Zod.

/** Words that qualify the word before them, as in `pulse_resting`. The display name begins with them. */
const TRAILING_QUALIFIERS = new Set(
  'resting daily weekly monthly yearly total average avg mean median max maximum min minimum current last first'.split(
    ' ',
  ),
);

const ABBREVIATIONS = new Set(
  'id url ip gps utc iban bic vat bpm ecg hrv bmi imdb us uk eu usd eur gbp mpg pm2 co2'.split(' '),
);

const FULL_WORDS: Readonly<Record<string, string>> = { avg: 'average', max: 'maximum', min: 'minimum' };

const wordsOfIdentifier = (identifier: string): string[] =>
  identifier
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s_\-.~]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());

const MAX_DISPLAY_NAME_CHARS = 80;

const toDisplayName = (text: string): string =>
  (text.charAt(0).toUpperCase() + text.slice(1)).slice(0, MAX_DISPLAY_NAME_CHARS).toWellFormed();

/**
 * Returns a readable name of at most MAX_DISPLAY_NAME_CHARS characters: `pulse_resting` becomes "Resting pulse". A
 * text that contains white space is only trimmed and capitalised.
 */
export const displayNameOf = (identifier: string): string => {
  const trimmed = identifier.trim();
  if (/\s/u.test(trimmed)) return toDisplayName(trimmed);
  const words = wordsOfIdentifier(identifier);
  const lastWord = words.at(-1);
  if (lastWord === undefined) return toDisplayName(identifier);
  const orderedWords =
    words.length > 1 && TRAILING_QUALIFIERS.has(lastWord) ? [lastWord, ...words.slice(0, -1)] : words;
  const text = orderedWords
    .map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : (FULL_WORDS[word] ?? word)))
    .join(' ');
  return toDisplayName(text);
};

export const namespaceOf = (endpoint: string): string => {
  const [namespace = ''] = endpoint.split('/', 1);
  return namespace;
};

export const splitEndpoint = (endpoint: string): [namespace: string, name: string] => {
  const slash = endpoint.indexOf('/');
  return [endpoint.slice(0, slash), endpoint.slice(slash + 1)];
};

export const endpointNameOf = (endpoint: string): string =>
  displayNameOf(endpoint.slice(endpoint.lastIndexOf('/') + 1));
