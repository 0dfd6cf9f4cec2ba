// The name that an uploader gave a file is stored unchanged as data. The name on the disk must be harmless on Linux,
// macOS and Windows, because the folder may be copied or synchronised to any of them.

import { randomInt } from 'node:crypto';

const FILE_SYSTEM_NAME_MAX_BYTES = 255;
/** Maximum bytes of a name. Leaves space for a number and for the suffix of a copy. */
const MAX_NAME_BYTES = 180;
const MAX_EXTENSION_BYTES = 20;
const CONSECUTIVE_NUMBERS = 100;
/**
 * Random numbers that are tried below each upper bound, after the consecutive numbers. If many files have the same
 * name, such as pictures of a camera, consecutive numbers alone would make each file slower to store than the previous
 * one.
 */
const RANDOM_TRIES = 10;
const NUMBER_MAX = 1e9;
/** Device names on Windows, with any extension. */
const WINDOWS_DEVICE_NAME = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;
/**
 * Names of files that Windows Explorer resolves when it shows a folder. Such a file can make it send the user's
 * password hash to another machine.
 */
const AUTO_RESOLVED_NAME = /^(?:desktop\.ini|autorun\.inf)$|\.(?:lnk|scf|url|library-ms|searchconnector-ms)$/iu;
/** Separators, wildcards and other characters with a special meaning for shells or Windows. */
const FORBIDDEN_CHARACTERS = /[/\\<>:"|?*]/gu;
/** Control characters, characters that reverse or hide text, and characters without a standard appearance. */
const INVISIBLE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/gu;

const utf8 = new TextEncoder();

const truncate = (text: string, maxBytes: number): string => {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += utf8.encode(character).length;
    if (bytes > maxBytes) break;
    length += character.length;
  }
  return text.slice(0, length);
};

const splitExtension = (name: string): [stem: string, extension: string] => {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || utf8.encode(name.slice(dot)).length > MAX_EXTENSION_BYTES) return [name, ''];
  return [name.slice(0, dot), name.slice(dot)];
};

/**
 * Removes leading dots and tildes, which mark hidden and temporary files, trailing dots, which Windows removes, and
 * white space at both ends.
 */
const trimEnds = (name: string): string => name.replace(/^[.\s~]+/u, '').replace(/[.\s]+$/u, '');

/** Returns a harmless name that is similar to the original. */
export const diskName = (name: string): string => {
  // Normalises after removing characters, because one of them may have separated a letter from its accent.
  const visibleName = name.replace(INVISIBLE_CHARACTERS, '').normalize('NFC');
  const plainName = trimEnds(visibleName.replace(FORBIDDEN_CHARACTERS, '_'));
  const [stem, extension] = splitExtension(plainName);
  const shortName = trimEnds(truncate(stem, MAX_NAME_BYTES - utf8.encode(extension).length)) + extension;
  if (shortName === '' || shortName === extension) return `file${extension}`;
  if (AUTO_RESOLVED_NAME.test(shortName)) return `${shortName}_`;
  return WINDOWS_DEVICE_NAME.test(shortName) ? `_${shortName}` : shortName;
};

export const insertNumber = (name: string, number: number): string => {
  if (number === 0) return name;
  const [stem, extension] = splitExtension(name);
  const suffix = ` (${number})${extension}`;
  return truncate(stem, FILE_SYSTEM_NAME_MAX_BYTES - utf8.encode(suffix).length) + suffix;
};

/** Yields the path, then alternatives with a number. */
export function* numberedPaths(path: string): Generator<string> {
  const slash = path.lastIndexOf('/') + 1;
  const numberedPath = (number: number): string => path.slice(0, slash) + insertNumber(path.slice(slash), number);
  for (let number = 0; number < CONSECUTIVE_NUMBERS; number += 1) yield numberedPath(number);
  for (let upperBound = 10 * CONSECUTIVE_NUMBERS; upperBound <= NUMBER_MAX; upperBound *= 10) {
    for (let tries = 0; tries < RANDOM_TRIES; tries += 1)
      yield numberedPath(randomInt(CONSECUTIVE_NUMBERS, upperBound));
  }
}

/** Returns a key that is equal for names that differ only in case or Unicode normalisation. */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC');

/** Returns true if the name is valid and harmless on Linux, macOS and Windows. */
export const isSafeName = (name: string): boolean =>
  name !== '' &&
  utf8.encode(name).length <= FILE_SYSTEM_NAME_MAX_BYTES &&
  !WINDOWS_DEVICE_NAME.test(name) &&
  !AUTO_RESOLVED_NAME.test(name) &&
  name === name.normalize('NFC') &&
  name === trimEnds(name) &&
  name.replace(INVISIBLE_CHARACTERS, '').replace(FORBIDDEN_CHARACTERS, '') === name;
