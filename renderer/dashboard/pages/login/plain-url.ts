const JOURNEY = /^\/(?:pda|hat)login\/?$/i;

/** Where `/pdalogin?…` is in this dashboard, whose places stand in the hash; undefined for every other address. */
export function placeOfJourney(pathname: string, search: string): string | undefined {
  return JOURNEY.test(pathname) ? `/#/pdalogin${search}` : undefined;
}

/** Applications send people to the plain form as well. Before the router looks at the address. */
export function takePlainAddress(): void {
  const place = placeOfJourney(location.pathname, location.search);
  if (place !== undefined) history.replaceState(null, '', place);
}
