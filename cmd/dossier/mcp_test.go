package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"dossier/apps/gatepass/operation"
)

// Another assistant starts the program and uses the tools over its standard input and
// output.
func TestMCPOverStdio(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "--data", t.TempDir(), "mcp", "--app", "gatepass")
	cmd.Env = append(os.Environ(), asProgram+"=1", "DOSSIER_CONFIG=", "DOSSIER_TOKEN=")
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // the process is killed if it does not end
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tl := range list.Tools {
		names = append(names, tl.Name)
	}
	for _, o := range operation.All {
		if !slices.Contains(names, o.Name) {
			t.Errorf("G-053 the operator, who holds every role, is not offered %s but %v", o.Name, names)
		}
	}
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_pending_gate_passes", Arguments: map[string]any{}})
	if err != nil || res.IsError {
		t.Fatalf("call: %+v %v", res, err)
	}
	if text, ok := res.Content[0].(*sdk.TextContent); !ok || !strings.Contains(text.Text, "There are no pending passes") {
		t.Errorf("answer: %+v", res.Content)
	}
	if res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "approve_gate_pass", Arguments: map[string]any{}}); err == nil && !res.IsError {
		t.Errorf("G-086 a call without its arguments is made: %+v", res)
	}
}
