import { z } from 'zod';

/** `Authorization: Bearer <token>` (RFC 6750, section 2.1). */
export const bearerHeader = z.object({
  authorization: z.string().max(9000).optional().meta({ description: '`Bearer <token>`' }),
});

export const bearerTokenOf = ({ authorization = '' }: z.infer<typeof bearerHeader>): string | undefined =>
  /^Bearer +([^\s]+) *$/iu.exec(authorization)?.[1];
