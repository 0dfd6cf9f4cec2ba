import Sqlite from 'better-sqlite3';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createFileStore } from '../../server/pda/files/store.ts';
import { newId } from '../../server/pda/core/sequence.ts';
import { createPda } from '../../server/pda/pda.ts';
import { silentLog } from '../../server/platform/log.ts';
import { createWriter } from '../../server/pda/storage/writer.ts';
import { FILE_TAGS, FILE_SOURCES, USER, WORDS } from './file-rows.ts';
import { NAME, PASSWORD } from './pda.ts';

// Creates a home with file records that have no content. Usage: node fill-files.ts HOME FILES

const BATCH_SIZE = 5000;
/** As in server/pda/core/sequence.ts. */
const SEQ_EPOCH_MS = Date.UTC(2020, 0, 1);
const SEQS_PER_MS = 4096;
const KINDS = ['image', 'text', 'video', 'document', 'other'] as const;
const [home = '', files = '0'] = process.argv.slice(2);

const pda = await createPda({ home, log: silentLog() });
await pda.owner.init(NAME, PASSWORD);
const { userId } = await pda.users.create(USER);
await pda.close();

const db = new Sqlite(join(home, 'pda.sqlite'));
db.pragma('journal_mode = WAL');
// The generated data needs no durability.
db.pragma('synchronous = OFF');
const store = createFileStore(db);
const writer = createWriter(db);
const firstTime = Date.now() - 365 * 86_400_000;
const firstSeq = (firstTime - SEQ_EPOCH_MS) * SEQS_PER_MS;
const wordAt = (number: number): string => WORDS[number % WORDS.length] ?? '';
for (let begin = 0; begin < Number(files); begin += BATCH_SIZE) {
  await writer.write((tx) => {
    for (let number = begin; number < Math.min(begin + BATCH_SIZE, Number(files)); number += 1) {
      const seq = firstSeq + number * SEQS_PER_MS;
      const time = firstTime + number;
      store.insert(tx, {
        seq,
        id: newId(seq),
        file_id: `file-${number}.jpg`,
        name: `${wordAt(number)}-${number}.jpg`,
        source: FILE_SOURCES[number % 10 === 0 ? 1 : number % 1000 === 1 ? 2 : 0] ?? '',
        title: `${wordAt(number)} ${wordAt(number * 7 + 1)} ${wordAt(number * 13 + 2)}`,
        description: `${wordAt(number * 3)} ${wordAt(number * 5 + 4)} of number ${number}`,
        tags: JSON.stringify(FILE_TAGS.filter((_, index) => number % 10 ** index === 0)),
        created: time,
        updated: time,
        added: time,
        status: number % 50 === 0 ? 'New' : 'Completed',
        uploader: 'owner',
        application: null,
        nonce: randomUUID(),
        size: number * 37,
        sha256: null,
        type: 'image/jpeg',
        kind: KINDS[number % KINDS.length] ?? 'other',
        path: null,
        modified: null,
        inode: null,
      });
      if (number % 20 === 0) store.grant(tx, seq, userId, true);
      if (number % 500 === 0) store.setPublic(tx, seq, true);
    }
  });
}
await writer.close();
db.close();
