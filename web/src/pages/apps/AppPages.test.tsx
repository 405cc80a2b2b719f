// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Problem } from "../../api/problem";
import AppPages from "./AppPages";

afterEach(cleanup);

/** The page of an app after asking for it failed, with or without an answer from before. */
function page(known: boolean) {
  const client = new QueryClient({ defaultOptions: { queries: { retryOnMount: false, staleTime: Infinity } } });
  client.setQueryData(["session"], { signed_in: true, user: { name: "gopal", roles: ["gate"] } });
  client.setQueryData(["app-module", "gatepass"], { pages: [{ path: "", title: "Gate", element: <p>the gate at work</p> }] });
  if (known) client.setQueryData(["apps", "gatepass"], { id: "gatepass", title: "Gate Pass", doc: "", chat: [], mine: [] });
  client.getQueryCache().build(client, { queryKey: ["apps", "gatepass"] }).setState({ status: "error", error: new Problem(0, ""), errorUpdateCount: 1 });
  history.replaceState(null, "", "/apps/gatepass");
  render(<QueryClientProvider client={client}><AppPages id="gatepass" /></QueryClientProvider>);
}

it("leaves an app's page open when the server goes away", async () => {
  page(true);
  await screen.findByText("the gate at work");
  expect(screen.queryByText("The server cannot be reached.")).toBeNull();
});

it("says that the server is away when there is nothing to show", async () => {
  page(false);
  await screen.findByText("The server cannot be reached.");
});
