import type { Language } from './languages.ts';

type Forms = readonly [one: string, other: string];

interface FormatWords {
  second: Forms;
  minute: Forms;
  hour: Forms;
  day: Forms;
  byte: Forms;
  justNow: string;
  ago: (time: string) => string;
  today: string;
  yesterday: string;
  tomorrow: string;
  percent: (whole: number) => string;
}

const NBSP = '\u00A0';

/** Words that the formats need. Separate from the message catalogues, because the catalogues import the formats. */
export const FORMAT_WORDS: Record<Language, FormatWords> = {
  en: {
    second: ['second', 'seconds'],
    minute: ['minute', 'minutes'],
    hour: ['hour', 'hours'],
    day: ['day', 'days'],
    byte: ['byte', 'bytes'],
    justNow: 'just now',
    ago: (time) => `${time} ago`,
    today: 'today',
    yesterday: 'yesterday',
    tomorrow: 'tomorrow',
    percent: (whole) => `${whole}%`,
  },
  de: {
    second: ['Sekunde', 'Sekunden'],
    minute: ['Minute', 'Minuten'],
    hour: ['Stunde', 'Stunden'],
    day: ['Tag', 'Tage'],
    byte: ['Byte', 'Byte'],
    justNow: 'gerade eben',
    ago: (time) => `vor ${time}`,
    today: 'heute',
    yesterday: 'gestern',
    tomorrow: 'morgen',
    percent: (whole) => `${whole}${NBSP}%`,
  },
};
