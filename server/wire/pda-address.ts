import { z } from 'zod';

/**
 * Address of a PDA, without a scheme. `localhost`, names below it and 127.0.0.1 are called over `http`, others over
 * `https`.
 */
export const pdaAddressSchema = z
  .string()
  .trim()
  .min(1)
  .max(300)
  .transform((address) =>
    address
      .toLowerCase()
      .replace(/^https?:\/\//u, '')
      .replace(/\/$/u, ''),
  )
  .pipe(
    z
      .string()
      .regex(
        /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)(?::[1-9]\d{0,4})?$/u,
        'the address of a PDA is a host, or host:port',
      )
      .max(255),
  )
  .meta({ id: 'PdaAddress', example: 'ada.example.org' });
