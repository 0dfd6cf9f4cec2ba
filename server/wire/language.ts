/** Languages of texts for owners and visitors; the first one is the default. */
export const LANGUAGES = ['en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

/**
 * The first that is wanted and that we speak; else English.
 *
 * @param wanted tags of languages (`de-AT`), the most wanted first
 */
export function languageFor(wanted: readonly string[]): Language {
  const tags = wanted.map((tag) => tag.split('-', 1)[0]?.toLowerCase());
  const [spoken] = tags.flatMap((tag) => LANGUAGES.filter((language) => language === tag));
  return spoken ?? 'en';
}
