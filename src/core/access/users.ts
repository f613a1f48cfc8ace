import type { UserReads } from "../ports/access.ts";
import type { Principal } from "./principal.ts";
import type { User } from "./user.ts";

/** Users. */
export type Users = {
  /** The owner of the key that asks. */
  me(principal: Principal): Promise<User>;
};

/** The users of this data directory. */
export function users(reads: Pick<UserReads, "find">): Users {
  return {
    async me({ user_id }) {
      const user = await reads.find(user_id);
      if (user === undefined) throw new Error(`A key belongs to user ${user_id}, who is not there`);
      return user;
    },
  };
}
