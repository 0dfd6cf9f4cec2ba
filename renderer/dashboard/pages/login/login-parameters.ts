export interface LoginParameters {
  name: string | undefined;
  redirect: string | undefined;
  fallback: string | undefined;
}

/** Reads the parameters of a login URL. Names are case-insensitive. The first non-empty value of a name applies. */
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

export function withError(failureUrl: string, error: string, reason: string): string {
  const [base = '', query = ''] = failureUrl.split(/\?(.*)/s);
  const otherPairs = query.split('&').filter((pair) => pair !== '' && !/^error(?:_reason)?=/.test(pair));
  return `${base}?${[...otherPairs, `error=${error}`, `error_reason=${reason}`].join('&')}`;
}
