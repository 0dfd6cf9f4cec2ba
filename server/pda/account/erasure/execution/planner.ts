import { isoTime } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import { endpointSchema } from '../../../../wire/common.ts';
import type {
  BackupEntry,
  ErasureCounts,
  ErasureKind,
  ErasurePreview,
  ErasureReceiver,
} from '../../../../wire/erasure.ts';
import type { LedgerService } from '../../../sharing/access-log/service.ts';
import type { OwnerService } from '../../../identity/owner/service.ts';
import { localCopies } from '../home/local-copies.ts';
import { derivedFrom, NOTHING, pathsOf, remaindersOf, waitFor } from '../rules.ts';
import type { FileTarget, SearchStore, Whose } from './search-store.ts';

/** What is to be erased, worked out before anything of it goes: afterwards it could not be found any more. */
export type Plan = (
  | { kind: 'application'; application: string }
  | { kind: 'namespace'; namespace: string }
  | { kind: 'file'; fileId: string }
) & {
  /** Functions whose outputs go too. */
  functions: string[];
  copies: boolean;
};

/** What was found of it, and how it is called afterwards. */
export type Found = {
  what: ErasureCounts;
  /** Of a file the name says something of its content: its id in the access history stands for it. */
  subject: string;
  functions: string[];
};

export type PlannerParts = {
  search: SearchStore;
  ledger: Pick<LedgerService, 'list'>;
  /** Unix milliseconds of a row of the ledger. */
  timeOfRow: (row: number) => number;
  owner: Pick<OwnerService, 'profile'>;
  home: { path: string; backups: string };
  backups: () => BackupEntry[] | null;
};

/** Endpoints that a preview names. */
const NAMED = 100;
/** Rows of the ledger that are looked at for one file. */
const LEDGER_ROWS = 500;
const LEDGER_PAGE = 100;

export type Planner = ReturnType<typeof createPlanner>;

/** Looks for what would go, without changing anything. */
export const createPlanner = (parts: PlannerParts) => {
  const { search, ledger, timeOfRow } = parts;

  const unknownFile = (): Failure => new Failure('not_found', 'There is no such file.');
  const requireNamespace = (namespace: string): string => {
    if (!endpointSchema.safeParse(`${namespace}/x`).success || namespace.includes('/'))
      throw new Failure('invalid_input', 'This is not the name of a namespace.');
    return namespace;
  };
  const requireApplication = (application: string): string => {
    if (application.trim() === '') throw new Failure('invalid_input', 'Name the application.');
    return application;
  };

  const whoseOf = (kind: 'application' | 'namespace', target: string): Whose =>
    kind === 'namespace' ? pathsOf(requireNamespace(target)) : { application: requireApplication(target) };

  const oldest = (...times: (number | null)[]): string | null => {
    const known = times.filter((time) => time !== null);
    return known.length === 0 ? null : isoTime(Math.min(...known));
  };
  const bytesOf = (files: readonly FileTarget[]): number => files.reduce((sum, { size }) => sum + (size ?? 0), 0);

  const receiversAt = async (endpoints: readonly string[] | null): Promise<ErasureReceiver[]> =>
    (await search.receivers(endpoints)).map((row) => ({ ...row, last: isoTime(timeOfRow(row.last)) }));

  /** Who was given one file: the rows of the ledger that name it. */
  const receiversOf = async (record: string): Promise<ErasureReceiver[]> => {
    const found = new Map<string, ErasureReceiver>();
    let before: number | undefined;
    for (let looked = 0; looked < LEDGER_ROWS; looked += LEDGER_PAGE) {
      const page = await ledger.list({
        record,
        outcome: 'allowed',
        take: LEDGER_PAGE,
        ...(before === undefined ? {} : { before }),
      });
      for (const { who, time, count, action } of page.rows) {
        if (who.kind === 'owner' || !action.startsWith('GET ')) continue;
        const key = `${who.kind}\n${who.name}`;
        const known = found.get(key);
        const person = who.person ?? null;
        if (known === undefined)
          found.set(key, { kind: who.kind, name: who.name, person, reads: count, records: 1, last: time });
        else known.reads += count;
      }
      if (page.next === null) break;
      before = page.next;
    }
    return [...found.values()];
  };

  const common = () => ({
    copies: localCopies(parts.home.backups),
    backups: parts.backups(),
    waitSeconds: waitFor(search.databaseBytes()),
  });

  const ofFile = async (fileId: string): Promise<{ preview: ErasurePreview; found: Found }> => {
    const file = search.file(fileId);
    if (file === undefined) throw unknownFile();
    const what = { ...NOTHING, files: 1, bytes: file.size ?? 0 };
    const sameContent = await search.hasSameContent(file);
    const preview: ErasurePreview = {
      kind: 'file',
      target: fileId,
      typed: file.name,
      what,
      endpoints: [],
      since: isoTime(file.added),
      derived: [],
      receivers: await receiversOf(file.id),
      stays: remaindersOf('file', { sameContent, unassigned: false }),
      ...common(),
    };
    return { preview, found: { what, subject: file.id, functions: [] } };
  };

  const ofRecords = async (
    kind: 'application' | 'namespace',
    target: string,
  ): Promise<{ preview: ErasurePreview; found: Found }> => {
    const whose = whoseOf(kind, target);
    const [records, deleted, endpoints] = await Promise.all([
      search.records(whose),
      search.deletedRecords(whose),
      search.endpoints(whose),
    ]);
    const functions = derivedFrom(endpoints, search.functions());
    const derived = await search.derived(functions);
    const imports = kind === 'namespace' ? await search.imports(pathsOf(target)) : [];
    const files = kind === 'application' ? await search.filesOf(target) : [];
    const what: ErasureCounts = {
      records: records.count,
      deletedRecords: deleted.count,
      derivedRecords: derived.reduce((sum, one) => sum + one.records, 0),
      imports: imports.length,
      files: files.length,
      bytes: records.bytes + deleted.bytes + bytesOf(files),
      sessions: kind === 'application' ? await search.sessions(target) : 0,
      consents: kind === 'application' ? await search.consents(target) : 0,
    };
    const preview: ErasurePreview = {
      kind,
      target,
      typed: target,
      what,
      endpoints: endpoints.slice(0, NAMED),
      since: oldest(records.since, ...files.map(({ added }) => added)),
      derived,
      receivers: endpoints.length === 0 ? [] : await receiversAt(endpoints),
      stays: remaindersOf(kind, { sameContent: false, unassigned: (await search.unassignedImports()) > 0 }),
      ...common(),
    };
    return { preview, found: { what, subject: target, functions } };
  };

  const ofEverything = async (): Promise<{ preview: ErasurePreview; found: Found }> => {
    const all = await search.everything();
    const what: ErasureCounts = {
      ...NOTHING,
      records: all.records.count,
      deletedRecords: all.deleted,
      imports: all.imports,
      files: all.files.count,
      bytes: all.records.bytes + all.files.bytes,
      sessions: all.sessions,
      consents: all.consents,
    };
    const preview: ErasurePreview = {
      kind: 'everything',
      target: '',
      typed: parts.owner.profile()?.name ?? '',
      what,
      endpoints: [],
      since: oldest(all.records.since),
      derived: [],
      receivers: await receiversAt(null),
      stays: remaindersOf('everything', { sameContent: false, unassigned: false }),
      ...common(),
      waitSeconds: 0,
    };
    return { preview, found: { what, subject: '', functions: [] } };
  };

  return {
    /** @throws Failure not_found | invalid_input */
    look(kind: ErasureKind, target: string): Promise<{ preview: ErasurePreview; found: Found }> {
      if (kind === 'everything') return ofEverything();
      return kind === 'file' ? ofFile(target) : ofRecords(kind, target);
    },
  };
};
