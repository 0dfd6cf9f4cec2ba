import Koa from 'koa';
import { openReader } from '../../server/pda/storage/database.ts';
import { createRecordStore } from '../../server/pda/data/records/store.ts';
import { createEndpointStore } from '../../server/pda/core/endpoint-store.ts';
import { recordHead } from '../../server/pda/data/records/rules.ts';
import { listen } from './listen.ts';

// Baseline: Koa with the account server's SELECT, without a token check or router.
// Usage: node latest.ts DATABASE ENDPOINT

const [file = '', path = ''] = process.argv.slice(2);
const db = openReader(file, () => undefined);
// Same cache size as the account server's main connection.
db.pragma('cache_size = -12000');
const endpoint = createEndpointStore(db).find(path) ?? 0;
const store = createRecordStore(db);
const head = recordHead(path);

const app = new Koa();
app.use((ctx) => {
  const { text } = store.page({
    order: 'descending',
    meta: false,
    head,
    endpoint,
    from: Number.MAX_SAFE_INTEGER,
    take: 100,
    skip: 0,
  });
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = text ?? '[]';
});
listen(app);
