import { Failure } from '../../../../platform/failure.ts';
import { assertionSchema, type Assertion } from '../../../../wire/passkeys.ts';

const PASSKEY_PATTERN = /^passkey (?<assertion>[\w-]+)$/u;

const parseAssertion = (text: string): Assertion => {
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    json = undefined;
  }
  const assertion = assertionSchema.safeParse(json).data;
  if (assertion === undefined)
    throw new Failure('invalid_input', 'The header x-second-factor does not contain a valid passkey assertion.');
  return assertion;
};

/** @throws Failure invalid_input */
export const parseSecondFactor = (header: string | undefined): { code?: string; passkey?: Assertion } => {
  if (header === undefined || header === '') return {};
  const assertion = PASSKEY_PATTERN.exec(header)?.groups?.['assertion'];
  return assertion === undefined ? { code: header } : { passkey: parseAssertion(assertion) };
};
