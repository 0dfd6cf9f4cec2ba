import { describe, expect, it } from 'vitest';
import { detectPictureType } from './rules.ts';
import { cpuMs } from '../../../../tests/support/cpu-time.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

const bitmap = (declaredLength: number): Buffer => {
  const file = Buffer.alloc(40);
  file.write('BM');
  file.writeUInt32LE(declaredLength, 2);
  return file;
};

describe('detectPictureType', () => {
  it.each([
    ['image/png', bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')],
    ['image/jpeg', bytes('\xff\xd8\xff\xe0\0\x10JFIF')],
    ['image/gif', bytes('GIF87a....')],
    ['image/gif', bytes('GIF89a....')],
    ['image/webp', bytes('RIFF\x24\0\0\0WEBPVP8 ')],
    ['image/avif', bytes('\0\0\0\x20ftypavif\0\0\0\0')],
    ['image/x-icon', bytes('\0\0\x01\0\x01\0')],
    ['image/bmp', bitmap(40)],
  ] as const)('recognises %s by its first bytes', (type, file) => {
    expect(detectPictureType(file)).toBe(type);
  });

  it.each([
    '<svg/>',
    '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
    '\uFEFF<svg>',
    ' \r\n<svg>',
    '<?xml version="1.0" encoding="UTF-8"?>\n<svg>',
    '<?xml version="1.0"?><!-- a > b --><!--x--><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd">\n<svg\n width="1">',
    `<!--${'-'.repeat(100_000)}--><svg>`,
  ])('recognises an SVG by its root element: $0', (text) => {
    expect(detectPictureType(Buffer.from(text))).toBe('image/svg+xml');
  });

  it.each([
    '',
    '<',
    '<html><svg></svg></html>',
    '<!DOCTYPE html><svg>',
    '<!DOCTYPE svg [<!ENTITY a "b">]><svg>',
    '<!DOCTYPE svg [ %a; ]><svg>',
    '<script>alert(1)</script><svg>',
    '<svgx>',
    'x<svg>',
    '<!-- <svg>',
    '<?xml <svg>',
    'GIF88a',
    'BM can also be the first letters of a text',
    'RIFF....WAVE',
    '%PDF-1.7',
    '{"logo": "<svg>"}',
  ])('returns undefined for content that is not a supported picture: $0', (text) => {
    expect(detectPictureType(Buffer.from(text))).toBeUndefined();
  });

  it('rejects a bitmap whose declared length is wrong', () => {
    expect(detectPictureType(bitmap(41))).toBeUndefined();
  });

  it('rejects an SVG that is not UTF-8', () => {
    expect(detectPictureType(Buffer.from('<svg>é</svg>', 'latin1'))).toBeUndefined();
    expect(detectPictureType(Buffer.from('<svg></svg>', 'utf16le'))).toBeUndefined();
  });

  it('runs in bounded time for repeated markup before the root element', () => {
    for (const chunk of ['<!--', '<?', ' ', '<!DOCTYPE svg', '-->', '<!---->']) {
      const initialUsage = process.cpuUsage();
      detectPictureType(Buffer.from(chunk.repeat(512_000 / chunk.length)));
      expect([chunk, cpuMs(initialUsage) < 500]).toStrictEqual([chunk, true]);
    }
  });
});
