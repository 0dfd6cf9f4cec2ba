import { isolateText } from '../../../../../server/wire/isolation.ts';
import type { OwnerProfile } from '../../../../../server/wire/profile.ts';
import { MAX_PUBLIC_NOTES } from '../../../../../server/wire/limits.ts';
import type { FileReader, ListedShareLink, SharedView, User } from '../../../../shared/api/contract.ts';
import { type DataNames, toSentenceCase } from '../../../../shared/components/display-names.ts';
import { nearTimeText } from '../../../../shared/consent/timing-text.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { filesPath, LINKS_PATH, PROFILE_PATH } from '../../../navigation.ts';
import { linkContentText } from '../../../share-links/link-text.ts';
import { selectedRecordsOf, selectedRecordsText, sharedViewPath } from '../../../shared-views/shared-view.ts';
import type { ItemCounts } from './item-counts.ts';
import type { Reader, ReaderSource } from './reader.ts';

const texts = m.sharing.otherReaders;
const UNTIL_STOPPED = m.consent.time.untilStopped;

/** @param end Unix milliseconds; null for no end */
function endText(end: number | null, now: Date): string {
  return end === null ? UNTIL_STOPPED : m.sharing.state.until(nearTimeText(new Date(end), now));
}

const filesSource = (accessText: string, isEntire = true): ReaderSource => ({
  kind: 'files',
  id: '',
  extent: toSentenceCase(accessText),
  isEntire,
});

export function personReaders(people: readonly FileReader[]): Reader[] {
  const { title, text, done, submit } = texts.stopPerson;
  return people.map(({ userId, name, files, readable, folders, collections }): Reader => {
    const person = isolateText(name);
    const accessText =
      folders + collections === 0
        ? texts.person(files, readable)
        : texts.personInTargets(files, readable, { folders, collections });
    return {
      kind: 'person',
      userId,
      key: `person ${userId}`,
      recipientKey: `person ${userId}`,
      name,
      accessText,
      sentence: toSentenceCase(accessText),
      sources: [filesSource(accessText, readable + folders + collections > 0)],
      endText: UNTIL_STOPPED,
      to: filesPath({ visibleTo: userId }),
      maxItems: readable,
      isAnonymous: false,
      stop: {
        label: texts.stopLabel(person),
        title: title(person),
        text: text(person),
        keep: m.shell.keep,
        submit,
        done: done(person),
        access: { kind: 'person', userId },
      },
    };
  });
}

function viewAccessText(view: SharedView, names: DataNames): string {
  const { reader } = m.sharedViews;
  const { definition } = view;
  const name = isolateText(view.name);
  if (definition.kind === 'chart') return reader.chart(name);
  const records = selectedRecordsText(view, names);
  const columns = definition.columns.length;
  return records === undefined ? reader.table(name, columns) : reader.selected(name, records, columns);
}

/**
 * Returns a reader for each shared table or chart of a person who can sign in.
 * @param users undefined if unknown; no view is then omitted
 */
export function viewReaders(
  views: readonly SharedView[],
  users: readonly User[] | undefined,
  counts: ItemCounts,
  now: Date,
  names: DataNames,
): Reader[] {
  const { reader } = m.sharedViews;
  const canSignIn = (userId: string): boolean =>
    users === undefined || users.some((user) => user.userId === userId && user.enabled);
  return views
    .filter(({ userId }) => canSignIn(userId))
    .map((view): Reader => {
      const { sharedViewId, userId, userName, definition, endpoint, ends } = view;
      const [person, name] = [isolateText(userName), isolateText(view.name)];
      const accessText = viewAccessText(view, names);
      const selectedCount = selectedRecordsOf(definition)?.length ?? Number.POSITIVE_INFINITY;
      return {
        kind: definition.kind,
        userId,
        key: `view ${sharedViewId}`,
        recipientKey: `person ${userId}`,
        name: userName,
        accessText,
        sentence: toSentenceCase(accessText),
        sources: [{ kind: 'endpoint', id: endpoint, extent: toSentenceCase(accessText), isEntire: false }],
        endText: endText(ends, now),
        to: sharedViewPath(view),
        // Filters are ignored, as for consents.
        maxItems: Math.min(counts.records.get(endpoint) ?? 0, selectedCount),
        isAnonymous: false,
        stop: {
          label: m.sharedViews.stopLabel(person, name),
          title: reader.title(person, name),
          text: reader.text(person),
          keep: m.shell.keep,
          submit: reader.submit,
          done: m.sharedViews.stopped(person, name),
          access: { kind: 'view', sharedViewId },
        },
      };
    });
}

/** Returns the maximum number of files that can still be opened through a link. */
function countOpenableFiles({ fileCount, opens, opensMax }: ListedShareLink): number {
  return opensMax === null ? fileCount : Math.min(fileCount, opensMax - opens);
}

export function linkReaders(links: readonly ListedShareLink[], now: Date): Reader[] {
  const { stopLink } = texts;
  return links
    .filter(({ state }) => state === 'active')
    .map((link): Reader => {
      const { linkId, name, password, expires } = link;
      const shownName = isolateText(name);
      const content = isolateText(linkContentText(link));
      const accessText = password ? texts.linkWithPassword(content) : texts.link(content);
      return {
        kind: 'link',
        linkId,
        key: `link ${linkId}`,
        recipientKey: `link ${linkId}`,
        name,
        accessText,
        sentence: toSentenceCase(accessText),
        sources: [filesSource(accessText)],
        endText: endText(expires, now),
        to: LINKS_PATH,
        maxItems: countOpenableFiles(link),
        isAnonymous: true,
        stop: {
          label: texts.stopLabel(shownName),
          title: stopLink.title(shownName),
          text: stopLink.text,
          keep: m.shell.keep,
          submit: stopLink.submit,
          done: m.shareLinks.revoke.done(shownName),
          access: { kind: 'link', linkId },
        },
      };
    });
}

export function publicFileReaders(count: number): Reader[] {
  if (count === 0) return [];
  const accessText = texts.publicFilesText(count);
  return [
    {
      kind: 'public',
      key: 'public files',
      recipientKey: 'public files',
      name: texts.publicFiles,
      accessText,
      sentence: toSentenceCase(accessText),
      sources: [filesSource(accessText)],
      endText: UNTIL_STOPPED,
      to: filesPath({ show: 'public' }),
      maxItems: count,
      isAnonymous: true,
      stop: {
        ...texts.stopPublicFiles,
        label: texts.stopLabel(texts.publicFiles),
        keep: m.shell.keep,
        access: { kind: 'public files' },
      },
    },
  ];
}

function countPublicItems({ bundle, public: fields, notables }: OwnerProfile): number {
  // The size of a bundle is unknown and may be large, so this value exceeds every counted number.
  if (bundle) return Number.MAX_SAFE_INTEGER;
  const textFields = fields.filter((field) => field !== 'photo' && field !== 'notables');
  return (
    Number(textFields.length > 0) +
    Number(fields.includes('photo')) +
    (fields.includes('notables') ? Math.min(notables, MAX_PUBLIC_NOTES) : 0)
  );
}

export function profileReaders(profile: OwnerProfile): Reader[] {
  if (profile.page === null) return [];
  const accessText = profile.bundle ? texts.profileBundle : texts.profileText(profile.public.length);
  return [
    {
      kind: 'public',
      key: 'profile',
      recipientKey: 'profile',
      name: texts.profile,
      accessText,
      sentence: toSentenceCase(accessText),
      sources: [{ kind: 'profile', id: '', extent: toSentenceCase(accessText), isEntire: false }],
      endText: UNTIL_STOPPED,
      to: PROFILE_PATH,
      maxItems: countPublicItems(profile),
      isAnonymous: true,
      stop: {
        ...texts.stopProfile,
        text: profile.bundle ? texts.stopProfile.textBundle : texts.stopProfile.text,
        label: texts.stopLabel(texts.profile),
        keep: m.shell.keep,
        access: { kind: 'profile', fields: profile.public, hasBundle: profile.bundle },
      },
    },
  ];
}
