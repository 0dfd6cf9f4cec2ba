import type { Language } from '../../wire/language.ts';

export const LOCALE: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de-DE' };

export const numberText = (value: number | bigint, language: Language): string =>
  new Intl.NumberFormat(LOCALE[language], { maximumFractionDigits: 20 }).format(value);

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export const sizeText = (bytes: number, language: Language): string => {
  const power = Math.min(UNITS.length - 1, bytes === 0 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(LOCALE[language], {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power < 2 ? 0 : 1,
  }).format(bytes / 1000 ** power);
};

/** @param time Unix milliseconds */
export const timeText = (time: number, language: Language): string =>
  new Date(time).toLocaleString(LOCALE[language], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
