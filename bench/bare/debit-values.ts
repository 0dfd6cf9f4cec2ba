import Sqlite from 'better-sqlite3';
import Koa from 'koa';
import { listen } from './listen.ts';

// Baseline: Koa with handwritten SQL for the data of one Data Debit, without a token check or access log.
// Usage: node debit-values.ts COPY-OF-THE-DATABASE LOWER UPPER LIMIT ENDPOINT …
// Creates the best index for each endpoint, extracts the fields in SQL and serialises the response with JSON.stringify.

type Row = { id: string; time: string; steps: number; low: number; high: number };

const [file = '', lower = '', upper = '', limit = '', ...paths] = process.argv.slice(2);
const db = new Sqlite(file);
db.pragma('cache_size = -16000');

const queries = paths.map((path, index) => {
  const endpoint = Math.trunc(Number(db.prepare('SELECT id FROM endpoints WHERE path = ?').pluck().get(path)));
  db.exec(
    `CREATE INDEX IF NOT EXISTS by_hand_${index} ON records (json_extract(data, '$.n')) WHERE endpoint = ${endpoint}`,
  );
  const select = db.prepare<[number, number, number], Row>(
    `SELECT id, data ->> '$.time' AS time, data ->> '$.steps' AS steps, data ->> '$.heart.low' AS low, data ->> '$.heart.high' AS high
     FROM records INDEXED BY by_hand_${index}
     WHERE endpoint = ${endpoint} AND json_extract(data, '$.n') > ? AND json_extract(data, '$.n') < ?
     ORDER BY seq LIMIT ?`,
  );
  return { path, select };
});

const app = new Koa();
app.use((ctx) => {
  const bundle = Object.fromEntries(
    queries.map(({ path, select }) => [
      path,
      select.all(Number(lower), Number(upper), Number(limit)).map(({ id, time, steps, low, high }) => ({
        endpoint: path,
        recordId: id,
        data: { at: time, count: steps, pulse: { low, high } },
      })),
    ]),
  );
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = JSON.stringify({ bundle });
});
listen(app);
