import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Failure } from './failure.ts';
import { validate } from './validate.ts';

const problemsOf = (schema: z.ZodType, value: unknown): string[] => {
  try {
    validate('body', schema, value);
  } catch (error) {
    if (error instanceof Failure) return (error.details ?? []).map(({ path, problem }) => `${path} ${problem}`);
    throw error;
  }
  return [];
};

describe('validate', () => {
  it.each([
    ['an id', z.strictObject({ id: z.uuid() }), { id: 'x' }, 'body.id must be a valid id'],
    [
      'a web address',
      z.strictObject({ url: z.url() }),
      { url: 'x' },
      'body.url must be a complete web address, such as https://example.org',
    ],
    [
      'an email address',
      z.strictObject({ to: z.email() }),
      { to: 'x' },
      'body.to must be a complete email address, such as name@example.org',
    ],
    ['a missing field', z.strictObject({ name: z.string() }), {}, 'body.name is missing'],
    ['a field of another type', z.strictObject({ name: z.string() }), { name: 3 }, 'body.name must be a text'],
    ['an empty text', z.strictObject({ name: z.string().min(1) }), { name: '' }, 'body.name is empty'],
    [
      'a long text',
      z.strictObject({ name: z.string().max(3) }),
      { name: 'four' },
      'body.name must have at most 3 characters',
    ],
    ['a short list', z.array(z.number()).min(1), [], 'body must have at least 1 entry'],
    ['a large number', z.number().max(5), 6, 'body must be at most 5'],
    ['a number that is too small', z.number().gt(5), 5, 'body must be more than 5'],
    ['a choice', z.enum(['a', 'b']), 'c', 'body must be one of "a", "b"'],
    ['an unknown property', z.strictObject({}), { x: 1 }, 'body has the unknown property "x"'],
    ['a pattern', z.string().regex(/^a$/u), 'b', 'body is not in the right format'],
    [
      'a pattern with words of its own',
      z.string().regex(/^a$/u, 'must be the letter a'),
      'b',
      'body must be the letter a',
    ],
    ['a union', z.union([z.string(), z.number()]), true, 'body is not valid'],
  ])('says in plain words what is wrong with %s', (_, schema, value, problem) => {
    expect(problemsOf(schema, value)).toStrictEqual([problem]);
  });

  it('returns what the schema makes of the value', () => {
    expect(validate('query', z.string().transform(Number), '7')).toBe(7);
  });

  it('lists at most 20 problems', () => {
    expect(
      problemsOf(
        z.array(z.string()),
        Array.from({ length: 30 }, () => 1),
      ),
    ).toHaveLength(20);
  });
});
