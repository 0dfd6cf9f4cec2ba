import { z } from 'zod';
import { MAX_FEED_ITEMS } from '../../../wire/limits.ts';
import type { FeedWindow } from './reader.ts';

/** Query parameters of the feed. */

export const wholeNumber = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/u, 'a whole number, 0 or more')
    .transform(Number)
    .default(fallback);

const DAY_S = 86_400;
const unixSeconds = z
  .string()
  .regex(/^-?\d{1,11}$/u, 'a time in Unix seconds')
  .transform(Number)
  .optional();
export const feedQuery = z.object({
  since: unixSeconds.meta({ description: 'Unix seconds; default: 180 days ago' }),
  until: unixSeconds.meta({ description: 'Unix seconds; default: 30 days from now' }),
  skip: wholeNumber(0),
  take: wholeNumber(MAX_FEED_ITEMS).transform((take) => Math.min(take, MAX_FEED_ITEMS)),
});

export const windowOf = ({ since, until, skip, take }: z.output<typeof feedQuery>, time: number): FeedWindow => {
  const now = Math.floor(time / 1000);
  return { since: since ?? now - 180 * DAY_S, until: until ?? now + 30 * DAY_S, skip, take };
};
