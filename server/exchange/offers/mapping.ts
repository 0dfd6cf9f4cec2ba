import type { NewOffer, Offer, OfferClaim } from '../../wire/offers.ts';
import type { NamedBundle } from '../../wire/query.ts';
import { statusOf } from './rules.ts';
import type { ClaimRow, CountedOfferRow, OfferRow } from './store.ts';

/** Bundles are validated before they are stored. */
const parseBundle = (json: string): NamedBundle => JSON.parse(json) as NamedBundle;

/** @param withCounts true if the reader may see the number of claims */
export const toOffer = (row: CountedOfferRow, withCounts = false): Offer => ({
  offerId: row.id,
  created: row.created,
  provider: row.provider,
  providerName: row.provider_name,
  edition: row.edition,
  title: row.title,
  description: row.description,
  starts: row.starts,
  expires: row.expires,
  collectionDuration: row.collection_ms,
  ...(row.data_conditions === null ? {} : { dataConditions: parseBundle(row.data_conditions) }),
  requiredData: parseBundle(row.required_data),
  requiredMinUser: row.required_min,
  requiredMaxUser: row.required_max,
  status: statusOf(row.state, { requiredMinUser: row.required_min, requiredMaxUser: row.required_max }, row),
  ...(withCounts ? { counts: { claimed: row.claimed, confirmed: row.confirmed } } : {}),
  ...(row.terms_url === null ? {} : { termsUrl: row.terms_url }),
  ...(row.url === null ? {} : { url: row.url }),
  ...(row.logo_url === null ? {} : { logoUrl: row.logo_url }),
});

export const toOfferColumns = (offer: NewOffer) =>
  ({
    title: offer.title,
    description: offer.description,
    starts: offer.starts,
    expires: offer.expires,
    collection_ms: offer.collectionDuration,
    data_conditions:
      offer.dataConditions === undefined || offer.dataConditions === null ? null : JSON.stringify(offer.dataConditions),
    required_data: JSON.stringify(offer.requiredData),
    required_min: offer.requiredMinUser,
    required_max: offer.requiredMaxUser,
    terms_url: offer.termsUrl ?? null,
    url: offer.url ?? null,
    logo_url: offer.logoUrl ?? null,
  }) satisfies Partial<OfferRow>;

export const toClaim = (
  offerId: string,
  row: Pick<ClaimRow, 'data_debit_id' | 'confirmed' | 'created' | 'address' | 'public_key'>,
): OfferClaim => ({
  offerId,
  user: { address: row.address, publicKey: row.public_key },
  relationship: 'claim',
  confirmed: row.confirmed,
  dataDebitId: row.data_debit_id,
  dateCreated: row.created,
});
