import { Anchor } from '@mantine/core';
import { LANGUAGES, type Language, chooseLanguage, currentLanguage } from '../format/languages.ts';
import classes from './language-links.module.css';

const otherLanguages = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== currentLanguage());

/**
 * Links to the other languages, for pages before signing in. They reload the page, so it must contain no unsaved input.
 */
export function LanguageLinks() {
  return (
    <span className={classes.links}>
      {otherLanguages.map((language) => (
        <Anchor
          key={language}
          component="button"
          type="button"
          size="sm"
          lang={language}
          className={classes.link}
          onClick={() => chooseLanguage(language)}
        >
          {LANGUAGES[language].name}
        </Anchor>
      ))}
    </span>
  );
}
