import { expect, test } from "vitest";
import { jobPath } from "./client";

test("slashes of a job's namespace and name stay within their parts", () => {
  expect(jobPath("https://airflow.example/x", "a/runs")).toBe("jobs/https%3A%2F%2Fairflow.example%2Fx/a%2Fruns");
  expect(jobPath("n", "50%25 + ?#")).toBe("jobs/n/50%2525%20%2B%20%3F%23");
});
