import { openApiDocument } from './openapi.ts';

/** The OpenAPI document of a server, put together at the first look. */
export const createOpenApi = (described: () => Parameters<typeof openApiDocument>[0]): (() => string) => {
  let document: string | undefined;
  return () => {
    document ??= JSON.stringify(openApiDocument(described()));
    return document;
  };
};
