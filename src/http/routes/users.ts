import type { Users } from "../../core/access/users.ts";
import { route } from "../operation/route.ts";
import { UserShape } from "../operation/schemas.ts";

/** Users. The answer holds an e-mail address, so even the own user takes a scope (decision 46). */
export const userRoutes = (users: Users) => [
  route({
    method: "GET",
    path: "/api/users/@me/",
    scope: "user:read",
    operationId: "users_me",
    summary: "Read the owner of the key.",
    status: 200,
    response: UserShape,
    handle: ({ principal }) => users.me(principal),
  }),
];
