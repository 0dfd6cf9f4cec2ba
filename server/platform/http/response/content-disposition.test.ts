import { parse } from 'content-disposition';
import { describe, expect, it } from 'vitest';
import { contentDisposition } from './content-disposition.ts';

describe('the Content-Disposition header', () => {
  it('contains a plain name once', () => {
    expect(contentDisposition('walks.csv')).toBe('attachment; filename="walks.csv"');
    expect(contentDisposition('Long walks.csv', 'inline')).toBe('inline; filename="Long walks.csv"');
  });

  it('contains any other name exactly, and an ASCII approximation', () => {
    expect(contentDisposition('Übersicht.csv')).toBe(
      `attachment; filename="Ubersicht.csv"; filename*=UTF-8''%C3%9Cbersicht.csv`,
    );
    expect(contentDisposition('散歩')).toBe(`attachment; filename="file"; filename*=UTF-8''%E6%95%A3%E6%AD%A9`);
  });

  it.each(["Ada's (best) *é* walks.csv", '100%25.csv', 'a"b;c\\d.csv', 'a\r\nx-evil: 1.csv', '🎒.csv'])(
    'is one line of ASCII from which clients read the name %j',
    (name) => {
      const header = contentDisposition(name);
      expect(header).toMatch(/^[\x20-\x7e]+$/u);
      expect(parse(header).parameters['filename']).toBe(name);
    },
  );

  it('replaces a lone surrogate', () => {
    expect(parse(contentDisposition('a\ud800.csv')).parameters['filename']).toBe('a\ufffd.csv');
  });
});
