/**
 * What a file may be called on the disk. The name that its sender gave is data and is kept as it came; on the disk every name
 * has to be harmless on Linux, macOS and Windows alike, since the folder may be copied or synchronised to either.
 */

import { randomInt } from 'node:crypto';

/** Bytes of one name: below every file system's 255, with room for a number and for a copy's ending. */
const MAX_NAME_BYTES = 180;
const MAX_EXTENSION_BYTES = 20;
/** Names that are tried one after the other before a random one is taken. */
const IN_ORDER = 100;
/**
 * Random numbers drawn per length beyond the consecutive ones. With many files of one name, as cameras produce, counting
 * alone would make each file slower to store than the previous one.
 */
const DRAWN = 10;
const LONGEST_NUMBER = 1e9;
/** Names of devices on Windows, whatever comes after the dot. */
const DEVICE = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/iu;
/** What Windows follows to other machines, with the owner's password, as soon as a folder is looked at. */
const FOLLOWED = /^(?:desktop\.ini|autorun\.inf)$|\.(?:lnk|scf|url|library-ms|searchconnector-ms)$/iu;
/** Separators, wildcards and what shells and Windows read as more than a letter. */
const FORBIDDEN = /[/\\<>:"|?*]/gu;
/** Control characters, and marks that turn or hide the text: a name must read as what it is. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\u2028\u2029]/gu;

const utf8 = new TextEncoder();

/** Cuts at a whole character. */
const cut = (text: string, maxBytes: number): string => {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8.encode(character).length;
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
};

const split = (name: string): [stem: string, extension: string] => {
  const dot = name.lastIndexOf('.');
  if (dot <= 0 || utf8.encode(name.slice(dot)).length > MAX_EXTENSION_BYTES) return [name, ''];
  return [name.slice(0, dot), name.slice(dot)];
};

/** Neither hidden, nor with ends that Windows takes away. */
const withoutEnds = (name: string): string => name.replace(/^[.\s~]+/u, '').replace(/[.\s]+$/u, '');

/** A harmless name that is as like the given one as can be. */
export const diskName = (name: string): string => {
  const plain = withoutEnds(name.normalize('NFC').replace(INVISIBLE, '').replace(FORBIDDEN, '_'));
  const [stem, extension] = split(plain);
  const short = withoutEnds(cut(stem, MAX_NAME_BYTES - utf8.encode(extension).length)) + extension;
  if (short === '' || short === extension) return `file${extension}`;
  if (FOLLOWED.test(short)) return `${short}_`;
  return DEVICE.test(short) ? `_${short}` : short;
};

/** The same name for the nth file that would be called so. */
export const numbered = (name: string, number: number): string => {
  if (number === 0) return name;
  const [stem, extension] = split(name);
  return `${stem} (${number})${extension}`;
};

/** A path, and those beside it that are tried when it is taken, best first. */
export function* numberedPaths(path: string): Generator<string> {
  const slash = path.lastIndexOf('/') + 1;
  const withNumber = (number: number): string => path.slice(0, slash) + numbered(path.slice(slash), number);
  for (let number = 0; number < IN_ORDER; number += 1) yield withNumber(number);
  for (let below = 10 * IN_ORDER; below <= LONGEST_NUMBER; below *= 10) {
    for (let drawn = 0; drawn < DRAWN; drawn += 1) yield withNumber(randomInt(IN_ORDER, below));
  }
}

/** Under which two names are one on systems that do not tell upper and lower case or forms of one letter apart. */
export const foldedName = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC');

/** Whether one name can lie on every disk: what `diskName` makes always can. */
export const pathIsSafe = (name: string): boolean =>
  name !== '' &&
  utf8.encode(name).length <= 255 &&
  !DEVICE.test(name) &&
  !FOLLOWED.test(name) &&
  name === name.normalize('NFC') &&
  name === withoutEnds(name) &&
  name.replace(INVISIBLE, '').replace(FORBIDDEN, '') === name;
