import { z } from 'zod';

/** The header `Authorization: Bearer <token>` (RFC 6750, 2.1), for routes that identify the caller by it. */
export const bearerHeader = z.object({
  authorization: z.string().max(9000).optional().meta({ description: '`Bearer <token>`' }),
});

/** Returns the bearer token, or undefined if there is none. */
export const bearerOf = ({ authorization = '' }: z.infer<typeof bearerHeader>): string | undefined =>
  /^Bearer +([^\s]+) *$/iu.exec(authorization)?.[1];
