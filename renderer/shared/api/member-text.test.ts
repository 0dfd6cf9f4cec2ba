import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberText } from './member-text.ts';

it.each([
  ['{"id":"x","data":{"a":1.0,"data":2},"size":3}', '{"a":1.0,"data":2}'],
  ['{"data":12345678901234567890}', '12345678901234567890'],
  ['{"a":{"data":1},"data":[[1e-400],{}],"b":[]}', '[[1e-400],{}]'],
  ['{"data":"\\u00e9}"}', '"\\u00e9}"'],
  ['{"data": null }', 'null'],
  ['{"a":{"data":1}}', undefined],
  ['[{"data":1}]', undefined],
])('memberText returns the exact source text of the member `data` of %s, if there is one', (text, expected) => {
  expect(memberText(text, 'data')).toBe(expected);
});

it('memberText finds a member between others with random values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (data, otherValue) => {
      expect(memberText(JSON.stringify({ before: otherValue, data, after: otherValue }), 'data')).toBe(
        JSON.stringify(data),
      );
    }),
  );
});
