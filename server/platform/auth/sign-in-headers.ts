import { z } from 'zod';
import { MAX_PASSWORD_CHARS } from '../../wire/limits.ts';
import { Failure } from '../failure.ts';

/** A UTF-16 code unit takes up to three bytes in UTF-8, each written as `%XX`. */
const ENCODED_CHARS_PER_CHAR = 9;

/** Both headers are percent-encoded. */
export const signInHeadersSchema = z.object({
  username: z.string().max(1000).optional(),
  password: z
    .string()
    .max(ENCODED_CHARS_PER_CHAR * MAX_PASSWORD_CHARS)
    .optional(),
});

const decodeHeader = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure(
      'invalid_input',
      'Percent-encode the headers username and password. One of them contains a malformed escape.',
    );
  }
};

/** @throws Failure invalid_credentials | invalid_input */
export const decodeSignInHeaders = (
  headers: z.infer<typeof signInHeadersSchema>,
): { username: string; password: string } => {
  if (headers.username === undefined || headers.password === undefined)
    throw new Failure('invalid_credentials', 'Send the headers username and password.');
  return { username: decodeHeader(headers.username), password: decodeHeader(headers.password) };
};
