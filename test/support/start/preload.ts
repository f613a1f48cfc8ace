// Bun runs this before each test file.
import { afterAll, setDefaultTimeout } from "bun:test";
import { removeEngine } from "../disk/engine.ts";
import { TEST_MS_MAX } from "./patience.ts";

setDefaultTimeout(TEST_MS_MAX);
afterAll(removeEngine);
