import { createLateBinding } from '../../service/late-binding.ts';
import type { Route } from '../route.ts';
import { buildOpenApiDocument } from './document.ts';

type DocumentInfo = Omit<Parameters<typeof buildOpenApiDocument>[0], 'routes'>;

/** The OpenAPI document of a server. One route serves the document itself, so the routes are registered last. */
export type OpenApi = {
  /** Registers the routes that the document describes. */
  setRoutes(routes: readonly Route[]): void;
  /** Returns the document as JSON. Generated at the first call. */
  json(): string;
};

/** Creates the lazily built OpenAPI document of a server. */
export const createOpenApi = (info: DocumentInfo): OpenApi => {
  const routes = createLateBinding<readonly Route[]>('the routes of the OpenAPI document');
  let document: string | undefined;
  return {
    setRoutes: routes.register,
    json() {
      document ??= JSON.stringify(buildOpenApiDocument({ ...info, routes: routes.get() }));
      return document;
    },
  };
};
