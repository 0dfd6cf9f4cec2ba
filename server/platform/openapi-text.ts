import type { openApiDocument } from './openapi.ts';

/** The OpenAPI document of a server, put together at the first look: a start should not wait for it. */
export const createOpenApi = (described: () => Parameters<typeof openApiDocument>[0]): (() => Promise<string>) => {
  let document: Promise<string> | undefined;
  return () => {
    document ??= import('./openapi.ts').then((openapi) => JSON.stringify(openapi.openApiDocument(described())));
    return document;
  };
};
