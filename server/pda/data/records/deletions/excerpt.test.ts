import { expect, it } from 'vitest';
import { createRecordExcerpt } from './excerpt.ts';

it('contains the values of a record with their names, without empty and blank texts', () => {
  const record = { title: 'Two\nlines', note: '', blank: ' \t', tags: ['a', 'b'], inner: { n: 1, none: null } };
  expect(createRecordExcerpt(JSON.stringify(record))).toBe('title: Two lines · tags: a · tags: b · n: 1');
  expect(createRecordExcerpt('" "')).toBe('');
});
