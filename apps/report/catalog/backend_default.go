//go:build !duckdb

package catalog

import "context"

// HasSQL says whether this build answers SQL.
const HasSQL = false

// NewBackend returns the backend of this build: memory.
func NewBackend(_ context.Context, c *Catalog) (Backend, error) { return &Memory{Catalog: c}, nil }
