/** The first language is the default. */
export const LANGUAGES = ['en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

/**
 * Returns the first supported language, or the default one.
 * @param preferred language tags (`de-AT`) in order of preference
 */
export function languageFor(preferred: readonly string[]): Language {
  const tags = preferred.map((tag) => tag.split('-', 1)[0]?.toLowerCase());
  const [supportedLanguage] = tags.flatMap((tag) => LANGUAGES.filter((language) => language === tag));
  return supportedLanguage ?? LANGUAGES[0];
}
