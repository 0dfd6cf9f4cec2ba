import { isolateText } from '../../../../../server/wire/isolation.ts';
import type { Bundle } from '../../../../../server/wire/query.ts';
import type {
  ApplicationRights,
  OwnerApplication,
  OwnerContract,
  OwnerDebit,
  OwnerFunction,
} from '../../../../shared/api/contract.ts';
import { type DataNames, toSentenceCase } from '../../../../shared/components/display-names.ts';
import { bundleText } from '../../../../shared/consent/bundle-text.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { applicationPath, CONTRACTS_PATH, functionPath, sharingPath } from '../../../navigation.ts';
import { bundleOf, nameOf } from '../../functions/function-text.ts';
import { isOn } from '../../functions/status/state.ts';
import { debitStatusText, isReadable, mainPermission } from '../status-text.ts';
import { type ItemCounts, countBundleRecords, countFiles, countRecords } from './item-counts.ts';
import type { Reader, ReaderSource } from './reader.ts';
import { bundleSources, namespaceSources } from './sources.ts';

const texts = m.sharing;
const UNTIL_STOPPED = m.consent.time.untilStopped;

/** The key contains the requester's name, because an application may request data for several organisations. */
const recipientKeyOf = (application: string, name: string): string =>
  `application ${application.toLowerCase()} ${name}`;

export function consentReaders(
  debits: readonly OwnerDebit[],
  counts: ItemCounts,
  now: Date,
  names: DataNames,
): Reader[] {
  return debits.filter(isReadable).map((item): Reader => {
    const { dataDebitKey, requestApplicationId = '', requestClientName } = item.debit;
    const { bundle } = mainPermission(item).bundle;
    const accessText = bundleText(bundle, names);
    return {
      kind: 'consent',
      item,
      key: `consent ${dataDebitKey}`,
      recipientKey: recipientKeyOf(requestApplicationId, requestClientName),
      name: requestClientName,
      accessText,
      sentence: texts.canSee(accessText),
      sources: bundleSources(bundle),
      endText: debitStatusText(item, now),
      to: sharingPath(dataDebitKey),
      maxItems: countBundleRecords(bundle, counts),
      isAnonymous: false,
    };
  });
}

function rightsText({ actsAsOwner, read, files }: ApplicationRights, names: DataNames): string {
  const namespaceTexts = read.length > 0 ? [texts.readers.namespaces(read.map(names.namespace))] : [];
  return m.consent.list([
    ...(files.length > 0 ? [texts.readers.files(files)] : []),
    ...(actsAsOwner ? [texts.readers.allRecords] : namespaceTexts),
  ]);
}

function countReadableItems({ actsAsOwner, read, files }: ApplicationRights, counts: ItemCounts): number {
  return actsAsOwner ? Number.POSITIVE_INFINITY : countRecords(read, counts) + countFiles(files, counts);
}

function rightsSources({ actsAsOwner, read, files }: ApplicationRights): ReaderSource[] {
  const records: ReaderSource = { kind: 'records', id: '', extent: texts.map.everyEndpoint, isEntire: true };
  return [
    ...(actsAsOwner ? [records] : namespaceSources(read)),
    ...(files.length > 0
      ? [{ kind: 'files', id: '', extent: toSentenceCase(texts.readers.files(files)), isEntire: true } as const]
      : []),
  ];
}

/** Returns the namespaces that the developer may read, even before the contracts service is notified. */
function readableNamespaces({ state, namespaces }: OwnerContract): string[] {
  if (state !== 'joined' && state !== 'joining') return [];
  return namespaces.filter(({ read }) => read).map(({ namespace }) => namespace);
}

function isCoveredByContract(id: string, rights: ApplicationRights, contracts: readonly OwnerContract[]): boolean {
  const contract = contracts.find(({ application }) => application.toLowerCase() === id.toLowerCase());
  if (contract === undefined || rights.actsAsOwner || rights.files.length > 0) return false;
  const namespaces = readableNamespaces(contract);
  return rights.read.every((namespace) => namespaces.includes(namespace));
}

export function applicationReaders(
  applications: readonly OwnerApplication[],
  contracts: readonly OwnerContract[],
  counts: ItemCounts,
  names: DataNames,
): Reader[] {
  return applications.flatMap((application): Reader[] => {
    const { item, approved } = application;
    if (!item.setup || !item.enabled || approved === null) return [];
    const { id, info } = item.application;
    const accessText = rightsText(approved.rights, names);
    if (accessText === '' || isCoveredByContract(id, approved.rights, contracts)) return [];
    return [
      {
        kind: 'application',
        application,
        key: `application ${id}`,
        recipientKey: recipientKeyOf(id, info.name),
        name: info.name,
        accessText,
        sentence: texts.canSee(accessText),
        sources: rightsSources(approved.rights),
        endText: UNTIL_STOPPED,
        to: applicationPath(id),
        maxItems: countReadableItems(approved.rights, counts),
        isAnonymous: false,
      },
    ];
  });
}

export function contractReaders(contracts: readonly OwnerContract[], counts: ItemCounts, names: DataNames): Reader[] {
  return contracts.flatMap((contract): Reader[] => {
    const { contractId, name, application } = contract;
    const namespaces = readableNamespaces(contract);
    if (namespaces.length === 0) return [];
    const accessText = texts.readers.namespaces(namespaces.map(names.namespace));
    return [
      {
        kind: 'contract',
        contract,
        key: `contract ${contractId}`,
        recipientKey: recipientKeyOf(application, name),
        name,
        accessText,
        sentence: texts.canSee(accessText),
        sources: namespaceSources(namespaces),
        endText: UNTIL_STOPPED,
        to: CONTRACTS_PATH,
        maxItems: countRecords(namespaces, counts),
        isAnonymous: false,
      },
    ];
  });
}

export function functionReaders(functions: readonly OwnerFunction[], counts: ItemCounts, names: DataNames): Reader[] {
  return functions.flatMap((ownerFunction): Reader[] => {
    const { id, place } = ownerFunction;
    if (place.kind !== 'elsewhere' || !isOn(ownerFunction)) return [];
    const name = nameOf(ownerFunction);
    const shownName = isolateText(name);
    const bundle: Bundle = bundleOf(ownerFunction)?.bundle ?? {};
    const accessText = texts.otherReaders.function(place.host, bundleText(bundle, names));
    const { title, text, textRemote, keep, submit, done } = m.functions.disable;
    return [
      {
        kind: 'function',
        functionId: id,
        key: `function ${id}`,
        recipientKey: `function ${id}`,
        name,
        accessText,
        sentence: toSentenceCase(accessText),
        sources: bundleSources(bundle),
        endText: UNTIL_STOPPED,
        to: functionPath(id),
        maxItems: countBundleRecords(bundle, counts),
        isAnonymous: false,
        stop: {
          label: texts.otherReaders.stopLabel(shownName),
          title: title(shownName),
          text: `${text} ${textRemote(place.host)}`,
          keep,
          submit,
          done: done(shownName),
          access: { kind: 'function', id },
        },
      },
    ];
  });
}
