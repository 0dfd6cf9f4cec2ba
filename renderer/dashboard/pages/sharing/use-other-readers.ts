import {
  type Icon,
  IconChartBar,
  IconLink,
  IconMathFunction,
  IconTable,
  IconUser,
  IconWorld,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { isolateText } from '../../../../server/wire/isolation.ts';
import type { FileReader, OwnerFunction, SharedView } from '../../../shared/api/contract.ts';
import { m } from '../../../shared/messages/texts.ts';
import { type OwnerProfile, profile, setFieldPublic } from '../../api/account/profile.ts';
import { fileReaders, fileSummary, makeAllFilesPrivate, revokeAllFileAccess } from '../../api/files/queries.ts';
import { revokeAllShareLinks, shareLinks } from '../../api/files/share-links.ts';
import { sharedViews, unshareView } from '../../api/shared-views.ts';
import { functions, refreshFunctions } from '../../api/functions/queries.ts';
import { LINKS_PATH, PROFILE_PATH, filesPath, functionPath } from '../../navigation.ts';
import { sharedViewPath } from '../../shared-views/shared-view.ts';
import { nameOf } from '../functions/function-text.ts';

const words = m.sharing.others;

/** Confirmation of the end of access, and the action that ends it. */
export interface StopAction {
  title: string;
  text: string;
  keep: string;
  submit: string;
  done: string;
  run: () => Promise<unknown>;
}

/** A reader that needs neither a Data Debit nor an application. */
export interface OtherReader {
  key: string;
  icon: Icon;
  title: string;
  text: string;
  /** Path of the page that shows what the reader can see. */
  to: string;
  /** Number of items that the reader can see. */
  width: number;
  /** Undefined if access cannot be ended here. */
  stop: StopAction | undefined;
}

function toPersonReader({ userId, name, files, readable, folders, collections }: FileReader): OtherReader {
  const { title, text, done, submit } = words.stopPerson;
  return {
    key: `person ${userId}`,
    icon: IconUser,
    title: name,
    text:
      folders + collections === 0
        ? words.person(files, readable)
        : words.personInTargets(files, readable, { folders, collections }),
    to: filesPath({ visibleTo: userId }),
    width: Math.max(files, folders + collections),
    stop: {
      title: title(name),
      text: text(name),
      keep: words.keep,
      submit,
      done: done(name),
      run: () => revokeAllFileAccess(userId),
    },
  };
}

function toViewReader(view: SharedView): OtherReader {
  const { sharedViewId, userName, definition } = view;
  const [person, name] = [isolateText(userName), isolateText(view.name)];
  const { reader } = m.sharedViews;
  return {
    key: `view ${sharedViewId}`,
    icon: definition.kind === 'table' ? IconTable : IconChartBar,
    title: userName,
    text: definition.kind === 'table' ? reader.table(name, definition.columns.length) : reader.chart(name),
    to: sharedViewPath(view),
    width: definition.kind === 'table' ? definition.columns.length : 1,
    stop: {
      title: reader.title(person, name),
      text: reader.text(person),
      keep: words.keep,
      submit: reader.submit,
      done: m.sharedViews.stopped(person, name),
      run: () => unshareView(sharedViewId),
    },
  };
}

function toLinksReader(count: number): OtherReader {
  const { title, text, keep, submit, done } = m.shareLinks.revokeAll;
  return {
    key: 'links',
    icon: IconLink,
    title: words.links(count),
    text: words.linksText,
    to: LINKS_PATH,
    width: count,
    stop: { title, text: text(count), keep, submit, done, run: revokeAllShareLinks },
  };
}

function toPublicFilesReader(count: number): OtherReader {
  return {
    key: 'public files',
    icon: IconWorld,
    title: words.publicFiles(count),
    text: words.publicFilesText,
    to: filesPath({ show: 'public' }),
    width: count,
    stop: { ...words.stopPublicFiles, keep: words.keep, run: makeAllFilesPrivate },
  };
}

async function makeProfilePrivate({ public: fields }: OwnerProfile): Promise<void> {
  for (const field of fields) await setFieldPublic(field, false);
}

function toProfileReader(ownerProfile: OwnerProfile): OtherReader {
  return {
    key: 'profile',
    icon: IconWorld,
    title: words.profile,
    text: words.profileText(ownerProfile.public.length),
    to: PROFILE_PATH,
    width: ownerProfile.public.length,
    // A bundle that a program registered replaces the switches of the fields.
    stop: ownerProfile.bundle
      ? undefined
      : { ...words.stopProfile, keep: words.keep, run: () => makeProfilePrivate(ownerProfile) },
  };
}

function toFunctionReader(ownerFunction: OwnerFunction, host: string): OtherReader {
  const { id } = ownerFunction;
  const name = nameOf(ownerFunction);
  const { title, text, textRemote, keep, submit, done } = m.functions.disable;
  const disable = async () => {
    await call('GET /api/v2.6/she/function/:id/disable', { params: { id } });
    await refreshFunctions();
  };
  return {
    key: `function ${id}`,
    icon: IconMathFunction,
    title: name,
    text: words.functionText(host),
    to: functionPath(id),
    width: 1,
    stop: { title: title(name), text: `${text} ${textRemote(host)}`, keep, submit, done: done(name), run: disable },
  };
}

/** Lists people, share links, everyone and remote functions with access to data, widest access first. */
export function useOtherReaders(): OtherReader[] {
  const people = useQuery(fileReaders).data ?? [];
  const linkCount = useQuery(shareLinks).data?.length ?? 0;
  const publicFileCount = useQuery(fileSummary).data?.public ?? 0;
  const ownerProfile = useQuery(profile).data;
  const installedFunctions = useQuery(functions).data ?? [];
  const views = useQuery(sharedViews).data ?? [];
  const readers = [...people.map(toPersonReader), ...views.map(toViewReader)];
  if (linkCount > 0) readers.push(toLinksReader(linkCount));
  if (publicFileCount > 0) readers.push(toPublicFilesReader(publicFileCount));
  if (ownerProfile !== undefined && ownerProfile.page !== null && ownerProfile.public.length > 0)
    readers.push(toProfileReader(ownerProfile));
  for (const ownerFunction of installedFunctions) {
    const { place, configuration } = ownerFunction;
    if (place.kind === 'elsewhere' && configuration?.status.enabled === true)
      readers.push(toFunctionReader(ownerFunction, place.host));
  }
  return readers.toSorted((a, b) => b.width - a.width);
}
