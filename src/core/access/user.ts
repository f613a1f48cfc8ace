import type { JsonObject } from "../values/json.ts";

/** A user as it is embedded in what they made (contract 2.4). */
export type User = {
  id: number;
  uuid: string;
  distinct_id: string;
  first_name: string;
  last_name: string;
  email: string;
  is_email_verified: boolean;
  hedgehog_config: JsonObject;
  role_at_organization: string;
};
