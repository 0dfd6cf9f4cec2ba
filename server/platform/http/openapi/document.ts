import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { z } from 'zod';
import { ERROR_STATUS, errorBodySchema, REASON_PHRASE } from '../../../wire/errors.ts';
import * as limits from '../../../wire/limits.ts';
import * as workLimits from '../../../wire/work-limits.ts';
import { declaredErrors } from '../response/response-validation.ts';
import { bodyMaxBytes, type Route } from '../route.ts';

const templateOf = (path: string): string => path.replaceAll(/[:*](\w+)/gu, '{$1}');

const describeRouteAccess = (route: Route): string => {
  if (route.identify !== undefined) return 'Requires the credentials that this route describes.';
  switch (route.access.auth) {
    case 'public':
      return 'Requires no credentials.';
    case 'token':
      return 'Requires a valid token.';
    case 'owner':
      return 'Only the owner can call this.';
    case 'scopes':
      return 'Can be called by the owner, or with a token that has all scopes that the request needs.';
    case 'anyScope':
      return 'Can be called by the owner, or with a token that has the scopes for the requested items.';
  }
};

const responsesOf = (route: Route): ZodOpenApiResponsesObject => {
  const responses: ZodOpenApiResponsesObject = {};
  for (const [status, spec] of Object.entries(route.responses)) {
    const type = spec.contentType ?? (spec.schema === undefined ? undefined : 'application/json');
    responses[status as `${1 | 2 | 3 | 4 | 5}${string}`] = {
      description: spec.description,
      ...(type === undefined ? {} : { content: { [type]: spec.schema === undefined ? {} : { schema: spec.schema } } }),
    };
  }
  const byStatus = new Map<number, string[]>();
  for (const code of declaredErrors(route))
    byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  for (const [status, codes] of [...byStatus].toSorted((a, b) => a[0] - b[0])) {
    responses[String(status) as `${4 | 5}${string}`] = {
      description: `${REASON_PHRASE[status] ?? 'Error'}: ${codes.map((code) => `\`${code}\``).join(', ')}`,
      content: { 'application/json': { schema: errorBodySchema } },
    };
  }
  return responses;
};

type AccessOptions = {
  /** Returns a sentence about who may call a route. Default: the sentence for a server with an owner. */
  describeAccess?: (route: Route) => string;
  /** If true, tokens are sent as `Authorization: Bearer`. Default: in the header `x-auth-token`. */
  bearer?: boolean;
};

const operationOf = (
  route: Route,
  { describeAccess = describeRouteAccess, bearer = false }: AccessOptions,
): ZodOpenApiOperationObject => {
  const parameters = {
    ...(route.params === undefined ? {} : { path: route.params as z.ZodObject }),
    ...(route.query === undefined ? {} : { query: route.query as z.ZodObject }),
    ...(route.headers === undefined ? {} : { header: route.headers as z.ZodObject }),
  };
  const { body } = route;
  return {
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, describeAccess(route)].filter((text) => text !== undefined).join('\n\n'),
    requestParams: parameters,
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: `At most ${bodyMaxBytes(body)} bytes.`,
            required: body.as !== 'json' || !body.schema.safeParse(undefined).success,
            content:
              body.as === 'bytes'
                ? { [body.contentType]: { schema: { type: 'string' as const, format: 'binary' } } }
                : { 'application/json': { schema: body.schema } },
          },
        }),
    security: route.access.auth === 'public' || (route.identify !== undefined && !bearer) ? [] : [{ token: [] }],
    responses: responsesOf(route),
  };
};

export const buildOpenApiDocument = (
  options: { title: string; version: string; description: string; routes: readonly Route[] } & AccessOptions,
): unknown => {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of options.routes) {
    const template = templateOf(route.path);
    paths[template] = { ...paths[template], [route.method.toLowerCase()]: operationOf(route, options) };
  }
  return {
    ...createDocument({
      openapi: '3.1.0',
      info: { title: options.title, version: options.version, description: options.description },
      servers: [{ url: '/' }],
      paths,
      components: {
        securitySchemes: {
          token:
            options.bearer === true
              ? { type: 'http', scheme: 'bearer' }
              : { type: 'apiKey', in: 'header', name: 'x-auth-token' },
        },
      },
    }),
    'x-limits': Object.fromEntries(
      Object.entries({ ...limits, ...workLimits }).filter(([, limit]) => typeof limit === 'number'),
    ),
  };
};
