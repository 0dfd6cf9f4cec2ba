import { describe, expect, it } from 'vitest';
import { createContentLineParser, splitEscaped } from './content-lines.ts';

describe('content lines', () => {
  it('keep characters beyond ASCII in quoted-printable values', () => {
    const values: string[] = [];
    const parser = createContentLineParser({
      onLine: ({ value }) => values.push(value),
      onBrokenLine: (line, problem) => values.push(`${line}: ${problem}`),
    });
    parser.push(Buffer.from('NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:=C3=A9 é 😀\r\n'));
    parser.end();
    expect(values).toEqual(['é é 😀']);
  });

  it('can contain lists of up to 10,000 values', () => {
    expect(splitEscaped(','.repeat(9999), ',')).toHaveLength(10_000);
    expect(() => splitEscaped(','.repeat(10_000), ',')).toThrow('too long');
  });
});
