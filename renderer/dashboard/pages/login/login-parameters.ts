/** What the address of the journey asks for. */
export interface Asked {
  name: string | undefined;
  redirect: string | undefined;
  fallback: string | undefined;
}

/** Names of parameters count in any case; of two that say the same the first one does. */
export function askedOf(query: URLSearchParams): Asked {
  const given = new Map<string, string>();
  for (const [name, value] of query) {
    const key = name.toLowerCase();
    if (value !== '' && !given.has(key)) given.set(key, value);
  }
  return {
    name: given.get('name') ?? given.get('application_id'),
    redirect: given.get('redirect') ?? given.get('redirect_uri'),
    fallback: given.get('fallback'),
  };
}

/** The same journey with other words for why it failed. */
export function withProblem(failureUrl: string, error: string, reason: string): string {
  const [base = '', query = ''] = failureUrl.split(/\?(.*)/s);
  const others = query.split('&').filter((pair) => pair !== '' && !/^error(?:_reason)?=/.test(pair));
  return `${base}?${[...others, `error=${error}`, `error_reason=${reason}`].join('&')}`;
}
