/** Fills the event store of a directory with data sets, some of whose properties get columns. */
import { dataSets, firstProjects } from "./data-sets.ts";

await using _stored = await dataSets(firstProjects(Number(process.argv[3])), process.argv[2]);
