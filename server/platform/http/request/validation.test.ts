import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Failure } from '../../failure.ts';
import { displayText } from '../../../wire/display-text.ts';
import { profileValuesSchema } from '../../../wire/profile.ts';
import { recordMoveRequestSchema } from '../../../wire/record-moves.ts';
import { validate } from './validation.ts';

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
    ['a field of the wrong type', z.strictObject({ name: z.string() }), { name: 3 }, 'body.name must be text'],
    ['an empty string', z.strictObject({ name: z.string().min(1) }), { name: '' }, 'body.name is empty'],
    [
      'a string that is too long',
      z.strictObject({ name: z.string().max(3) }),
      { name: 'four' },
      'body.name must have at most 3 characters',
    ],
    ['a list that is too short', z.array(z.number()).min(1), [], 'body must have at least 1 entry'],
    ['a number that is too large', z.number().max(5), 6, 'body must be at most 5'],
    ['a number that is too small', z.number().gt(5), 5, 'body must be more than 5'],
    ['a choice', z.enum(['a', 'b']), 'c', 'body must be one of "a", "b"'],
    ['an unknown property', z.strictObject({}), { x: 1 }, 'body has the unknown property "x"'],
    ['a pattern', z.string().regex(/^a$/u), 'b', 'body is not in the right format'],
    [
      'a pattern with a custom message',
      z.string().regex(/^a$/u, 'must be the letter a'),
      'b',
      'body must be the letter a',
    ],
    ['a union', z.union([z.string(), z.number()]), true, 'body is not valid'],
    [
      'a string with NUL',
      profileValuesSchema,
      { about: 'a\0b' },
      'body.about must not contain NUL or unpaired surrogates',
    ],
    [
      'the target of a move',
      recordMoveRequestSchema,
      { from: 'a/b', to: 'a/b', records: ['019bc186-de00-7000-8937-015a1f841fa9'] },
      'body.to must be an endpoint other than `from`',
    ],
  ])('describes the problem with %s in plain words', (_, schema, value, problem) => {
    expect(problemsOf(schema, value)).toStrictEqual([problem]);
  });

  it('returns the parsed value', () => {
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

describe('validate for a client that prefers German', () => {
  const refusalOf = (schema: z.ZodType, value: unknown, acceptLanguage: string): Failure => {
    try {
      validate('body', schema, value, acceptLanguage);
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
    throw new Error('the value was accepted');
  };

  it.each([
    ['an id', z.uuid(), 'x', 'muss eine gültige ID sein'],
    ['a missing field', z.string(), undefined, 'fehlt'],
    ['the wrong type', z.string(), 3, 'muss ein Text sein'],
    ['an empty string', z.string().min(1), '', 'ist leer'],
    ['a string that is too long', z.string().max(3), 'four', 'darf höchstens 3 Zeichen haben'],
    ['a list that is too short', z.array(z.number()).min(1), [], 'muss mindestens 1 Eintrag haben'],
    ['a number that is too large', z.number().max(5), 6, 'darf höchstens 5 sein'],
    ['a number that is too small', z.number().gt(5), 5, 'muss mehr als 5 sein'],
    ['a choice', z.enum(['a', 'b']), 'c', 'muss eines davon sein: "a", "b"'],
    ['an unknown property', z.strictObject({}), { x: 1 }, 'hat die unbekannte Eigenschaft "x"'],
    ['a pattern', z.string().regex(/^a$/u), 'b', 'hat nicht das richtige Format'],
    [
      'a message of the schema',
      displayText(10),
      'a\u202eb',
      'muss eine Zeile sein, ohne Steuerzeichen und Zeichen, die die Textrichtung ändern',
    ],
    [
      'a string with NUL',
      profileValuesSchema.shape.about,
      'a\0b',
      'darf kein NUL und keine halben Zeichen (einzelne Surrogate) enthalten',
    ],
  ])('describes the problem with %s in German and sets content-language', (_, schema, value, problem) => {
    const failure = refusalOf(schema, value, 'de-AT,en;q=0.5');
    expect(failure.details).toStrictEqual([{ path: 'body', problem }]);
    expect(failure.reason).toBe(`body: ${problem}`);
    expect(failure.headers).toStrictEqual({ 'content-language': 'de' });
  });

  it('uses English for all problems if one message is not translated', () => {
    const schema = z.strictObject({ a: z.string(), b: z.string().regex(/^a$/u, 'must be the letter a') });
    const failure = refusalOf(schema, { b: 'b' }, 'de');
    expect(failure.details).toStrictEqual([
      { path: 'body.a', problem: 'is missing' },
      { path: 'body.b', problem: 'must be the letter a' },
    ]);
    expect(failure.headers).toStrictEqual({});
  });
});
