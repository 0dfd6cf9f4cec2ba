import { expect, it } from 'vitest';
import { SNIFFED_BYTES, typeOfBytes } from './types.ts';

it.each([
  ['a.bin', [0xff]],
  ['a.json', [0x81, 0x82, 0x83]],
  ['a.txt', [0x41, 0xe9, 0x42]],
  ['a.txt', [0x41, 0x00]],
])('does not recognise text in invalid UTF-8 or in bytes with NUL: %s %j', async (name, bytes) => {
  expect(await typeOfBytes(Buffer.from(bytes), name)).toStrictEqual({
    type: 'application/octet-stream',
    kind: 'other',
  });
});

it('recognises text that is cut within a character', async () => {
  const text = Buffer.from(`a${'é'.repeat(SNIFFED_BYTES)}`).subarray(0, SNIFFED_BYTES);
  expect(await typeOfBytes(text, 'a')).toStrictEqual({ type: 'text/plain', kind: 'text' });
  expect(await typeOfBytes(Buffer.from(''), 'a')).toStrictEqual({ type: 'text/plain', kind: 'text' });
});

it.each([
  ['a.sql', 'SELECT 1;', 'text'],
  ['a.json', '{}', 'text'],
  ['a.sqlite', `SQLite format 3\0${'x'.repeat(100)}`, 'other'],
])('distinguishes text from databases: %s', async (name, content, kind) => {
  expect((await typeOfBytes(Buffer.from(content), name)).kind).toBe(kind);
});
