import { addressGroup } from '../platform/address-group.ts';
import type { Lifecycle } from '../platform/lifecycle.ts';
import { createBackupRoom, type BackupRoomParts } from './backup/room.ts';
import { createErasureRoom, type ErasureRoomParts } from './erasure/room.ts';
import { createExampleRoom, type ExampleRoomParts } from './examples/room.ts';
import type { Hosts } from './hosts.ts';
import { createMoveRoom, type MoveRoomParts } from './move/room.ts';
import type { OwnerService } from './owner/service.ts';
import { createProfileRoom, type ProfileRoomParts } from './profile/room.ts';
import type { EndpointStore } from './records/endpoints.ts';

type OwnParts = Omit<ProfileRoomParts, 'folder' | 'hostName' | 'networkOf' | 'baseOf'> &
  Omit<ExampleRoomParts, 'folder' | 'dropEmpty' | 'baseOf'> & {
    home: { files: string };
    owner: Pick<OwnerService, 'profile'>;
    endpoints: Pick<EndpointStore, 'hide'>;
    hosts: Pick<Hosts, 'isLocal' | 'baseOf'>;
  };

/** What the owner says of themselves, and their first minutes: the rooms that are about nobody else. */
export const createOwnRooms = ({ home, owner, endpoints, hosts, ...parts }: OwnParts) => {
  const shared = { ...parts, folder: home.files, baseOf: hosts.baseOf };
  const profile = createProfileRoom({
    ...shared,
    hostName: (host) => (hosts.isLocal(host) ? (owner.profile()?.name ?? host) : host),
    networkOf: addressGroup,
  });
  const examples = createExampleRoom({
    ...shared,
    dropEmpty: (tx, endpoint) => endpoints.hide(tx, endpoint, 'for good'),
  });
  const { openFields, ownerEmail } = profile;
  return { openFields, ownerEmail, routes: [...profile.routes, ...examples.routes] as const };
};

type ErasedEverything = Parameters<ReturnType<typeof createErasureRoom>['keepReport']>[0];

type WholeParts = Omit<ErasureRoomParts, 'backup' | 'onEverything'> &
  Omit<BackupRoomParts, 'program'> &
  Omit<MoveRoomParts, 'program' | 'home' | 'busy'> & {
    version: string;
    /** Everything is erased as soon as this account is closed and made again. */
    onEraseEverything: ErasureRoomParts['onEverything'];
    /** What was erased before this start, if everything was. */
    erased: ErasedEverything;
    lifecycle: Lifecycle;
  };

/** The rooms that are about the account as a whole: it is erased, backed up, moved. */
export const createWholeRooms = async (all: WholeParts) => {
  const { version, onEraseEverything, erased, lifecycle, ...parts } = all;

  const erasureRoom = createErasureRoom({
    ...parts,
    onEverything: onEraseEverything,
    backup: () => backupRoom.backup,
  });
  const { erasure } = erasureRoom;
  lifecycle.onClose('erasure', () => erasureRoom.close());
  await erasureRoom.keepReport(erased);

  const backupRoom = createBackupRoom({ ...parts, program: version });
  lifecycle.onClose('backups', () => backupRoom.close());

  const moveRoom = createMoveRoom({
    ...parts,
    home: parts.home.path,
    program: version,
    busy: () =>
      erasure.list().some(({ state }) => state !== 'done') ? 'Something is being erased. Wait for its end.' : undefined,
  });
  lifecycle.onClose('moves', () => moveRoom.close());

  return {
    erasure,
    backupRoom,
    moveRoom,
    routes: [...erasureRoom.routes, ...backupRoom.routes, ...moveRoom.routes] as const,
  };
};
