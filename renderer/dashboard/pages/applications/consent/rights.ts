import type { ApplicationRights, NamedBundle } from '../../../../shared/api/contract.ts';
import { type DataNames, DERIVED_NAMES, toSentenceCase } from '../../../../shared/components/program-names.ts';
import { bundleText } from '../../../../shared/consent/bundle-text.ts';
import type { RightItem } from '../../../../shared/components/right-items.tsx';
import { m } from '../../../../shared/messages/texts.ts';

const words = m.applications.rights;

/** Describes the rights, the broadest first. */
export function describeRights(rights: ApplicationRights): RightItem[] {
  const { read, write, files, proposesDebits, debits, actsAsOwner } = rights;
  return [
    ...(actsAsOwner ? [{ kind: 'owner' as const, text: words.owner, term: words.ownerTerm }] : []),
    ...read.map((namespace) => ({
      kind: 'read' as const,
      text: words.read(namespace),
      term: words.readTerm(namespace),
      namespace,
    })),
    ...write.map((namespace) => ({
      kind: 'write' as const,
      text: words.write(namespace),
      term: words.writeTerm(namespace),
      namespace,
    })),
    ...files.map((name) => ({ kind: 'files' as const, text: words.files(name), term: words.filesTerm(name) })),
    ...(proposesDebits ? [{ kind: 'debits' as const, text: words.debits, term: words.debitsTerm }] : []),
    ...debits.map((key) => ({ kind: 'debits' as const, text: words.debit(key), term: words.debitTerm(key) })),
  ];
}

/** Returns one line, such as "Reads fitness, writes notes, gets 5 fields of Steps". */
export function summariseRights(
  rights: ApplicationRights,
  data: NamedBundle | null,
  names: DataNames = DERIVED_NAMES,
): string {
  const parts = rights.actsAsOwner
    ? [words.shortOwner]
    : [
        ...(rights.read.length > 0 ? [words.shortReads(words.list(rights.read.map(names.namespace)))] : []),
        ...(rights.write.length > 0 ? [words.shortWrites(words.list(rights.write.map(names.namespace)))] : []),
      ];
  if (rights.files.length > 0) parts.push(words.shortFiles(words.list(rights.files)));
  if (data !== null) parts.push(words.shortData(bundleText(data.bundle, names)));
  return toSentenceCase(parts.length === 0 ? words.shortNothing : parts.join(', '));
}
