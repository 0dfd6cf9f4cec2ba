import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import Koa from 'koa';
import { listen } from './listen.ts';

// Baseline: Koa with a router and a JSON body parser. Stores nothing, so its cost is the minimum for a Koa service.

const app = new Koa();
const router = new Router();
router.post('/api/v2.6/data/:namespace/:endpoint', (ctx) => {
  const { namespace, endpoint } = ctx.params as { namespace: string; endpoint: string };
  ctx.status = 201;
  ctx.body = {
    endpoint: `${namespace}/${endpoint}`,
    recordId: '019aa41c-2f38-7000-8d3c-6f0e1b2a4c5d',
    data: ctx.request.body,
  };
});
app.use(bodyParser({ enableTypes: ['json'], jsonLimit: '10mb' }));
app.use(router.routes());
listen(app);
