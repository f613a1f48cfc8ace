import type { Users } from "../services/users.ts";
import { route } from "./route.ts";
import { UserShape } from "./schemas.ts";

/** Users (decision 46). */
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
