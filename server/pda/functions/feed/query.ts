import { z } from 'zod';
import { MAX_FEED_ITEMS } from '../../../wire/limits.ts';
import type { FeedWindow } from './reader.ts';

export const wholeNumberOr = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/u, 'must be a whole number, 0 or more')
    .transform(Number)
    .default(fallback);

const DAY_S = 86_400;
const DEFAULT_PAST_DAYS = 180;
const DEFAULT_FUTURE_DAYS = 30;
const unixSeconds = z
  .string()
  .regex(/^-?\d{1,11}$/u, 'must be a Unix time in seconds')
  .transform(Number)
  .optional();
export const feedQuery = z.object({
  since: unixSeconds.meta({ description: `Unix seconds; default: ${DEFAULT_PAST_DAYS} days ago` }),
  until: unixSeconds.meta({ description: `Unix seconds; default: ${DEFAULT_FUTURE_DAYS} days from now` }),
  skip: wholeNumberOr(0),
  take: wholeNumberOr(MAX_FEED_ITEMS).transform((take) => Math.min(take, MAX_FEED_ITEMS)),
});

/** @param time Unix milliseconds */
export const windowOf = ({ since, until, skip, take }: z.output<typeof feedQuery>, time: number): FeedWindow => {
  const now = Math.floor(time / 1000);
  return {
    since: since ?? now - DEFAULT_PAST_DAYS * DAY_S,
    until: until ?? now + DEFAULT_FUTURE_DAYS * DAY_S,
    skip,
    take,
  };
};
