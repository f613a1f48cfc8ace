import { useState } from "preact/hooks";
import { api, type Schemas } from "../../api/client.ts";
import { type Loaded, useLoad } from "../../api/load.ts";
import { may } from "../../api/session.ts";
import { PageHead } from "../../layout/page-head.tsx";
import { href } from "../../state/address.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Empty, Load, Skeleton } from "../../ui/states.tsx";
import { DeleteDialog } from "./delete-person.tsx";
import { receiptOf } from "./deletions.tsx";
import { Timeline } from "./timeline.tsx";

type Deletions = Schemas["DeletionPage"];

/** Instead of a person: the receipts of its deletion, and the events that are stored without a profile. */
export function NoPerson({ uuid, deletions }: { uuid: string; deletions: Loaded<Deletions> }) {
  const hasReceipts = (deletions.data?.count ?? 0) > 0;
  const newest = useLoad(`newest event of ${uuid}`, (signal) =>
    api.get("events/", { query: { person_id: uuid, limit: 1 }, signal }),
  );
  const [isDeleting, setDeleting] = useState(false);
  const close = () => setDeleting(false);
  const event = newest.data?.results[0];
  const isAnonymous = event?.properties["$process_person_profile"] === false;
  const title = isAnonymous ? "Anonymous visitor" : "Person";
  return (
    <>
      <PageHead
        title={hasReceipts ? "Deleted person" : title}
        above={{ title: "People", href: href("persons") }}
        lead={<bdi>{event?.distinct_id ?? uuid}</bdi>}
      >
        {event && may("person:write") && (
          <Button icon="trash" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )}
      </PageHead>
      <Load of={deletions} skeleton={<Skeleton rows={6} height={40} />}>
        {({ results }) => (
          <>
            {results.map(receiptOf(newest.reload))}
            <Load of={newest} skeleton={<Skeleton rows={6} height={40} />}>
              {() => {
                if (event) return <Events uuid={uuid} isAnonymous={isAnonymous} />;
                return hasReceipts ? null : <UnknownPerson />;
              }}
            </Load>
          </>
        )}
      </Load>
      {isDeleting && event && (
        <DeleteDialog
          person={{ uuid, name: event.distinct_id, hasProfile: false }}
          onDone={() => {
            close();
            deletions.reload();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

function Events({ uuid, isAnonymous }: { uuid: string; isAnonymous: boolean }) {
  return (
    <div class="stack">
      <p class="caption">
        {isAnonymous
          ? "Anonymous visitors have no profile. These are this visitor's events:"
          : "This person was deleted, or their events came without a profile. Stored events:"}
      </p>
      <Timeline personId={uuid} />
    </div>
  );
}

/** Nothing is stored of a person: why that may be, and the way to the others. */
export function UnknownPerson() {
  return (
    <Empty icon="persons" title="This person doesn't exist">
      <p>They were deleted, were merged into someone else, or never sent an event.</p>
      <ButtonLink href={href("persons")}>All people</ButtonLink>
    </Empty>
  );
}
