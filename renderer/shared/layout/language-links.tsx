import { Anchor } from '@mantine/core';
import { LANGUAGES, type Language, chooseLanguage, currentLanguage } from '../format/languages.ts';
import classes from './language-links.module.css';

const otherLanguages = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== currentLanguage());

/** Links reload the page, which therefore must contain no unsaved input. */
export function LanguageLinks() {
  return (
    <span className={classes.links}>
      {otherLanguages.map((language) => (
        <Anchor
          key={language}
          component="button"
          type="button"
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
