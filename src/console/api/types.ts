// Written by `bun scripts/build/docs.ts`.

export interface paths {
    "/i/v0/e/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["capture_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/batch/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["capture_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/logs/query/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["logs_query"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/values/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_values"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_retrieve"];
        put?: never;
        post?: never;
        delete: operations["persons_destroy"];
        options?: never;
        head?: never;
        patch: operations["persons_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/update_property/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["persons_update_property"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/delete_property/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["persons_delete_property"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/split/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["persons_split"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/bulk_delete/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["persons_bulk_delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/delete_events/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["persons_delete_events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/merges/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_merges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/activity/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_activity_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/deletion_status/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_deletion_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/deletions/{deletion_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_deletions_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/deletions/{deletion_id}/cancel/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["persons_deletions_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/{id}/deletion_preview/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_deletion_preview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/persons/deletion_preview/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["persons_deletion_preview_of_distinct_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/session_recording_playlists/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["playlists_list"];
        put?: never;
        post: operations["playlists_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/session_recording_playlists/{short_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["playlists_retrieve"];
        put?: never;
        post?: never;
        delete: operations["playlists_destroy"];
        options?: never;
        head?: never;
        patch: operations["playlists_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/session_recording_playlists/{short_id}/recordings/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["playlists_recordings_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/session_recording_playlists/{short_id}/recordings/{session_recording_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["playlists_recordings_create"];
        delete: operations["playlists_recordings_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/annotations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["annotations_list"];
        put?: never;
        post: operations["annotations_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/annotations/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["annotations_retrieve"];
        put?: never;
        post?: never;
        delete: operations["annotations_destroy"];
        options?: never;
        head?: never;
        patch: operations["annotations_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_list"];
        put?: never;
        post: operations["dashboards_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/dashboards/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["dashboards_retrieve"];
        put?: never;
        post?: never;
        delete: operations["dashboards_destroy"];
        options?: never;
        head?: never;
        patch: operations["dashboards_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/max_tools/create_and_query_insight/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["insights_create_and_query"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/query/draft_sql/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["query_draft_sql"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["insights_list"];
        put?: never;
        post: operations["insights_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/insights/{short_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["insights_retrieve"];
        put?: never;
        post?: never;
        delete: operations["insights_destroy"];
        options?: never;
        head?: never;
        patch: operations["insights_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/query/read/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["query_read"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/query/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["query_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/query/{client_query_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["query_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/query/schema/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["query_schema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/events/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/events/values/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events_values"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/events/{uuid}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/events/live/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events_live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/event_definitions/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["event_definitions_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/property_definitions/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["property_definitions_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/event_definitions/{name}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["event_definitions_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["event_definitions_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/property_definitions/{name}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["property_definitions_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["property_definitions_partial_update"];
        trace?: never;
    };
    "/api/environments/{project_id}/groups/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["groups_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/groups_types/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["groups_types_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/groups/find/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["groups_find"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/groups/values/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["groups_values"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/environments/{project_id}/ingestion_warnings/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["ingestion_warnings_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["projects_list"];
        put?: never;
        post: operations["projects_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/projects/{project_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["projects_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["projects_update"];
        trace?: never;
    };
    "/api/projects/{project_id}/reset_token/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["projects_reset_token"];
        trace?: never;
    };
    "/api/projects/{project_id}/status/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["projects_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personal_api_keys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["personal_api_keys_list"];
        put?: never;
        post: operations["personal_api_keys_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/personal_api_keys/{id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["personal_api_keys_retrieve"];
        put?: never;
        post?: never;
        delete: operations["personal_api_keys_destroy"];
        options?: never;
        head?: never;
        patch: operations["personal_api_keys_update"];
        trace?: never;
    };
    "/api/personal_api_keys/{id}/roll/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["personal_api_keys_roll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/@me/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["users_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/projects/{project_id}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_projects_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{organization_id}/projects/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["organizations_projects_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["metrics_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Captured: {
            /** @constant */
            status: "Ok";
        };
        LogQuery: {
            dateRange?: {
                date_from?: string | null;
                date_to?: string | null;
            };
            severityLevels?: string[];
            serviceNames?: string[];
            searchTerm?: string | null;
            filterGroup?: unknown;
            orderBy?: ("latest" | "earliest") | null;
            limit?: number | null;
            offset?: number | null;
            after?: string | null;
        };
        LogQueryBody: {
            query?: components["schemas"]["LogQuery"];
        };
        LogRecord: {
            /** Format: uuid */
            uuid: string;
            /** Format: date-time */
            timestamp: string;
            /** Format: date-time */
            observed_timestamp: string;
            severity_text: string;
            severity_number: number;
            /** @enum {string} */
            level: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
            service_name: string;
            body: string;
            attributes: {
                [key: string]: unknown;
            };
            resource_attributes: {
                [key: string]: unknown;
            };
            trace_id: string;
            span_id: string;
            instrumentation_scope: {
                [key: string]: unknown;
            };
            event_name: string;
        };
        LogPage: {
            query: {
                [key: string]: unknown;
            };
            results: components["schemas"]["LogRecord"][];
            hasMore: boolean;
            nextCursor: string | null;
        };
        Person: {
            id: number;
            name: string;
            distinct_ids: string[];
            properties: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            uuid: string;
        };
        PersonPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Person"][];
        };
        PropertyValues: {
            results: {
                name: string;
                count: number;
            }[];
            /** @constant */
            refreshing: false;
        };
        PersonProperties: {
            properties: unknown;
        };
        PersonProperty: {
            key: string;
            value: unknown;
        };
        PersonUnset: {
            $unset?: string | string[];
            properties?: unknown;
        };
        Success: {
            /** @constant */
            success: true;
        };
        PersonSplit: {
            main_distinct_id?: string;
            distinct_ids_to_split?: string[];
        };
        PersonBulkDelete: {
            ids?: (number | string)[];
            distinct_ids?: string[];
            delete_events?: boolean;
            keep_person?: boolean;
        };
        PersonsDeleted: {
            persons_found: number;
            ids_not_found: number;
            persons_deleted: number;
            events_queued_for_deletion: number;
            recordings_queued_for_deletion: number;
            deletion_errors: {
                person_uuid: string;
            }[];
        };
        PersonUnused: {
            properties?: unknown;
        };
        PersonMerge: {
            id: number;
            at: string | null;
            by: {
                first_name: string;
                email: string | null;
                is_system: boolean;
            };
            /** Format: uuid */
            event_uuid: string;
            source: {
                /** Format: uuid */
                uuid: string;
                name: string;
                distinct_ids: string[];
            };
            undoable: boolean;
            distinct_ids_to_split: string[];
            preview: {
                gives_back: string[];
                events: number;
            };
        };
        Activity: {
            id: number;
            user: {
                first_name: string;
                email: string | null;
                is_system: boolean;
            };
            activity: string;
            /** @constant */
            scope: "Person";
            item_id: string;
            detail: {
                /** Format: uuid */
                id: string;
                changes: {
                    /** @constant */
                    type: "Person";
                    action: string;
                    field: string;
                    before: unknown;
                    after: unknown;
                }[];
                merge: {
                    [key: string]: unknown;
                } | null;
                trigger: {
                    [key: string]: unknown;
                } | null;
                name: string;
            };
            /** Format: date-time */
            created_at: string;
        };
        ActivityPage: {
            results: components["schemas"]["Activity"][];
            next: string | null;
            previous: string | null;
            total_count: number;
        };
        Deletion: {
            id: number;
            /** Format: uuid */
            person_uuid: string;
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            status: "pending" | "completed" | "failed" | "cancelled";
            delete_verified_at: string | null;
            /** @enum {string} */
            kind: "weekly" | "nightly";
            attempts: number;
            error: string | null;
            counts: {
                [key: string]: unknown;
            } | null;
        };
        DeletionPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Deletion"][];
        };
        DeletionReceipt: {
            id: number;
            project_id: number;
            /** Format: uuid */
            person_uuid: string;
            /** @enum {string} */
            kind: "weekly" | "nightly";
            requested_by: number;
            requested_by_email: string | null;
            /** Format: date-time */
            requested_at: string;
            /** @enum {string} */
            state: "queued" | "running" | "done" | "failed" | "cancelled";
            attempts: number;
            error: string | null;
            started_at: string | null;
            finished_at: string | null;
            counts: {
                [key: string]: unknown;
            } | null;
            places: {
                count: number;
                results: {
                    /** @enum {string} */
                    kind: "annotation" | "dashboard" | "insight" | "playlist";
                    id: number;
                    short_id?: string;
                }[];
            } | null;
        };
        DeletionPreview: {
            events: number;
            logs: number;
            warnings: number;
            insights_naming: {
                count: number;
                results: {
                    /** @enum {string} */
                    kind: "annotation" | "dashboard" | "insight" | "playlist";
                    id: number;
                    short_id?: string;
                }[];
            };
            runs_at: {
                weekly: string | null;
                nightly: string | null;
            };
        };
        User: {
            id: number;
            /** Format: uuid */
            uuid: string;
            distinct_id: string;
            first_name: string;
            last_name: string;
            /** Format: email */
            email: string;
            is_email_verified: boolean;
            hedgehog_config: {
                [key: string]: unknown;
            };
            role_at_organization: string;
        };
        Playlist: {
            id: number;
            short_id: string;
            name: string;
            derived_name: string;
            description: string;
            pinned: boolean;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"];
            deleted: boolean;
            filters: unknown;
            /** Format: date-time */
            last_modified_at: string;
            last_modified_by: components["schemas"]["User"];
            recordings_counts: {
                [key: string]: {
                    [key: string]: number;
                };
            };
            /** @enum {string} */
            type: "collection" | "filters";
        };
        PlaylistPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Playlist"][];
        };
        PlaylistDraft: {
            name?: string | null;
            derived_name?: string | null;
            description?: string;
            pinned?: boolean;
            deleted?: boolean;
            filters?: unknown;
            _create_in_folder?: string;
            /** @enum {string} */
            type?: "collection" | "filters";
        };
        PlaylistFields: {
            name?: string | null;
            derived_name?: string | null;
            description?: string;
            pinned?: boolean;
            deleted?: boolean;
            filters?: unknown;
            _create_in_folder?: string;
        };
        PlaylistRecording: {
            id: string;
            /** Format: date-time */
            added_at: string;
        };
        PlaylistRecordings: {
            results: components["schemas"]["PlaylistRecording"][];
            has_next: boolean;
            next: string | null;
            /** @constant */
            version: 4;
        };
        Annotation: {
            id: number;
            content: string;
            /** Format: date-time */
            date_marker: string;
            /** @enum {string} */
            scope: "project" | "dashboard_item";
            dashboard_item: number | null;
            deleted: boolean;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"];
            /** Format: date-time */
            updated_at: string;
        };
        AnnotationPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Annotation"][];
        };
        AnnotationDraft: {
            content: string;
            date_marker?: string;
            /** @enum {string} */
            scope?: "project" | "dashboard_item";
            dashboard_item?: number | null;
        };
        AnnotationChange: {
            content?: string;
            date_marker?: string;
            /** @enum {string} */
            scope?: "project" | "dashboard_item";
            dashboard_item?: number | null;
            deleted?: boolean;
        };
        DashboardListed: {
            id: number;
            name: string;
            description: string;
            tags: string[];
            pinned: boolean;
            deleted: boolean;
            filters: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"];
            /** Format: date-time */
            last_modified_at: string;
            last_modified_by: components["schemas"]["User"];
        };
        DashboardListedPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["DashboardListed"][];
        };
        DashboardTileSent: {
            id?: number;
            insight?: (number | {
                id: number;
            }) | null;
            text?: {
                body: string;
            } | null;
            layouts?: {
                sm?: {
                    x: number;
                    y: number;
                    w: number;
                    h: number;
                };
                xs?: {
                    x: number;
                    y: number;
                    w: number;
                    h: number;
                };
            };
            color?: string | null;
            deleted?: boolean;
        };
        DashboardDraft: {
            name?: string;
            description?: string;
            tags?: string[];
            _create_in_folder?: string;
            pinned?: boolean;
            filters?: {
                [key: string]: unknown;
            };
            tiles?: components["schemas"]["DashboardTileSent"][];
            /** @enum {string} */
            use_template?: "website";
        };
        Insight: {
            id: number;
            short_id: string;
            name: string;
            description: string;
            query: {
                [key: string]: unknown;
            };
            tags: string[];
            favorited: boolean;
            saved: boolean;
            dashboards: number[];
            deleted: boolean;
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"];
            /** Format: date-time */
            last_modified_at: string;
            last_modified_by: components["schemas"]["User"];
            /** Format: date-time */
            updated_at: string;
            derived_name: string | null;
            filters: {
                [key: string]: unknown;
            };
        };
        DashboardTile: {
            id: number;
            order: number;
            insight: components["schemas"]["Insight"] | null;
            text: {
                body: string;
            } | null;
            layouts: {
                sm?: {
                    x: number;
                    y: number;
                    w: number;
                    h: number;
                };
                xs?: {
                    x: number;
                    y: number;
                    w: number;
                    h: number;
                };
            };
            color: string | null;
        };
        Dashboard: {
            id: number;
            name: string;
            description: string;
            tags: string[];
            pinned: boolean;
            deleted: boolean;
            filters: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            created_by: components["schemas"]["User"];
            /** Format: date-time */
            last_modified_at: string;
            last_modified_by: components["schemas"]["User"];
            tiles: components["schemas"]["DashboardTile"][];
        };
        DashboardChange: {
            name?: string;
            description?: string;
            tags?: string[];
            _create_in_folder?: string;
            pinned?: boolean;
            filters?: {
                [key: string]: unknown;
            };
            tiles?: components["schemas"]["DashboardTileSent"][];
            deleted?: boolean;
        };
        InsightAsked: {
            query: unknown;
            insight_type?: string;
            name?: string;
        };
        InsightResult: {
            label: string;
            breakdown_value: (string | string[]) | null;
            data: (number | null)[];
            aggregated_value: number | null;
            event?: string | null;
            math?: string;
            math_property?: string | null;
            /** @enum {string} */
            unit?: "percent" | "seconds";
            /** @enum {string} */
            compare_label?: "current" | "previous";
            currency?: string;
            /** @constant */
            is_small?: true;
            change_percent?: number | null;
            change_points?: number | null;
            days?: string[];
            labels?: string[];
            count?: number;
            average_conversion_times?: (number | null)[];
            median_conversion_times?: (number | null)[];
            source?: string;
            target?: string;
            reached_from_step_count?: number[];
            reached_to_step_count?: number[];
            average_conversion_time?: number | null;
            median_conversion_time?: number | null;
        };
        InsightAnswer: {
            insight: components["schemas"]["Insight"];
            columns: string[];
            results: components["schemas"]["InsightResult"][];
            sql: string;
            elapsed_ms: number;
            query: {
                [key: string]: unknown;
            };
            explanation: string;
            sentence: string | null;
            /** Format: date-time */
            calculated_at: string;
            warnings?: string[];
            other_readings?: string[];
        };
        InsightTableAnswer: {
            insight: components["schemas"]["Insight"];
            columns: string[];
            types: string[][];
            results: unknown[][];
            hasMore: boolean;
            limit: number;
            offset: number;
            query: {
                [key: string]: unknown;
            };
            sentence: string;
            explanation: string;
            /** Format: date-time */
            calculated_at: string;
            warnings?: string[];
            elapsed_ms: number;
        };
        DraftSql: {
            sql: string;
        };
        InsightPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Insight"][];
        };
        InsightSaved: {
            name?: string;
            description?: string;
            tags?: string[];
            _create_in_folder?: string;
            favorited?: boolean;
            saved?: boolean;
            dashboards?: number[];
            query: unknown;
        };
        InsightChange: {
            name?: string;
            description?: string;
            tags?: string[];
            _create_in_folder?: string;
            favorited?: boolean;
            saved?: boolean;
            dashboards?: number[];
            query?: unknown;
            deleted?: boolean;
        };
        WordsAsked: {
            words?: string;
            query?: unknown;
        };
        WordsRead: {
            query: {
                [key: string]: unknown;
            } | null;
            sentence: string | null;
            explanation: string | null;
            parts: {
                role: string;
                start: number;
                end: number;
            }[];
            readings: {
                sentence: string;
                query: {
                    [key: string]: unknown;
                };
            }[];
            unknown: {
                start: number;
                end: number;
            }[];
            suggestions: string[];
        };
        QueryAsked: {
            query: {
                /** @enum {string} */
                kind: "HogQLQuery" | "SQLQuery";
                query: string;
                filters?: Record<string, never>;
                variables?: Record<string, never>;
                values?: Record<string, never>;
            } | {
                /** @enum {string} */
                kind: "WordsQuery";
                query: string;
            } | {
                /** @enum {string} */
                kind: "TrendsQuery" | "FunnelsQuery" | "RetentionQuery" | "PathsQuery" | "LifecycleQuery" | "StickinessQuery";
            } | {
                /** @enum {string} */
                kind: "InsightVizNode" | "DataTableNode" | "DataVisualizationNode";
                source: Record<string, never>;
            } | {
                /** @enum {string} */
                kind: "ActorsQuery" | "EventsQuery";
                select?: string[];
                search?: string;
                properties?: Record<string, never>[];
                where?: string[];
                event?: string;
                events?: string[];
                personId?: string | number;
                after?: string;
                before?: string;
                orderBy?: string[];
                limit?: number;
                offset?: number;
            } | {
                /** @enum {string} */
                kind: "ActorsQuery";
                source: {
                    /** @enum {string} */
                    kind: "InsightActorsQuery" | "FunnelsActorsQuery" | "StickinessActorsQuery";
                    source: Record<string, never>;
                    day?: string | number;
                    series?: number;
                    breakdown?: string | string[];
                    /** @enum {string} */
                    compare?: "current" | "previous";
                    interval?: number;
                    /** @enum {string} */
                    status?: "new" | "returning" | "resurrecting" | "dormant";
                    funnelStep?: number;
                    funnelStepBreakdown?: string | string[];
                    funnelTrendsEntrancePeriodStart?: string;
                    funnelTrendsDropOff?: boolean;
                };
                limit?: number;
                offset?: number;
                search?: string;
            };
            client_query_id?: string;
            refresh?: boolean | null | "async" | "async_except_on_cache_miss" | "blocking" | "force_async" | "force_blocking" | "force_cache" | "lazy_async";
            async?: boolean | null;
            name?: string | null;
            dashboard?: number;
            filters_override?: {
                [key: string]: unknown;
            };
        };
        QueryAnswer: {
            columns: string[];
            types: string[][];
            results: unknown[][];
            hogql: string;
            limit: number;
            offset: number;
            hasMore: boolean;
        };
        InsightReport: {
            columns: string[];
            results: components["schemas"]["InsightResult"][];
            sql: string;
            elapsed_ms: number;
            query: {
                [key: string]: unknown;
            };
            explanation: string;
            sentence: string | null;
            /** Format: date-time */
            calculated_at: string;
            warnings?: string[];
            other_readings?: string[];
        };
        InsightActors: {
            columns: string[];
            results: ((components["schemas"]["Person"] | null) | number | string)[][];
            count: number;
            hasMore: boolean;
            offset: number;
            /** Format: date-time */
            calculated_at: string;
        };
        InsightTable: {
            columns: string[];
            types: string[][];
            results: unknown[][];
            hasMore: boolean;
            limit: number;
            offset: number;
            query: {
                [key: string]: unknown;
            };
            sentence: string;
            explanation: string;
            /** Format: date-time */
            calculated_at: string;
            warnings?: string[];
            elapsed_ms: number;
        };
        SqlSchema: {
            tables: {
                name: string;
                columns: {
                    name: string;
                    type: string;
                    about: string | null;
                }[];
            }[];
            types: string[];
            functions: string[];
            words: string[];
        };
        Event: {
            /** Format: uuid */
            uuid: string;
            event: string;
            distinct_id: string;
            /** Format: uuid */
            person_id: string;
            /** Format: date-time */
            timestamp: string;
            properties: {
                [key: string]: unknown;
            };
        };
        EventPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Event"][];
        };
        EventDetail: {
            /** Format: uuid */
            uuid: string;
            event: string;
            distinct_id: string;
            /** Format: uuid */
            person_id: string;
            /** Format: date-time */
            timestamp: string;
            properties: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            ingested_at: string;
            person: components["schemas"]["Person"] | null;
        };
        EventDefinition: {
            /** Format: uuid */
            id: string;
            name: string;
            count: number;
            first_seen_at: string | null;
            last_seen_at: string | null;
            description: string;
            also_called: string[];
            tags: string[];
            verified: boolean;
        };
        EventDefinitionPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["EventDefinition"][];
        };
        PropertyDefinition: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            type: "event" | "person" | "group";
            property_type: ("Boolean" | "DateTime" | "Numeric" | "String") | null;
            is_numerical: boolean;
            count: number;
            last_seen_at: string | null;
            description: string;
            also_called: string[];
            tags: string[];
            verified: boolean;
        };
        PropertyDefinitionPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["PropertyDefinition"][];
        };
        DefinitionChange: {
            description?: string;
            also_called?: string[];
            tags?: string[];
            verified?: boolean;
        };
        Group: {
            group_type_index: number;
            group_key: string;
            group_properties: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
        };
        GroupPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Group"][];
        };
        GroupType: {
            group_type: string;
            group_type_index: number;
        };
        IngestionWarning: {
            type: string;
            /** @enum {string} */
            severity: "error" | "warning" | "info";
            meaning: string;
            count: number;
            /** Format: date-time */
            first_at: string;
            /** Format: date-time */
            last_at: string;
            samples: {
                /** Format: date-time */
                at: string;
                count: number;
                event_uuid: string | null;
                distinct_id: string | null;
            }[];
        };
        IngestionWarningPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["IngestionWarning"][];
        };
        Project: {
            id: number;
            /** Format: uuid */
            uuid: string;
            /** Format: uuid */
            organization: string;
            name: string;
            api_token: string;
            former_api_tokens: {
                api_token: string;
                /** Format: date-time */
                ends_at: string;
            }[];
            timezone: string;
            /** Format: date-time */
            created_at: string;
        };
        ProjectPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Project"][];
        };
        ProjectDraft: {
            name: string;
            timezone?: string;
        };
        ProjectChanges: {
            name?: string;
            timezone?: string;
        };
        TokenReset: {
            grace_hours?: number;
        };
        ProjectStatus: {
            first_event_at: string | null;
            last_event_at: string | null;
            events_last_minute: number;
            waiting: number;
            lag_ms: number;
            arrivals: {
                minutes: number;
                accepted: number;
                dropped: number;
                refused: {
                    /** Format: date-time */
                    at: string;
                    count: number;
                    status: number;
                    code: string;
                    method: string;
                    path: string;
                    sdk: string | null;
                    origin: string | null;
                    key_mask: string | null;
                }[];
            };
            warnings: {
                type: string;
                /** @enum {string} */
                severity: "error" | "warning" | "info";
                meaning: string;
                count: number;
                /** Format: date-time */
                first_at: string;
                /** Format: date-time */
                last_at: string;
            }[];
            advice: {
                code: string;
                text: string;
            }[];
            server: {
                version: string;
                ready: boolean;
                reasons: string[];
                disk_free: number | null;
                stores: {
                    events: number;
                    loads: number;
                    sqlite: number;
                    journal: number;
                };
                schedules: {
                    /** @enum {string} */
                    kind: "weekly" | "nightly";
                    cron: string;
                    next_run_at: string | null;
                    last_run_at: string | null;
                }[];
            };
        };
        PersonalApiKey: {
            id: number;
            user_id: number;
            label: string;
            value: string | null;
            mask_value: string;
            scopes: string[];
            scoped_teams: number[];
            scoped_organizations: string[];
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            last_used_at: string | null;
            last_rolled_at: string | null;
        };
        PersonalApiKeyDraft: {
            label: string;
            scopes: string[];
            scoped_teams?: number[] | null;
            expires_at?: string | null;
        };
        PersonalApiKeyChanges: {
            label?: string;
            scopes?: string[];
            scoped_teams?: number[] | null;
            expires_at?: string | null;
        };
        Organization: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        Owner: {
            id: number;
            /** Format: uuid */
            uuid: string;
            distinct_id: string;
            first_name: string;
            last_name: string;
            /** Format: email */
            email: string;
            is_email_verified: boolean;
            hedgehog_config: {
                [key: string]: unknown;
            };
            role_at_organization: string;
            organization: components["schemas"]["Organization"];
            organizations: components["schemas"]["Organization"][];
            team: {
                id: number;
                /** Format: uuid */
                uuid: string;
                /** Format: uuid */
                organization: string;
                name: string;
                timezone: string;
            } | null;
        };
        OrganizationPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Organization"][];
        };
        OrganizationProjectPage: {
            count: number;
            next: string | null;
            previous: string | null;
            results: components["schemas"]["Project"][];
        };
        Problem: {
            type: string;
            code: string;
            detail: string;
            attr: string | null;
        };
    };
    responses: {
        400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        401: {
            headers: {
                "WWW-Authenticate"?: "Bearer";
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        408: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        429: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        503: {
            headers: {
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
        504: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Problem"];
                "text/plain": string;
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    capture_event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    api_key: string;
                    distinct_id: string;
                    event: string;
                    properties?: {
                        [key: string]: unknown;
                    };
                    timestamp?: string;
                    /** Format: uuid */
                    uuid?: string;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captured"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    capture_batch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    api_key: string;
                    historical_migration?: boolean;
                    batch: {
                        event: string;
                        properties?: {
                            [key: string]: unknown;
                        };
                        timestamp?: string;
                        /** Format: uuid */
                        uuid?: string;
                        distinct_id?: string;
                    }[];
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Captured"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
        };
    };
    logs_query: {
        parameters: {
            query?: never;
            header?: {
                Prefer?: "return=minimal" | "return=representation";
            };
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LogQueryBody"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    persons_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                format?: "json" | "csv";
                distinct_id?: string;
                email?: string;
                properties?: string[];
                search?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_values: {
        parameters: {
            query: {
                key: string;
                value?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyValues"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_retrieve: {
        parameters: {
            query?: {
                format?: "json" | "csv";
            };
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Person"];
                    "text/csv": string;
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_destroy: {
        parameters: {
            query?: {
                format?: "json" | "csv";
                delete_events?: boolean;
                keep_person?: boolean;
            };
            header?: {
                Prefer?: "return=minimal" | "return=representation";
                "If-Match"?: string;
            };
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                    "text/csv": string;
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_partial_update: {
        parameters: {
            query?: {
                format?: "json" | "csv";
            };
            header?: {
                "If-Match"?: string;
            };
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonProperties"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Person"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_update_property: {
        parameters: {
            query?: {
                format?: "json" | "csv";
            };
            header?: {
                Prefer?: "return=minimal" | "return=representation";
            };
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonProperty"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Person"];
                    "text/csv": string;
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_delete_property: {
        parameters: {
            query?: {
                format?: "json" | "csv";
                $unset?: string;
            };
            header?: never;
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PersonUnset"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_split: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PersonSplit"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_bulk_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonBulkDelete"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonsDeleted"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_delete_events: {
        parameters: {
            query?: {
                format?: "json" | "csv";
            };
            header?: {
                Prefer?: "return=minimal" | "return=representation";
            };
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PersonUnused"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    persons_merges: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonMerge"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_activity: {
        parameters: {
            query?: {
                format?: "json" | "csv";
                limit?: number;
                page?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_activity_retrieve: {
        parameters: {
            query?: {
                format?: "json" | "csv";
                limit?: number;
                page?: number;
                cursor?: string;
            };
            header?: {
                Prefer?: "return=minimal" | "return=representation";
            };
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    persons_deletion_status: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                status?: "pending" | "completed" | "failed" | "cancelled" | "all";
                person_uuid?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_deletions_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                deletion_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionReceipt"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_deletions_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                deletion_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionReceipt"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_deletion_preview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                id: number | string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionPreview"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    persons_deletion_preview_of_distinct_id: {
        parameters: {
            query: {
                distinct_id: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionPreview"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    playlists_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                created_by?: number;
                short_id?: string;
                search?: string;
                pinned?: boolean;
                type?: "collection" | "filters";
                deleted?: boolean;
                date_from?: string;
                date_to?: string;
                order?: "last_modified_at" | "-last_modified_at" | "created_at" | "-created_at" | "name" | "-name";
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlaylistPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    playlists_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PlaylistDraft"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Playlist"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    playlists_retrieve: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                project_id: string;
                short_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Playlist"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    playlists_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                short_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    playlists_partial_update: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                project_id: string;
                short_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PlaylistFields"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Playlist"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    playlists_recordings_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
            };
            header?: {
                Prefer?: "return=minimal" | "return=representation";
            };
            path: {
                project_id: string;
                short_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlaylistRecordings"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    playlists_recordings_create: {
        parameters: {
            query?: never;
            header?: {
                Prefer?: "return=minimal" | "return=representation";
            };
            path: {
                project_id: string;
                short_id: string;
                session_recording_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PlaylistFields"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    playlists_recordings_destroy: {
        parameters: {
            query?: never;
            header?: {
                Prefer?: "return=minimal" | "return=representation";
            };
            path: {
                project_id: string;
                short_id: string;
                session_recording_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Success"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    annotations_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                scope?: "project" | "dashboard_item";
                dashboard_item?: number;
                date_from?: string;
                date_to?: string;
                deleted?: boolean;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnnotationPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    annotations_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnnotationDraft"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Annotation"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    annotations_retrieve: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                project_id: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Annotation"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    annotations_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    annotations_partial_update: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                project_id: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AnnotationChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Annotation"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    dashboards_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                search?: string;
                tags?: string;
                pinned?: boolean;
                created_by?: number;
                deleted?: boolean;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DashboardListedPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    dashboards_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DashboardDraft"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    dashboards_retrieve: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                project_id: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    dashboards_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    dashboards_partial_update: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                project_id: string;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DashboardChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Dashboard"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    insights_create_and_query: {
        parameters: {
            query?: {
                format?: "json" | "txt";
            };
            header?: {
                Prefer?: "return=minimal" | "return=representation";
            };
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InsightAsked"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InsightAnswer"] | components["schemas"]["InsightTableAnswer"];
                    "text/plain": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    query_draft_sql: {
        parameters: {
            query?: {
                prompt?: string;
            };
            header?: {
                Prefer?: "return=minimal" | "return=representation";
            };
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftSql"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    insights_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                search?: string;
                short_id?: string;
                tags?: string;
                dashboards?: string;
                favorited?: boolean;
                saved?: boolean;
                created_by?: number;
                deleted?: boolean;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InsightPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    insights_create: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InsightSaved"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    insights_retrieve: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                project_id: string;
                short_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    insights_destroy: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                project_id: string;
                short_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    insights_partial_update: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                project_id: string;
                short_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InsightChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Insight"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    query_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WordsAsked"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WordsRead"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    query_create: {
        parameters: {
            query?: {
                format?: "json" | "csv" | "txt";
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QueryAsked"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueryAnswer"] | components["schemas"]["InsightReport"] | components["schemas"]["InsightActors"] | components["schemas"]["InsightTable"];
                    "text/csv": string;
                    "text/plain": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    query_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                client_query_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    query_schema: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SqlSchema"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    events_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                event?: string;
                distinct_id?: string;
                person_id?: string;
                uuid?: string;
                after?: string;
                before?: string;
                orderBy?: string;
                properties?: string[];
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    events_values: {
        parameters: {
            query: {
                key: string;
                value?: string;
                event_name?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyValues"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    events_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDetail"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    events_live: {
        parameters: {
            query?: {
                eventType?: string;
                distinctId?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    event_definitions_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                search?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDefinitionPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    property_definitions_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                search?: string;
                type?: "event" | "person" | "group";
                properties?: string;
                event_names?: string;
                filter_by_event_names?: boolean;
                exclude_core_properties?: boolean;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyDefinitionPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    event_definitions_retrieve: {
        parameters: {
            query?: {
                name?: string;
            };
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                project_id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDefinition"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    event_definitions_partial_update: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                project_id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DefinitionChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDefinition"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    property_definitions_retrieve: {
        parameters: {
            query?: {
                type?: "event" | "person" | "group";
            };
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                project_id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyDefinition"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    property_definitions_partial_update: {
        parameters: {
            query?: {
                type?: "event" | "person";
            };
            header?: {
                "If-Match"?: string;
            };
            path: {
                project_id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DefinitionChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyDefinition"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    groups_list: {
        parameters: {
            query: {
                limit?: number;
                offset?: number;
                cursor?: string;
                group_type_index: number;
                search?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    groups_types_list: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupType"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    groups_find: {
        parameters: {
            query: {
                group_type_index: number;
                group_key: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    groups_values: {
        parameters: {
            query: {
                group_type_index: number;
                key: string;
                value?: string;
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyValues"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    ingestion_warnings_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
                type?: "missing_event_name" | "missing_distinct_id" | "invalid_event" | "message_size_too_large" | "event_nested_too_deep" | "event_has_too_many_keys" | "invalid_event_name" | "invalid_distinct_id" | "invalid_timestamp" | "invalid_options" | "invalid_event_when_process_person_profile_is_false" | "client_ingestion_warning" | "heatmap_not_kept" | "performance_event_not_kept" | "session_recording_not_kept" | "duplicate_uuid" | "unreadable_event" | "cannot_merge_already_identified" | "cannot_merge_with_illegal_distinct_id" | "cannot_merge_with_itself" | "missing_alias" | "ignored_invalid_group" | "ignored_without_profile" | "cookieless_visitor_unknown" | "set_on_groupidentify" | "group_key_too_long" | "person_properties_size_violation" | "too_many_group_types" | "group_properties_size_violation" | "too_many_person_properties" | "too_many_group_properties" | "distinct_id_too_large" | "event_name_too_long" | "ignored_invalid_timestamp" | "ignored_invalid_sent_at" | "event_timestamp_in_future" | "event_timestamp_too_early" | "replaced_invalid_text" | "replaced_infinite_number" | "rounded_unsafe_integer" | "ignored_invalid_set" | "ignored_invalid_unset" | "ignored_event_field" | "replaced_invalid_uuid" | "invalid_process_person_profile" | "invalid_log_record" | "log_record_too_large" | "log_request_too_large" | "unreadable_log" | "ignored_invalid_log_field" | "ignored_invalid_log_time" | "replaced_invalid_log_text" | "changed_log_number";
            };
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestionWarningPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    projects_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    projects_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectDraft"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    projects_retrieve: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    projects_update: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    projects_reset_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TokenReset"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    projects_status: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectStatus"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    personal_api_keys_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"][];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    personal_api_keys_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonalApiKeyDraft"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    personal_api_keys_retrieve: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"];
                };
            };
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    personal_api_keys_destroy: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    personal_api_keys_update: {
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PersonalApiKeyChanges"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    personal_api_keys_roll: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number | "@current";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PersonalApiKey"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    users_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    organizations_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    organizations_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    organizations_projects_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organization_id: string;
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    organizations_projects_list: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                organization_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationProjectPage"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
    metrics_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            429: components["responses"]["429"];
            500: components["responses"]["500"];
            503: components["responses"]["503"];
            504: components["responses"]["504"];
        };
    };
}
