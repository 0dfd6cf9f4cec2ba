import { gt, lte, SemVer } from 'semver';
import { Failure } from '../../platform/failure.ts';
import type { Application } from '../../wire/applications.ts';
import type { ApplicationProperties } from '../../wire/exchange.ts';
import { MAX_URL_CHARS } from '../../wire/limits.ts';

/** From a draft to what PDAs read: what may follow on what, and what a change of an operator does to an application. */

/** Where the newest version stands, whether all of it is suspended, and what PDAs read meanwhile. */
export type Standing = {
  state: 'draft' | 'waiting' | 'published';
  suspended: boolean;
  version: string;
  publicVersion: string | null;
};

export type ShownState = 'draft' | 'waiting' | 'published' | 'suspended';

/** What waits for a verdict is shown as such, also when an earlier version is suspended. */
export const shownState = ({ state, suspended }: Standing): ShownState => {
  if (state === 'waiting') return 'waiting';
  return suspended ? 'suspended' : state;
};

/** Ids are compared without case. */
export const keyOf = (id: string): string => id.toLowerCase();

/** The version itself, or the lowest one above what was published already. */
export const versionAbove = (version: string, newest: string): string => {
  if (gt(version, newest)) return version;
  return new SemVer(newest).inc('patch').version;
};

const wrongState = (cause: string): Failure => new Failure('wrong_state', cause);

/** A changed draft, or the draft of a newer version. `newest`: the highest version that was ever published. @throws Failure wrong_state */
export const changed = (standing: Standing, version: string, newest: string | null): Standing => {
  if (newest !== null && lte(version, newest)) {
    throw wrongState(`Version ${newest} was published: the next one needs a higher number than that.`);
  }
  return { ...standing, state: 'draft', version };
};

/** @throws Failure wrong_state */
export const submitted = (standing: Standing): Standing => {
  if (standing.state === 'published') throw wrongState('There is nothing new to be published.');
  return { ...standing, state: 'waiting' };
};

/** Lets PDAs read the version that waits; of a suspended application without one, what they read before. @throws Failure wrong_state */
export const published = (standing: Standing): Standing => {
  if (standing.state === 'waiting') {
    return { ...standing, state: 'published', suspended: false, publicVersion: standing.version };
  }
  if (standing.publicVersion === null) throw wrongState('It was not submitted.');
  return { ...standing, suspended: false };
};

/** Takes it from where PDAs read; what waits is a draft again. @throws Failure wrong_state */
export const suspended = (standing: Standing): Standing => {
  if (standing.state === 'draft' && standing.publicVersion === null) throw wrongState('It was never published.');
  return { ...standing, state: standing.state === 'waiting' ? 'draft' : standing.state, suspended: true };
};

/** As PDAs and everybody read it: what only the exchange can say is said by it. */
export const asKept = (application: Application, developer: string, isPublished: boolean): Application => ({
  ...application,
  info: { ...application.info, published: isPublished },
  // The name is what its maker calls itself, and was seen by whoever let it through. Who it is, is the account.
  developer: { name: developer, ...application.developer, id: developer },
});

/** Which PDAs an operator's change is for; an empty word is no restriction. */
export type PropertiesScope = { cluster: string; pda: string };

/**
 * Whether a reader gets an application with that change. A cluster with a port matches PDAs by host and port, one without a port by host.
 * @param address host[:port] of the PDA that reads; null for other readers
 */
export const isFor = ({ cluster, pda }: PropertiesScope, address: string | null): boolean => {
  if (cluster === '' && pda === '') return true;
  if (address === null) return false;
  const host = address.replace(/:\d+$/u, '');
  const inCluster =
    cluster === '' || [host, address].some((candidate) => candidate === cluster || candidate.endsWith(`.${cluster}`));
  return inCluster && (pda === '' || address === pda || host === pda);
};

/** From the widest to the narrowest: the one that names a PDA has the last word. */
export const byWidth = (a: PropertiesScope, b: PropertiesScope): number =>
  Number(a.pda !== '') - Number(b.pda !== '') ||
  a.cluster.length - b.cluster.length ||
  (a.cluster < b.cluster ? -1 : 1);

/** What is changed by it is what is shown and where one is sent. What the application may do was agreed to, and is no such property. */
export const withProperties = (application: Application, properties: ApplicationProperties): Application => {
  const { description, logoUrl, url, authUrl } = properties;
  const { info, kind, setup } = application;
  const logo = logoUrl === '' ? null : URL.parse(logoUrl, url);
  const auth = authUrl === '' ? null : URL.parse(authUrl, url);
  return {
    ...application,
    kind: { ...kind, url },
    info: {
      ...info,
      ...(description === '' ? {} : { description: { text: description } }),
      // PDAs read only web addresses; anything else would make them drop the whole application.
      ...(logo !== null && /^https?:$/u.test(logo.protocol) && logo.href.length <= MAX_URL_CHARS
        ? { graphics: { ...info.graphics, logo: { normal: logo.href } } }
        : {}),
    },
    // A path within `url`, as the interface says: it leads nowhere else.
    ...(auth === null || auth.origin !== new URL(url).origin ? {} : { setup: { ...setup, url: auth.href } }),
  };
};
