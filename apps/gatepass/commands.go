package gatepass

import (
	"github.com/spf13/cobra"

	"dossier/internal/app"
)

func commands(c app.CLI) []*cobra.Command { return nil }
