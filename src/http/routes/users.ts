import type { UserReads } from "../../core/ports/access.ts";
import { route } from "../operation/route.ts";
import { UserShape } from "../operation/schemas.ts";

/** Users. The answer holds an e-mail address, so even the own user takes a scope (decision 46). */
export const userRoutes = (users: Pick<UserReads, "find">) => [
  route({
    method: "GET",
    path: "/api/users/@me/",
    scope: "user:read",
    operationId: "users_me",
    summary: "Read the owner of the key.",
    status: 200,
    response: UserShape,
    async handle({ principal: { user_id } }) {
      const user = await users.find(user_id);
      if (user === undefined)
        throw new Error(`A key belongs to user ${user_id}, who does not exist`);
      return user;
    },
  }),
];
