export type ApplicationTable = {
  /** Id in lower case, for comparisons. */
  id_key: string;
  id: string;
  account_id: string;
  developer: string;
  state: 'draft' | 'waiting' | 'published';
  suspended: boolean;
  version: string;
  body: string;
  public_version: string | null;
  public_body: string | null;
  created: number;
  changed: number;
};
export type ApplicationVersionTable = {
  id_key: string;
  version: string;
  body: string;
  created: number;
  published: number | null;
};
export type ApplicationPropertiesTable = {
  id_key: string;
  cluster: string;
  pda: string;
  properties: string;
  changed: number;
};
export type CatalogueTable = { name: string; version: string };

export type ApplicationTables = {
  applications: ApplicationTable;
  application_versions: ApplicationVersionTable;
  application_properties: ApplicationPropertiesTable;
  catalogue: CatalogueTable;
};
