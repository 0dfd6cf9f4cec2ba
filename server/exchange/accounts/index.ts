import { accountRoutes } from './routes.ts';
import { createAccountService } from './service.ts';

/** Creates the module of accounts. */
export const createAccountModule = (parts: Parameters<typeof createAccountService>[0]) => {
  const accounts = createAccountService(parts);
  return { accounts, routes: accountRoutes({ accounts }), close: accounts.close };
};
