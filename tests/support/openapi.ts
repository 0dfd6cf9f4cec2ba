import { z } from 'zod';
import { declaredErrors } from '../../server/platform/http/response/response-validation.ts';
import type { Route } from '../../server/platform/http/route.ts';
import type { Call, Reply } from './http.ts';

/** The subset of JSON Schema that the OpenAPI documents use. */
export type JsonSchema = {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  enum?: unknown[] | undefined;
  const?: unknown;
  anyOf?: JsonSchema[] | undefined;
  oneOf?: JsonSchema[] | undefined;
  allOf?: JsonSchema[] | undefined;
  properties?: Record<string, JsonSchema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: boolean | JsonSchema | undefined;
  items?: JsonSchema | undefined;
  minItems?: number | undefined;
  maxItems?: number | undefined;
  minLength?: number | undefined;
  maxLength?: number | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  pattern?: string | undefined;
  format?: string | undefined;
};

const schema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    anyOf: z.array(schema).optional(),
    oneOf: z.array(schema).optional(),
    allOf: z.array(schema).optional(),
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), schema]).optional(),
    items: schema.optional(),
    minItems: z.number().optional(),
    maxItems: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    pattern: z.string().optional(),
    format: z.string().optional(),
  }),
);

const content = z.record(z.string(), z.looseObject({ schema: schema.optional() }));

const operationSchema = z.looseObject({
  tags: z.array(z.string()).optional(),
  summary: z.string().optional(),
  description: z.string().optional(),
  security: z.array(z.unknown()).optional(),
  parameters: z
    .array(
      z.looseObject({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        required: z.boolean().optional(),
        schema: schema.optional(),
      }),
    )
    .optional(),
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string(), content: content.optional() })),
});
export type Operation = z.infer<typeof operationSchema>;

const documentSchema = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.looseObject({ schemas: z.record(z.string(), schema).optional() }).optional(),
  'x-limits': z.record(z.string(), z.number()),
});
export type OpenApi = z.infer<typeof documentSchema>;

/** Fetches the OpenAPI document of a server without a token. */
export const documentOf = async (
  server: { call(method: string, path: string, call: Call): Promise<Reply> },
  path = '/api/v2.6/openapi.json',
): Promise<OpenApi> => documentSchema.parse((await server.call('GET', path, { token: null })).json);

/**
 * Returns the error codes that routes list although the rest of their declaration implies them. In a list that several
 * routes share, a code is redundant only if all of these routes imply it.
 */
export const redundantErrors = (routes: readonly Route[]): string[] =>
  [...Map.groupBy(routes, ({ errors }) => errors)].flatMap(([errors = [], sharingRoutes]) => {
    const impliedByRoute = sharingRoutes.map((route) => declaredErrors({ ...route, errors: [] }));
    return errors
      .filter((code) => impliedByRoute.every((implied) => implied.includes(code)))
      .map((code) => `${sharingRoutes.map(({ method, path }) => `${method} ${path}`).join(', ')}: ${code}`);
  });
