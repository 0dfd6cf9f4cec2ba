/** Parameters of a login URL. */
export interface LoginParameters {
  name: string | undefined;
  redirect: string | undefined;
  fallback: string | undefined;
}

/** Parses a login URL's parameters. Names are case-insensitive; the first of repeated ones applies. */
export function parseLoginParameters(query: URLSearchParams): LoginParameters {
  const values = new Map<string, string>();
  for (const [name, value] of query) {
    const key = name.toLowerCase();
    if (value !== '' && !values.has(key)) values.set(key, value);
  }
  return {
    name: values.get('name') ?? values.get('application_id'),
    redirect: values.get('redirect') ?? values.get('redirect_uri'),
    fallback: values.get('fallback'),
  };
}

/** Sets the parameters `error` and `error_reason` of a failure URL. */
export function withProblem(failureUrl: string, error: string, reason: string): string {
  const [base = '', query = ''] = failureUrl.split(/\?(.*)/s);
  const otherPairs = query.split('&').filter((pair) => pair !== '' && !/^error(?:_reason)?=/.test(pair));
  return `${base}?${[...otherPairs, `error=${error}`, `error_reason=${reason}`].join('&')}`;
}
