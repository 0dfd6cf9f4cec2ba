import Sqlite from 'better-sqlite3';
import Koa from 'koa';
import { recordHead } from '../../server/pda/data/records/rules.ts';
import { listen } from './listen.ts';

// Baseline: Koa with handwritten SQL for one query. Usage: node filtered.ts COPY-OF-THE-DATABASE ENDPOINT
// Creates the best index for the query: on the field `n`, and only for the records of this endpoint.

const [file = '', path = ''] = process.argv.slice(2);
const db = new Sqlite(file);
db.pragma('cache_size = -16000');
const endpoint = Number(db.prepare('SELECT id FROM endpoints WHERE path = ?').pluck().get(path));
db.exec(
  `CREATE INDEX IF NOT EXISTS by_hand ON records (json_extract(data, '$.n')) WHERE endpoint = ${Math.trunc(endpoint)}`,
);
const select = db.prepare<[number, number], { id: string; data: string }>(
  `SELECT id, data FROM records INDEXED BY by_hand WHERE endpoint = ${Math.trunc(endpoint)}
   AND json_extract(data, '$.n') > ? AND json_extract(data, '$.n') < ?`,
);
const head = recordHead(path);

const app = new Koa();
app.use((ctx) => {
  const rows = select.all(Number(ctx.query['lower']), Number(ctx.query['upper']));
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = `[${rows.map((row) => `${head}${row.id}","data":${row.data}}`).join(',')}]`;
});
listen(app);
