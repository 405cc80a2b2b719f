package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"dossier"
	"dossier/apps/report"
	"dossier/apps/report/catalog"

	"dossier/internal/app/apptest"
	"dossier/internal/ledger"
	"dossier/internal/tool"
)

func TestApp(t *testing.T) {
	t.Parallel()
	apptest.Run(t, report.App)
}

// demo opens the app with its demo report, every section drafted.
func demo(t *testing.T, database string) *apptest.Bench {
	t.Helper()
	b := apptest.Open(t, report.App, apptest.Options{Database: database})
	if err := b.Kit.Demo(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.Settle()
	return b
}

func caseOf(t *testing.T, b *apptest.Bench, section string) dossier.Case {
	t.Helper()
	c, err := b.Env.Desk.CaseOf(t.Context(), "demo/"+section)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pendingFor(t *testing.T, b *apptest.Bench, c dossier.CaseID) dossier.Approval {
	t.Helper()
	for _, a := range b.Pending() {
		if a.Case == c {
			return a
		}
	}
	t.Fatalf("nothing waits for case %s", c)
	return dossier.Approval{}
}

func TestDemoIsDraftedAndWaitsForPeople(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			b := demo(t, database)
			t.Run("R-005 R-048 every section", func(t *testing.T) {
				if n := len(b.Pending()); n != 9 {
					t.Errorf("%d sections wait for a reviewer, want 9", n)
				}
			})
			c := caseOf(t, b, "emissions")
			t.Run("R-137 waits before it is final", func(t *testing.T) {
				if c.State != dossier.Waiting || c.Stage != "review" {
					t.Errorf("case %s/%s, want waiting/review", c.State, c.Stage)
				}
				a := pendingFor(t, b, c.ID)
				if a.Tool != "finalize_section" || len(a.Evidence) < 4 {
					t.Errorf("approval %+v", a)
				}
			})
			t.Run("R-086 findings verify", func(t *testing.T) {
				r := b.Verify(c.ID)
				agreed := map[string]bool{}
				for _, f := range r.Checks {
					if f.Agreement == ledger.Agrees {
						agreed[f.Finding.Check] = true
					}
				}
				if !agreed["faith"] || !agreed["coverage"] || !agreed["consistency"] {
					t.Errorf("agreed %v of %+v", agreed, r.Checks)
				}
			})
			t.Run("R-137 final after approval", func(t *testing.T) {
				b.Decide(pendingFor(t, b, c.ID).ID, dossier.Decision{Verb: dossier.Approve})
				done, err := b.Env.Desk.Case(t.Context(), c.ID)
				if err != nil || done.State != dossier.Closed || done.Outcome != "final" {
					t.Errorf("case %+v, %v", done, err)
				}
			})
		})
	}
}

func TestSentBack(t *testing.T) {
	t.Parallel()
	b := demo(t, "sqlite")
	c := caseOf(t, b, "transport")
	b.Decide(pendingFor(t, b, c.ID).ID, dossier.Decision{Verb: dossier.Reject, Note: "Mention the fleet in 2035."})
	runs, err := b.Env.Desk.Runs(t.Context(), c.ID)
	if err != nil || len(runs) != 1 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	var out struct{ Status, Note string }
	if err := json.Unmarshal(runs[0].Answer, &out); err != nil || out.Status != "sent_back" || !strings.Contains(out.Note, "2035") {
		t.Errorf("answer %s, %v", runs[0].Answer, err)
	}
}

// call runs one of the app's tools for a case, as a person.
func call(t *testing.T, b *apptest.Bench, c dossier.CaseID, name string, args any) (json.RawMessage, error) {
	t.Helper()
	tl, ok := b.Kit.Tool(name)
	if !ok {
		t.Fatalf("no tool %s", name)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := tl.Plan(raw)
	if err != nil {
		return nil, err
	}
	res, err := tl.Run(t.Context(), toolCall(b, c), plan.Args)
	return res.Value, err
}

func TestTools(t *testing.T) {
	t.Parallel()
	b := demo(t, "sqlite")
	c := caseOf(t, b, "emissions").ID
	tests := []struct {
		name, tool string
		args       any
		want       []string // parts of the result, or of the error's message
	}{
		{"R-023 R-126 context", "get_section_context", args{"section_id": "emissions"}, []string{`"title":"Emissions"`, `"instructions":"Explain`, `"current_draft":"The three`, `"review_comments":""`}},
		{"R-025 categories", "list_chart_categories", args{}, []string{`{"name":"emissions","charts":3}`}},
		{"R-026 charts of a category", "list_charts", args{"category": "transport"}, []string{"road_vehicle_stock_by_drivetrain"}},
		{"R-026 charts of a section", "list_charts", args{"section_id": "commercial"}, []string{"commercial_energy_use_by_fuel"}},
		{"R-027 section charts", "get_section_charts", args{"section_id": "emissions"}, []string{`"from":"map"`, "built_environment_emissions"}},
		{"R-028 R-031 R-068 data", "get_chart_data", args{"chart_id": "emissions_reduction_by_sector", "rows": true}, []string{`"total_reduction":-472.53`, `"row_count":24`, `"columns":["process_sector0","val","measure","scen"]`, `"label":"Net 2025"`}},
		{"R-028 options", "get_chart_data", args{"chart_id": "net_emissions_by_sector", "rows": true, "scenario": "Ampol-2p5DS", "max_rows": 2}, []string{`"rows_truncated":true`}},
		{"R-029 R-075 image", "get_chart_image", args{"chart_id": "emissions_reduction_by_sector"}, []string{`"mime":"image/png"`, `"image_base64":"iVBORw0KGgo`}},
		{"R-109 no image", "get_chart_image", args{"chart_id": "renewable_share"}, []string{"has no picture"}},
		{"R-030 plot", "get_plot_spec", args{"chart_id": "emissions_reduction_by_sector"}, []string{"waterfall", "401.05"}},
		{"R-078 compare", "compare_scenarios", args{"chart_id": "net_emissions_by_sector", "a": "Ampol-House-View", "b": "Ampol-1p5DS"}, []string{`"difference":276.9`}},
		{"R-078 trend", "trend_summary", args{"chart_id": "net_emissions_by_sector", "label": "total"}, []string{`"direction":"falls"`}},
		{"R-079 consistency", "check_consistency", args{"section_id": "emissions"}, []string{`"compared":21`, `"disagreements":null`}},
		{"R-067 R-091 a path", "get_chart_data", args{"chart_id": "../../../etc/passwd"}, []string{"no chart"}},
		{"R-091 an absolute path", "get_chart_image", args{"chart_id": "/etc/passwd"}, []string{"no chart"}},
		{"unknown section", "get_section_context", args{"section_id": "moon"}, []string{"has no section"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			value, err := call(t, b, c, tt.tool, tt.args)
			got := string(value)
			if err != nil {
				got = dossier.Message(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s(%v) = %.600s\nlacks %s", tt.tool, tt.args, got, want)
				}
			}
		})
	}
}

func TestWriteStopsWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	b := demo(t, "sqlite")
	c := caseOf(t, b, "emissions").ID
	good, err := call(t, b, c, "get_section_context", args{"section_id": "emissions"})
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Draft string `json:"current_draft"`
	}
	if err := json.Unmarshal(good, &s); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new, reason string }{
		{"R-086 R8 digit", "472.53", "472.35", "No number in the evidence"},
		{"R-086 R8 unit", "472.53 Mt CO₂-e", "472.53 GWh", "wrong unit"},
		{"R-086 R8 scenario", "Ampol-House-View cuts 195.63", "Ampol-1p5DS cuts 195.63", "belongs to Ampol-House-View"},
		{"R-086 R8 direction", "Land Use rises by 33.58", "Land Use falls by 33.58", "opposite direction"},
		{"R-087 scenario", "Ampol-House-View", "the last one", "does not name the scenario"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			planted := strings.ReplaceAll(s.Draft, tt.old, tt.new)
			if planted == s.Draft {
				t.Fatalf("no %q in the draft", tt.old)
			}
			_, err := call(t, b, c, "write_section_draft", args{"section_id": "emissions", "content": planted})
			if dossier.KindOf(err) != dossier.Invalid || !strings.Contains(dossier.Message(err), tt.reason) {
				t.Errorf("write = %v, want %q", err, tt.reason)
			}
		})
	}
	t.Run("R-114 no other section", func(t *testing.T) {
		t.Parallel()
		_, err := call(t, b, c, "write_section_draft", args{"section_id": "transport", "content": "x"})
		if dossier.KindOf(err) != dossier.Forbidden {
			t.Errorf("write = %v, want forbidden", err)
		}
	})
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*report.Config){
		"rows": func(c *report.Config) { c.MaxRows = 0 }, "time": func(c *report.Config) { c.SQLTime = 0 }, "model": func(c *report.Config) { c.Model = "" },
	} {
		t.Run("R-009 R-129 "+name, func(t *testing.T) {
			t.Parallel()
			c := *report.App.Default().(*report.Config)
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			change(&c)
			if err := c.Validate(); dossier.KindOf(err) != dossier.Invalid {
				t.Errorf("Validate = %v, want invalid", err)
			}
		})
	}
}

// args are a tool's arguments; every tool here takes texts, numbers and switches.
type args map[string]anything

// anything is a JSON value.
type anything any

func toolCall(b *apptest.Bench, c dossier.CaseID) tool.Call {
	return tool.Call{Case: c, App: "report", For: b.Person("ana"), Now: b.Clock.Now()}
}

func TestSQL(t *testing.T) {
	t.Parallel()
	b := demo(t, "sqlite")
	c := caseOf(t, b, "emissions").ID
	if !catalog.HasSQL {
		if _, ok := b.Kit.Tool("sql_query"); ok {
			t.Error("SQL is offered by a build that cannot answer it")
		}
		return
	}
	t.Run("R-066 sql_query", func(t *testing.T) {
		value, err := call(t, b, c, "sql_query", args{"sql": "SELECT count(*) AS n FROM emissions_reduction_by_sector"})
		if err != nil || !strings.Contains(string(value), `"rows":[["24"]]`) {
			t.Errorf("%s, %v", value, err)
		}
		if _, err := call(t, b, c, "sql_query", args{"sql": "SELECT * FROM read_text('/etc/passwd')"}); dossier.KindOf(err) != dossier.Forbidden {
			t.Errorf("a file is read: %v", err)
		}
	})
}
