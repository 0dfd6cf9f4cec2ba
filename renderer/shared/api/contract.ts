import type { z } from 'zod';
import type { PdaApi } from '../../../server/pda/pda.ts';
import type { exportRequestSchema } from '../../../server/wire/imports.ts';

// Request and response types of the PDA, derived from its route declarations and wire schemas.

export type {
  BrowsedRecord,
  DeletedRecord,
  Deletion,
  DeletionEntry,
  EndpointSummary,
  Session,
} from '../../../server/wire/owner.ts';
export type {
  BankOptions,
  BankRole,
  ColumnChoice,
  DetectedExport,
  ElementOptions,
  ImportFormat,
  ImportJob,
  ImportPreview,
  RecordLists,
} from '../../../server/wire/imports.ts';
export type { Narrowing, OwnerDebit, Permission, SharingPreview } from '../../../server/wire/debits.ts';
export type { ApplicationRights, OwnerApplication } from '../../../server/wire/applications.ts';
export type { LedgerExportRequest, LedgerGroup, LedgerRow, OutboxMessage } from '../../../server/wire/ledger.ts';
export type {
  EndpointFields,
  Field,
  FieldCorrections,
  FieldType,
  NamespaceCorrections,
  NamespaceDisplay,
} from '../../../server/wire/fields.ts';
export type { FileKind, FileMonths, FileReader, FileSummary, OwnerFile } from '../../../server/wire/files.ts';
export type {
  FileArchive,
  FileMove,
  FileMoveResult,
  TagChangeResult,
  TagGroup,
} from '../../../server/wire/bulk-files.ts';
export type { Invitation, InvitationValidity, IssuedInvitation } from '../../../server/wire/invitations.ts';
export type { Collection } from '../../../server/wire/collections.ts';
export type { NewSharedView, SharedDefinition, SharedTable, SharedView } from '../../../server/wire/shared-views.ts';
export type { ListedShareLink, NewShareLink, ShareLink, ShareLinkChange } from '../../../server/wire/share-links.ts';
export type {
  DryRun,
  FunctionRun,
  FunctionRunDetail,
  FunctionRunPage,
  FunctionTrigger,
  OwnerFunction,
} from '../../../server/wire/functions.ts';
export type { Network, OwnerContract, OwnerOffer } from '../../../server/wire/network.ts';
export type { FeedItem } from '../../../server/wire/feed.ts';
export type {
  Timeline,
  TimelineDays,
  TimelineItem,
  TimelineMatches,
  TimelineRecord,
  TimelineSource,
} from '../../../server/wire/timeline.ts';
export type { WeeklySummary } from '../../../server/wire/weekly-summary.ts';
export type { User } from '../../../server/wire/users.ts';
export type { NamedBundle } from '../../../server/wire/query.ts';

/** Method and path, such as `"GET /api/v2.6/owner"`. */
export type Route = keyof PdaApi;
export type ResponseOf<R extends Route> = PdaApi[R]['response'];

export interface RouteDeclaration {
  params: unknown;
  query: unknown;
  body: unknown;
  response: unknown;
}

type RequestPart<Name extends string, Value> = [Value] extends [undefined] ? object : { [N in Name]: Value };

/** Numbers are sent as strings; undefined parameters are omitted. */
type QueryInput<Q> = { [K in keyof Q]: Q[K] | number | undefined };

export type RequestInput<D extends RouteDeclaration> = RequestPart<'params', D['params']> &
  ([D['query']] extends [undefined] ? object : { query?: QueryInput<D['query']> }) &
  RequestPart<'body', D['body']> & { headers?: Record<string, string> };

export interface RequestParts {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  body?: unknown;
}

export type Owner = ResponseOf<'GET /api/v2.6/owner'>;
export type ApplicationView = ResponseOf<'GET /api/v2.6/owner/applications/:id/view'>;
export type AccessLogDay = ResponseOf<'GET /api/v2.6/owner/ledger-days'>[number];
export type ActivityDay = ResponseOf<'GET /api/v2.6/owner/activity'>[number];
export type PasswordStrength = ResponseOf<'POST /api/v2.6/owner/password-strength'>;
export type StatusEntry = ResponseOf<'GET /api/v2.6/system/status'>[number];
export type ExportFormat = z.infer<typeof exportRequestSchema>['format'];
