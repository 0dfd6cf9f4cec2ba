import { z } from 'zod';
import { dateTimeSchema } from './common.ts';
import { INVISIBLE_CHARACTER } from './display-text.ts';
import { MAX_USER_NAME_CHARS } from './limits.ts';
import { newPasswordSchema } from './owner.ts';

// People with an account on the owner's PDA, with whom the owner can share (docs/decisions.md, 2).

const SPACES = /\s+/gu;
/** Letters and marks without a visible glyph: joiners, fillers, variation selectors. */
const INVISIBLE_LETTERS = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Returns the key by which names are compared. Case, Unicode representation, invisible characters and the amount of
 * white space do not matter.
 */
export const nameKey = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(INVISIBLE_LETTERS, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(SPACES, ' ')
    .trim();

/** Invisible characters are refused, because names that look equal must be equal. */
export const userNameSchema = z
  .string()
  .max(MAX_USER_NAME_CHARS)
  .refine((name) => name.isWellFormed() && !INVISIBLE_CHARACTER.test(name), 'use visible characters only')
  .transform((name) => name.normalize('NFC').replaceAll(SPACES, ' ').trim())
  .refine((name) => nameKey(name) !== '', 'must contain a visible character')
  .meta({ example: 'Grace Hopper' });

const emailSchema = z.email().max(254);

export const userIdSchema = z.uuid().transform((id) => id.toLowerCase());

export const userSchema = z
  .strictObject({
    userId: z.uuid(),
    name: z.string(),
    email: z.string().optional(),
    enabled: z.boolean(),
    created: dateTimeSchema,
    lastSeen: dateTimeSchema.optional().meta({ description: 'Last use of a token of the user, to the minute' }),
  })
  .meta({ id: 'User' });

export const userListSchema = z.array(userSchema);

export const newUserSchema = z
  .strictObject({
    name: userNameSchema,
    password: newPasswordSchema,
    email: emailSchema.optional(),
    userId: userIdSchema.optional().meta({ description: 'Chosen by the PDA if omitted' }),
  })
  .meta({ id: 'NewUser' });

export const userChangeSchema = z
  .strictObject({
    name: userNameSchema.optional(),
    email: emailSchema.nullable().optional().meta({ description: 'null removes it' }),
    password: newPasswordSchema.optional().meta({ description: 'Ends the sessions of the user' }),
  })
  .meta({ id: 'UserChange', description: 'Omitted properties stay unchanged' });

export type User = z.infer<typeof userSchema>;
export type NewUser = z.output<typeof newUserSchema>;
export type UserChange = z.output<typeof userChangeSchema>;
