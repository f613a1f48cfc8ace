import { api, read, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { PageHead } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { inProject } from "../../state/project.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";
import { receiptOf } from "./deletions.tsx";
import { Timeline } from "./timeline.tsx";

type Deletions = Schemas["DeletionPage"];

/** Instead of a person: the receipts of its deletion, or the events that are stored without a profile. */
export function NoPerson({ uuid, deletions }: { uuid: string; deletions: Loaded<Deletions> }) {
  const hasReceipts = (deletions.data?.count ?? 0) > 0;
  const newest = useLoad(`newest event of ${uuid}`, (signal) =>
    read(
      api.GET("/api/environments/{project_id}/events/", {
        params: { path: inProject(), query: { person_id: uuid, limit: 1 } },
        signal,
      }),
    ),
  );
  const event = newest.data?.results[0];
  const isAnonymous = event?.properties["$process_person_profile"] === false;
  const title = isAnonymous ? "Anonymous visitor" : "Person";
  return (
    <>
      <PageHead
        title={hasReceipts ? "Deleted person" : title}
        above={{ title: "Persons", href: href("persons") }}
        lead={!hasReceipts && event && <bdi>{event.distinct_id}</bdi>}
      />
      <Load of={deletions} skeleton={<Skeleton rows={6} height={40} />}>
        {({ results }) =>
          results.length > 0 ? (
            results.map(receiptOf)
          ) : (
            <Load of={newest} skeleton={<Skeleton rows={6} height={40} />}>
              {() => (event ? <Events uuid={uuid} isAnonymous={isAnonymous} /> : <UnknownPerson />)}
            </Load>
          )
        }
      </Load>
    </>
  );
}

function Events({ uuid, isAnonymous }: { uuid: string; isAnonymous: boolean }) {
  return (
    <div class="stack">
      <p class="caption">
        {isAnonymous
          ? "An anonymous visitor has no profile. These are the events of this visitor:"
          : "The person was deleted, or its events came without a profile. These events are stored:"}
      </p>
      <Timeline personId={uuid} />
    </div>
  );
}

/** Nothing is stored of a person: why that may be, and the way to the others. */
export function UnknownPerson() {
  return (
    <Empty icon="persons" title="There is no person with this id">
      <p>It was never here, it was merged into another person, or it was deleted.</p>
      <ButtonLink href={href("persons")}>All persons</ButtonLink>
    </Empty>
  );
}
