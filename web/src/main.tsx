import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { whenSignedOut } from "./api/client";
import { Problem } from "./api/problem";
import { App } from "./router";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/shell.css";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 2 && error instanceof Problem && (error.status === 0 || error.status >= 500),
    },
  },
});
whenSignedOut(() => void client.invalidateQueries({ queryKey: ["session"] }));

const root = document.getElementById("root");
if (!root) throw new Error("The page has no place for the console.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
