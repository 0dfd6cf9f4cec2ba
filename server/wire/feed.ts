import { z } from 'zod';
import { webUrlOrEmpty } from './functions.ts';

// Items of the feed (`GET /she/feed`; docs/decisions.md, 8).

const feedTextSchema = z.looseObject({
  text: z.string(),
  subtitle: z.string().nullish(),
  action: z.string().nullish(),
});

export const feedItemSchema = z
  .looseObject({
    source: z.string().min(1),
    date: z.looseObject({
      iso: z.iso.datetime({ offset: true }),
      unix: z.number().meta({ description: 'Unix seconds' }),
    }),
    types: z.array(z.string()),
    title: feedTextSchema.nullish(),
    content: z
      .looseObject({
        text: z.string().nullish(),
        html: z.string().nullish(),
        media: z.array(z.looseObject({ thumbnail: webUrlOrEmpty.nullish(), url: webUrlOrEmpty.nullish() })).nullish(),
        nestedStructure: z
          .record(
            z.string(),
            z.array(
              z.looseObject({
                content: z.string(),
                badge: z.string().nullish(),
                types: z.array(z.string()).nullish(),
              }),
            ),
          )
          .nullish(),
      })
      .nullish(),
    location: z
      .looseObject({
        geo: z.looseObject({ longitude: z.number(), latitude: z.number() }).nullish(),
        address: z
          .looseObject({
            country: z.string().nullish(),
            city: z.string().nullish(),
            name: z.string().nullish(),
            street: z.string().nullish(),
            zip: z.string().nullish(),
          })
          .nullish(),
        tags: z.array(z.string()).nullish(),
      })
      .nullish(),
  })
  .meta({ id: 'DataFeedItem' });

export type FeedItem = z.output<typeof feedItemSchema>;
