import { mayRunDeletions } from "../../core/access/sessions.ts";
import type { DeletionRuns } from "../../core/erasure/deletion-runs.ts";
import { Failure } from "../../core/values/failure.ts";
import type { PageRoute } from "../operation/route.ts";
import type { Authorizer } from "../request/auth.ts";
import type { SessionCookie } from "../request/session-cookie.ts";

type Needs = {
  deletionRuns: Pick<DeletionRuns, "run">;
  cookie: Pick<SessionCookie, "expectOwnPage">;
  authority: Pick<Authorizer, "identify">;
};

/** Begins a run of all queued and failed deletions. Its receipts say when they are done (decision 62). */
export const deletionRunRoute = ({ deletionRuns, cookie, authority }: Needs): PageRoute => ({
  method: "POST",
  path: "/console/api/deletions/run/",
  async handle({ request }) {
    cookie.expectOwnPage(request);
    if (!mayRunDeletions(await authority.identify(request))) {
      throw new Failure("permission_denied", NOT_BY_LINK);
    }
    // The run itself logs its failure, and tries again.
    deletionRuns.run().catch(() => undefined);
    return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
  },
});

const NOT_BY_LINK =
  "Only someone who signed in with a link from `hoglet console`, with all rights, can delete at once.";
