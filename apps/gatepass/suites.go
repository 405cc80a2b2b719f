package gatepass

import (
	"context"
	"encoding/json"
	"fmt"

	"dossier/apps/gatepass/evals"
	"dossier/apps/gatepass/operation"
	"dossier/internal/eval"
)

func suites() []eval.Suite { return nil }

var _ = context.Background
var _ = json.Valid
var _ = fmt.Sprint
var _ = evals.Load
var _ = operation.For
