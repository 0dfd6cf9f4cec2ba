import { z } from 'zod';
import { isTextWithoutNul, NOT_TEXT_WITHOUT_NUL } from './common.ts';
import { MAX_URL_CHARS } from './limits.ts';

// The owner's profile and its public part (`/api/v2.6/owner/profile`, `/profile`, `/phata/profile`).

/** The newest record of this endpoint is the profile. Applications can read it with the owner's consent. */
export const PROFILE_ENDPOINT = 'profile/me';
/** Short notes. The newest MAX_PUBLIC_NOTES notes with `public: true` are public while the owner shows notes. */
export const NOTABLES_ENDPOINT = 'profile/notables';
/** If a stored bundle has this name, its data is public instead of the profile. */
export const PROFILE_BUNDLE = 'phata';
export const PROFILE_PATH = '/profile';

export const MAX_PHOTO_BYTES = 5_000_000;
/** Longer side of a photo. */
export const MAX_PHOTO_PIXELS = 1600;

const line = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must be one line of text');

export const profileValuesSchema = z
  .strictObject({
    name: line(100).optional(),
    headline: line(150).optional(),
    about: z.string().trim().max(2000).refine(isTextWithoutNul, NOT_TEXT_WITHOUT_NUL).optional(),
    place: line(100).optional(),
    email: z.union([z.literal(''), z.email().max(254)]).optional(),
    phone: line(40).optional(),
    website: z.union([z.literal(''), z.url({ protocol: /^https?$/u }).max(MAX_URL_CHARS)]).optional(),
    birthday: z.union([z.literal(''), z.iso.date()]).optional(),
  })
  .meta({ id: 'ProfileValues', description: 'An empty string means no value' });

export const PROFILE_TEXTS = ['name', 'headline', 'about', 'place', 'email', 'phone', 'website', 'birthday'] as const;
const profileFieldSchema = z.enum([...PROFILE_TEXTS, 'photo', 'notables']);
export const PROFILE_FIELDS = profileFieldSchema.options;

export const profileSwitchSchema = z.strictObject({ field: profileFieldSchema, public: z.boolean() });

const storedValuesSchema = z.strictObject({
  name: z.string().optional(),
  headline: z.string().optional(),
  about: z.string().optional(),
  place: z.string().optional(),
  email: z.string().optional(),
  phone: z.string().optional(),
  website: z.string().optional(),
  birthday: z.string().optional(),
});

export const ownerProfileSchema = z
  .strictObject({
    endpoint: z.string(),
    recordId: z.string().nullable(),
    values: storedValuesSchema,
    public: z.array(profileFieldSchema),
    photo: z
      .strictObject({ fileId: z.string(), contentUrl: z.string() })
      .nullable()
      .meta({ description: 'The file, with a signed URL that is valid for a few minutes' }),
    notables: z.int().meta({ description: 'Notes that are marked public' }),
    bundle: z.boolean().meta({ description: 'True if a stored bundle decides what is public instead of the switches' }),
    page: z.string().nullable().meta({ description: 'HTML of the public page; null if there is none' }),
  })
  .meta({ id: 'OwnerProfile' });

export type ProfileValues = z.infer<typeof profileValuesSchema>;
export type ProfileField = z.infer<typeof profileFieldSchema>;
export type ProfileText = (typeof PROFILE_TEXTS)[number];
export type OwnerProfile = z.infer<typeof ownerProfileSchema>;
