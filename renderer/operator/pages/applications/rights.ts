import type { Application } from '../../../../server/wire/applications.ts';
import type { NamedBundle } from '../../../../server/wire/query.ts';
import { toSentenceCase } from '../../../shared/components/display-names.ts';
import { bundleText } from '../../../shared/consent/bundle-text.ts';
import type { RightItem } from '../../../shared/components/right-items.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { messages } from '../../messages/texts.ts';

type Role = Application['permissions']['rolesGranted'][number];

const texts = messages.applications.rights;

/** Valid name of a namespace or file source. Other names, such as wildcards and paths, have no effect. */
const VALID_NAME = /^[\p{L}\p{N}\p{M}\-._~]+$/u;
/** A Data Debit key with one of these characters has no effect in a right. */
const INVALID_KEY_CHARS = /[*:]/u;

function rightOf({ role, detail }: Role): RightItem {
  const name = detail ?? '';
  const term = name === '' ? role : `${role} ${name}`;
  const otherRight: RightItem = { kind: 'other', text: texts.other, term };
  const isValidName = VALID_NAME.test(name);
  switch (role.toLowerCase()) {
    case 'owner':
      return { kind: 'owner', text: texts.owner, term };
    case 'namespaceread':
      return isValidName ? { kind: 'read', text: texts.read(name), term } : otherRight;
    case 'namespacewrite':
      return isValidName ? { kind: 'write', text: texts.write(name), term } : otherRight;
    case 'managefiles':
      return isValidName ? { kind: 'files', text: texts.files(name), term } : otherRight;
    case 'datadebit':
      if (INVALID_KEY_CHARS.test(name)) return otherRight;
      return { kind: 'debits', text: name === '' ? texts.debits : texts.debit(name), term };
    default:
      return otherRight;
  }
}

const KIND_ORDER: readonly RightItem['kind'][] = ['owner', 'read', 'write', 'files', 'debits', 'other'];

export function rightsOf(application: Application): RightItem[] {
  const rights = new Map(application.permissions.rolesGranted.map(rightOf).map((right) => [right.term, right]));
  return [...rights.values()].toSorted((a, b) => KIND_ORDER.indexOf(a.kind) - KIND_ORDER.indexOf(b.kind));
}

/** Returns the data that an application requests, in the current or the older format; null if it requests none. */
export const requestedBundle = ({ permissions }: Application): NamedBundle | null =>
  permissions.dataRetrieved ?? permissions.dataRequired?.bundle ?? null;

/** Returns text such as "Reads fitness, writes notes, gets 5 fields of Steps". Omits rights without effect. */
export function summariseRights(application: Application): string {
  const summaryTexts = m.applications.rights;
  const kinds = new Set(rightsOf(application).map(({ kind }) => kind));
  const namesOf = (roleName: string): string[] =>
    application.permissions.rolesGranted
      .filter(({ role, detail }) => role.toLowerCase() === roleName && VALID_NAME.test(detail ?? ''))
      .map(({ detail }) => detail ?? '');
  const [read, write, files] = [namesOf('namespaceread'), namesOf('namespacewrite'), namesOf('managefiles')];
  const bundle = requestedBundle(application);
  const parts = [
    ...(kinds.has('owner') ? [summaryTexts.shortOwner] : []),
    ...(read.length > 0 ? [summaryTexts.shortReads(summaryTexts.list(read))] : []),
    ...(write.length > 0 ? [summaryTexts.shortWrites(summaryTexts.list(write))] : []),
    ...(files.length > 0 ? [summaryTexts.shortFiles(summaryTexts.list(files))] : []),
    ...(kinds.has('debits') ? [texts.shortDebits] : []),
    ...(bundle === null ? [] : [summaryTexts.shortData(bundleText(bundle.bundle))]),
  ];
  return toSentenceCase(parts.length === 0 ? texts.shortNothing : parts.join(', '));
}

type AddressKind = keyof typeof messages.applications.page.addressKinds;

interface LinkedAddress {
  kind: AddressKind;
  url: string;
}

/** Lists the URLs of an application, except for the developer's website and pictures other than the normal logo. */
export function linkedAddresses({ kind, info, setup, status }: Application): LinkedAddress[] {
  const candidates: [AddressKind, string | null | undefined][] = [
    ['website', kind.url],
    ['iosUrl', kind.iosUrl],
    ['androidUrl', kind.androidUrl],
    ['setup', setup.url],
    ['iosUrl', setup.iosUrl],
    ['androidUrl', setup.androidUrl],
    ...(setup.validRedirectUris ?? []).map((url): [AddressKind, string] => ['redirect', url]),
    ['callback', info.callbackUrl],
    ['status', status.statusUrl],
    ['terms', info.termsUrl],
    ['privacy', info.privacyPolicyUrl],
    ['logo', info.graphics.logo.normal],
  ];
  return candidates.flatMap(([kind, url]) => (url === null || url === undefined || url === '' ? [] : [{ kind, url }]));
}
