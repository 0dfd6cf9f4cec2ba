import { createLateBinding } from '../../service/late-binding.ts';
import type { Route } from '../route.ts';
import { buildOpenApiDocument } from './document.ts';

type DocumentInfo = Omit<Parameters<typeof buildOpenApiDocument>[0], 'routes'>;

/** The OpenAPI document of a server, built when first read. The routes are set later, because one of them serves it. */
export type OpenApi = {
  setRoutes(routes: readonly Route[]): void;
  json(): string;
};

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
