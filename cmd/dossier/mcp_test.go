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

// program is the program under test as a command of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "DOSSIER_CONFIG=", "DOSSIER_TOKEN=")
	return cmd
}

// assistant starts the program as another assistant does, and returns the names of the
// tools it is offered.
func assistant(t *testing.T, args ...string) (*sdk.ClientSession, []string) {
	t.Helper()
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: program(t, args...)}, nil)
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
	return s, names
}

// Another assistant starts the program and uses the tools over its standard input and
// output.
func TestMCPOverStdio(t *testing.T) {
	t.Parallel()
	s, names := assistant(t, "--data", t.TempDir(), "mcp", "--app", "gatepass")
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

// What an app serves to others answers by itself; what an agent does in its own case is
// not to be had, and nobody's list of cases fills with calls.
func TestMCPOfEveryApp(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if out, err := program(t, "--data", data, "demo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, names := assistant(t, "--data", data, "mcp")
	for _, inside := range []string{"poolpatrol_close_case", "poolpatrol_cancel_membership", "airshed_close_case_tool", "airshed_send_caqm_report_tool", "netra_adopt_weights", "report_write_section_draft"} {
		if slices.Contains(names, inside) {
			t.Errorf("%s is served, and there is no case for it", inside)
		}
	}
	for _, c := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"airshed_read_correlated_data_tool", map[string]any{"bucket_name": "lake"}, `"station":"Anand Vihar"`},
		{"netra_score_district", map[string]any{"district": "Nowhere"}, "Unknown district"},
		{"poolpatrol_get_employee_shifts", map[string]any{"vanpool_id": "VP-102", "employee_ids": []string{"EMP-1007"}}, `"affected_employee_ids":["EMP-1006"]`},
		{"report_get_section_charts", map[string]any{"section_id": "industry"}, `"chart_id":"industry_energy_use_by_fuel"`},
		{"gatepass_list_pending_gate_passes", map[string]any{}, "GP-"},
		{"gatepass_scan_exit", map[string]any{"pass_number": "GP-2026-0001", "photo": "x"}, "waits for a person"},
	} {
		res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			t.Errorf("%s: %v", c.tool, err)
			continue
		}
		if text, ok := res.Content[0].(*sdk.TextContent); !ok || !strings.Contains(text.Text, c.want) {
			t.Errorf("%s: got %+v, want %s", c.tool, res.Content[0], c.want)
		}
	}
	out, err := program(t, "--data", data, "cases").Output()
	if n := strings.Count(string(out), " mcp/"); err != nil || n != 1 {
		t.Errorf("%d calls are in the list of cases (%v), want the one that waits:\n%s", n, err, out)
	}
}
