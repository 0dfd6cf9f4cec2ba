import { z } from 'zod';

/** `Authorization: Bearer <token>`, for routes where the token speaks for the call itself. */
export const bearerHeader = z.object({
  authorization: z.string().max(9000).optional().meta({ description: '`Bearer <token>`' }),
});

/** The token; undefined when there is none. */
export const bearerOf = ({ authorization = '' }: z.infer<typeof bearerHeader>): string | undefined =>
  /^Bearer +([^\s]+) *$/iu.exec(authorization)?.[1];
