import type { ApplicationRights, NamedBundle } from '../../../../shared/api/contract.ts';
import { type DataNames, DERIVED_NAMES, toSentenceCase } from '../../../../shared/components/display-names.ts';
import { bundleText } from '../../../../shared/consent/bundle-text.ts';
import type { RightItem } from '../../../../shared/components/right-items.tsx';
import { m } from '../../../../shared/messages/texts.ts';

const texts = m.applications.rights;

/** Describes the rights, the broadest first. */
export function describeRights(rights: ApplicationRights): RightItem[] {
  const { read, write, files, proposesDebits, debits, actsAsOwner } = rights;
  return [
    ...(actsAsOwner ? [{ kind: 'owner' as const, text: texts.owner, term: texts.ownerTerm }] : []),
    ...read.map((namespace) => ({
      kind: 'read' as const,
      text: texts.read(namespace),
      term: texts.readTerm(namespace),
      namespace,
    })),
    ...write.map((namespace) => ({
      kind: 'write' as const,
      text: texts.write(namespace),
      term: texts.writeTerm(namespace),
      namespace,
    })),
    ...files.map((name) => ({ kind: 'files' as const, text: texts.files(name), term: texts.filesTerm(name) })),
    ...(proposesDebits ? [{ kind: 'debits' as const, text: texts.debits, term: texts.debitsTerm }] : []),
    ...debits.map((key) => ({ kind: 'debits' as const, text: texts.debit(key), term: texts.debitTerm(key) })),
  ];
}

/** Returns one line, such as "Reads fitness, writes notes, gets 5 fields of Steps". */
export function summariseRights(
  rights: ApplicationRights,
  data: NamedBundle | null,
  names: DataNames = DERIVED_NAMES,
): string {
  const parts = rights.actsAsOwner
    ? [texts.shortOwner]
    : [
        ...(rights.read.length > 0 ? [texts.shortReads(texts.list(rights.read.map(names.namespace)))] : []),
        ...(rights.write.length > 0 ? [texts.shortWrites(texts.list(rights.write.map(names.namespace)))] : []),
      ];
  if (rights.files.length > 0) parts.push(texts.shortFiles(texts.list(rights.files)));
  if (data !== null) parts.push(texts.shortData(bundleText(data.bundle, names)));
  if (parts.length === 0)
    parts.push(rights.proposesDebits || rights.debits.length > 0 ? texts.shortDebits : texts.shortNothing);
  return toSentenceCase(parts.join(', '));
}
