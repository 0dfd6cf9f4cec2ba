import { gt, lte, SemVer } from 'semver';
import { Failure } from '../../platform/failure.ts';
import { applicationSchema, type Application } from '../../wire/applications.ts';
import type { ApplicationProperties } from '../../wire/exchange.ts';
import { MAX_URL_CHARS } from '../../wire/limits.ts';

/**
 * `state` and `version` describe the newest version. PDAs read `publicVersion`, the version that was published last.
 * `suspended` affects all versions.
 */
export type PublicationState = {
  state: 'draft' | 'waiting' | 'published';
  suspended: boolean;
  version: string;
  publicVersion: string | null;
};

type DisplayedState = 'draft' | 'waiting' | 'published' | 'suspended';

/** A version that awaits review takes precedence over a suspension. */
export const displayedState = ({ state, suspended }: PublicationState): DisplayedState => {
  if (state === 'waiting') return 'waiting';
  return suspended ? 'suspended' : state;
};

export const idKeyOf = (id: string): string => id.toLowerCase();

/** Returns `version` if it is above `highestPublished`, otherwise `highestPublished` with the next patch number. */
export const versionAbove = (version: string, highestPublished: string): string =>
  gt(version, highestPublished) ? version : new SemVer(highestPublished).inc('patch').version;

const wrongStateFailure = (cause: string): Failure => new Failure('wrong_state', cause);

/**
 * Returns the state after a change to the draft, or after the start of a newer version's draft.
 * @param highestPublished the highest version that was ever published; null if there is none
 * @throws Failure wrong_state
 */
export const reviseDraft = (
  state: PublicationState,
  version: string,
  highestPublished: string | null,
): PublicationState => {
  if (highestPublished !== null && lte(version, highestPublished))
    throw wrongStateFailure(`Version ${highestPublished} is already published. Use a higher version number.`);
  return { ...state, state: 'draft', version };
};

/** @throws Failure wrong_state */
export const submitDraft = (state: PublicationState): PublicationState => {
  if (state.state === 'published') throw wrongStateFailure('The newest version is already published.');
  return { ...state, state: 'waiting' };
};

/**
 * Returns the state after the version that awaits review is published or, if there is none, a suspension is lifted.
 * @throws Failure wrong_state
 */
export const publishSubmitted = (state: PublicationState): PublicationState => {
  if (state.state === 'waiting')
    return { ...state, state: 'published', suspended: false, publicVersion: state.version };
  if (state.publicVersion === null) throw wrongStateFailure('No version of this application awaits review.');
  return { ...state, suspended: false };
};

/**
 * Returns the state after a suspension. A version that awaits review becomes a draft again.
 * @throws Failure wrong_state if the application is a draft that was never published
 */
export const suspendPublished = (state: PublicationState): PublicationState => {
  if (state.state === 'draft' && state.publicVersion === null)
    throw wrongStateFailure('This application is a draft that was never published. There is nothing to suspend.');
  return { ...state, state: state.state === 'waiting' ? 'draft' : state.state, suspended: true };
};

export const toStoredApplication = (
  application: Application,
  developer: string,
  isPublished: boolean,
): Application => ({
  ...application,
  info: { ...application.info, published: isPublished },
  // Developers choose their display name, which an administrator reviews. Their id is the account name.
  developer: { name: developer, ...application.developer, id: developer },
});

/** The PDAs to which changed properties apply. An empty string is no restriction. */
export type PropertiesScope = { cluster: string; pda: string };

/**
 * Returns true if changed properties apply to a reader. A cluster or PDA address without a port applies to every port.
 * @param address the reading PDA's host[:port]; null for other readers
 */
export const matchesScope = ({ cluster, pda }: PropertiesScope, address: string | null): boolean => {
  if (cluster === '' && pda === '') return true;
  if (address === null) return false;
  const host = address.replace(/:\d+$/u, '');
  const inCluster =
    cluster === '' || [host, address].some((candidate) => candidate === cluster || candidate.endsWith(`.${cluster}`));
  return inCluster && (pda === '' || address === pda || host === pda);
};

/** Orders scopes from the widest to the narrowest, so that the scope of a single PDA is applied last. */
export const compareScopes = (a: PropertiesScope, b: PropertiesScope): number =>
  Number(a.pda !== '') - Number(b.pda !== '') ||
  a.cluster.length - b.cluster.length ||
  (a.cluster < b.cluster ? -1 : 1);

/** PDAs reject an application that contains a longer address. */
const isAllowedLength = (url: string): boolean => url.length <= MAX_URL_CHARS;

/**
 * Resolves a path within the address of an application, with or without a leading slash. Returns undefined if the
 * result is too long or not within the address, for example because it has a different origin.
 */
const resolveWithin = (url: string, path: string): string | undefined => {
  const base = new URL(url);
  base.search = '';
  base.hash = '';
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const resolvedUrl = URL.parse(path.replace(/^\/(?!\/)/u, ''), base)?.href ?? '';
  return resolvedUrl.startsWith(base.href) && isAllowedLength(resolvedUrl) ? resolvedUrl : undefined;
};

/** Changes description, logo and addresses. Rights cannot be changed this way, because owners agreed to them. */
export const withProperties = (application: Application, properties: ApplicationProperties): Application => {
  const { description, logoUrl, url, authUrl } = properties;
  const { info, kind, setup } = application;
  const logo = logoUrl === '' ? null : URL.parse(logoUrl, url);
  const setupUrl = authUrl === '' ? undefined : resolveWithin(url, authUrl);
  return {
    ...application,
    kind: { ...kind, url },
    info: {
      ...info,
      ...(description === '' ? {} : { description: { text: description } }),
      // PDAs reject an application whose logo is not a valid web address.
      ...(logo !== null && /^https?:$/u.test(logo.protocol) && isAllowedLength(logo.href)
        ? { graphics: { ...info.graphics, logo: { normal: logo.href } } }
        : {}),
    },
    ...(setupUrl === undefined ? {} : { setup: { ...setup, url: setupUrl } }),
  };
};

export const parseApplication = (text: string): Application => applicationSchema.parse(JSON.parse(text));

/** Returns true if two applications in JSON are equal. The order of members that the schema defines does not matter. */
export const isSameApplication = (a: string | null, b: string): boolean =>
  a !== null && JSON.stringify(parseApplication(a)) === JSON.stringify(parseApplication(b));
