import { describe, expect, it } from 'vitest';
import { EMBEDDED_PICTURE_MAX_CHARS } from '../../../../../../server/wire/limits.ts';
import { pictureOf } from './picture-reference.ts';

const ORIGINS = ['http://localhost:8080', 'https://ada.example'];

describe('pictureOf', () => {
  it.each(['png', 'jpeg', 'gif', 'webp', 'avif'])('recognises an embedded %s picture', (format) => {
    const src = `data:image/${format};base64,AAAA`;
    expect(pictureOf(src, ORIGINS)).toEqual({ kind: 'embedded', src });
  });

  it('recognises embedded pictures that are too large', () => {
    const start = 'data:image/png;base64,';
    expect(pictureOf(start.padEnd(EMBEDDED_PICTURE_MAX_CHARS, 'A'), ORIGINS).kind).toBe('embedded');
    expect(pictureOf(start.padEnd(EMBEDDED_PICTURE_MAX_CHARS + 1, 'A'), ORIGINS)).toEqual({ kind: 'tooLarge' });
  });

  it.each([
    'wall.jpg',
    '/api/v2.6/files/content/wall.jpg',
    '/files/content/wall.jpg',
    'http://localhost:8080/api/v2.6/files/content/wall.jpg',
    'https://ada.example/api/v2.6/files/content/wall.jpg?size=small',
  ])('finds the file in %s', (value) => {
    expect(pictureOf(value, ORIGINS)).toEqual({ kind: 'file', fileId: 'wall.jpg' });
  });

  it.each([
    ['https://example.com/wall.jpg', 'example.com'],
    ['http://localhost:9090/api/v2.6/files/content/wall.jpg', 'localhost:9090'],
    ['https://ada.example.attacker.example/files/content/wall.jpg', 'ada.example.attacker.example'],
    ['https://ada.example@attacker.example/files/content/wall.jpg', 'attacker.example'],
    ['//attacker.example/files/content/wall.jpg', 'attacker.example'],
    [String.raw`/\attacker.example/files/content/wall.jpg`, 'attacker.example'],
  ])('recognises that %s is on another server', (value, host) => {
    expect(pictureOf(value, ORIGINS)).toEqual({ kind: 'external', host });
  });

  it.each([
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:text/html;base64,PHA+',
    'javascript:alert(1)',
    'blob:http://localhost:8080/1',
    'file:///etc/passwd',
    '/api/v2.6/owner/records',
    '/files/content/../../owner/records',
    '/files/content/%2e%2e',
    'https://',
    'A sunny day',
    '',
    7,
    null,
    ['wall.jpg'],
  ])('finds no picture in %j', (value) => {
    expect(pictureOf(value, ORIGINS)).toEqual({ kind: 'unknown' });
  });
});
