// Bun runs this before each test file.
import { setDefaultTimeout } from "bun:test";
import { TEST_MS_MAX } from "./patience.ts";

setDefaultTimeout(TEST_MS_MAX);
