package api

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"dossier"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/eval"
	"dossier/internal/records"
	"dossier/internal/tool"
)

func (s *Server) appRoutes(r *app.Router) {
	tags := []string{"apps"}
	readers := []dossier.Role{reader}
	app.Handle(r, huma.Operation{
		OperationID: "list-apps", Method: http.MethodGet, Path: "/api/v1/apps", Tags: tags, Summary: "The apps one may see",
	}, readers, s.listApps)
	app.Handle(r, huma.Operation{
		OperationID: "get-app", Method: http.MethodGet, Path: "/api/v1/apps/{app}", Tags: tags,
		Summary: "An app with its agents, tools, rules and triggers", Errors: []int{404},
	}, readers, s.getApp)
	app.Handle(r, huma.Operation{
		OperationID: "list-tools", Method: http.MethodGet, Path: "/api/v1/tools", Tags: tags,
		Summary: "The tools that agents may use on one's behalf",
	}, readers, s.tools)
}

// An AppSummary is an app in a list.
type AppSummary struct {
	ID     string              `json:"id"`
	Title  string              `json:"title"`
	Doc    string              `json:"doc"`
	Roles  []RoleInfo          `json:"roles"`
	Mine   []dossier.Role      `json:"mine" doc:"The app's roles that you hold"`
	Counts []records.CaseCount `json:"counts" doc:"Cases by state"`
	Chat   []string            `json:"chat" doc:"Agents one can talk to"`
}

// An AppDetail is everything about an app that is not a record.
type AppDetail struct {
	AppSummary
	Agents   []AgentInfo         `json:"agents"`
	Tools    []ToolInfo          `json:"tools" doc:"Every tool of the app and its agents"`
	Rules    []RuleInfo          `json:"rules"`
	Triggers []TriggerInfo       `json:"triggers"`
	Suites   []SuiteInfo         `json:"suites"`
	Views    map[string]app.View `json:"views" doc:"How each kind of evidence is shown"`
}

// An AgentInfo describes an agent.
type AgentInfo struct {
	Name        string   `json:"name"`
	Doc         string   `json:"doc"`
	Model       string   `json:"model" doc:"Alias of the model it uses"`
	Version     string   `json:"version" doc:"Changes with its prompt, tools or answer"`
	Chat        bool     `json:"chat"`
	Prompt      string   `json:"prompt"`
	Tools       []string `json:"tools"`
	Specialists []string `json:"specialists"`
}

// A ToolInfo describes a tool.
type ToolInfo struct {
	App    string          `json:"app"`
	Name   string          `json:"name"`
	Doc    string          `json:"doc"`
	Effect string          `json:"effect" enum:"read,write,act"`
	Roles  []dossier.Role  `json:"roles" doc:"Who may call it; none means anyone signed in"`
	Decide []dossier.Role  `json:"decide" doc:"Who decides when a person is asked first"`
	Input  json.RawMessage `json:"input" doc:"JSON Schema of its arguments"`
}

// A RuleInfo describes a rule.
type RuleInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Doc     string `json:"doc"`
}

// A SuiteInfo describes a suite of examples.
type SuiteInfo struct {
	App   string             `json:"app"`
	Name  string             `json:"name"`
	Doc   string             `json:"doc"`
	Agent string             `json:"agent,omitempty"`
	Gates map[string]float64 `json:"gates" doc:"The lowest mean that passes, by grade"`

	Targets []eval.Target `json:"targets" doc:"What the figures of a whole run should reach"`
}

type appsOutput struct {
	Body struct {
		Items []AppSummary `json:"items"`
	}
}

func (s *Server) listApps(ctx context.Context, _ *struct{}) (*appsOutput, error) {
	p := s.Principal(ctx)
	apps := s.visible(p)
	counts, err := s.Records.CaseCounts(ctx, apps)
	if err != nil {
		return nil, err
	}
	out := &appsOutput{}
	out.Body.Items = []AppSummary{}
	for _, in := range s.Apps {
		if apps == nil || slices.Contains(apps, in.App.ID) {
			out.Body.Items = append(out.Body.Items, summarise(in, p, counts))
		}
	}
	return out, nil
}

func summarise(in Installed, p dossier.Principal, counts []records.CaseCount) AppSummary {
	a := AppSummary{
		ID: in.App.ID, Title: in.App.Title, Doc: in.App.Doc,
		Mine: []dossier.Role{}, Chat: []string{}, Counts: []records.CaseCount{}, Roles: []RoleInfo{},
	}
	for _, r := range slices.Sorted(maps.Keys(in.App.Roles)) {
		a.Roles = append(a.Roles, RoleInfo{r, in.App.Roles[r], []string{in.App.ID}})
		if p.Has(r) {
			a.Mine = append(a.Mine, r)
		}
	}
	for _, ag := range in.Kit.Agents {
		if ag.Chat {
			a.Chat = append(a.Chat, ag.Name)
		}
	}
	for _, c := range counts {
		if c.App == a.ID {
			a.Counts = append(a.Counts, c)
		}
	}
	return a
}

type appOutput struct{ Body AppDetail }

func (s *Server) getApp(ctx context.Context, in *struct {
	App string `path:"app"`
}) (*appOutput, error) {
	inst, err := s.installed(ctx, in.App)
	if err != nil {
		return nil, err
	}
	counts, err := s.Records.CaseCounts(ctx, []string{in.App})
	if err != nil {
		return nil, err
	}
	d := AppDetail{
		AppSummary: summarise(inst, s.Principal(ctx), counts),
		Agents:     []AgentInfo{}, Tools: []ToolInfo{}, Rules: []RuleInfo{}, Suites: suites(inst),
		Triggers: s.triggersOf(inst), Views: inst.Kit.Views,
	}
	for _, a := range inst.Kit.Agents {
		d.Agents = append(d.Agents, agentInfo(a))
	}
	for _, t := range toolsOf(inst.Kit) {
		d.Tools = append(d.Tools, toolInfo(in.App, t))
	}
	for _, r := range inst.App.Rules {
		d.Rules = append(d.Rules, RuleInfo{r.Name, r.Version, r.Doc})
	}
	if d.Views == nil {
		d.Views = map[string]app.View{}
	}
	return &appOutput{d}, nil
}

// installed finds an app that the principal may see.
func (s *Server) installed(ctx context.Context, id string) (Installed, error) {
	in, ok := s.apps[id]
	if !ok {
		return Installed{}, dossier.Errorf(dossier.NotFound, "There is no app %q.", id)
	}
	return in, s.see(ctx, id, "app "+id)
}

func agentInfo(a *agent.Agent) AgentInfo {
	out := AgentInfo{
		Name: a.Name, Doc: a.Doc, Model: a.Model, Version: a.Version(), Chat: a.Chat, Prompt: a.Prompt,
		Tools: []string{}, Specialists: []string{},
	}
	for _, t := range a.Tools {
		out.Tools = append(out.Tools, t.Name)
	}
	for _, sp := range a.Specialists {
		out.Specialists = append(out.Specialists, sp.Name)
	}
	return out
}

func suites(in Installed) []SuiteInfo {
	out := []SuiteInfo{}
	for _, su := range in.Kit.Suites {
		gates := su.Gates
		if gates == nil {
			gates = map[string]float64{}
		}
		out = append(out, SuiteInfo{in.App.ID, su.Name, su.Doc, su.Agent, gates, list(su.Targets)})
	}
	return out
}

// toolsOf returns every tool of a kit once, by name.
func toolsOf(k *app.Kit) []tool.Tool {
	byName := map[string]tool.Tool{}
	for _, t := range k.Tools {
		byName[t.Name] = t
	}
	for _, a := range k.Agents {
		for _, t := range a.Tools {
			byName[t.Name] = t
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b tool.Tool) int { return cmp.Compare(a.Name, b.Name) })
}

func toolInfo(id string, t tool.Tool) ToolInfo {
	return ToolInfo{
		App: id, Name: t.Name, Doc: t.Doc, Effect: t.Effect.String(), Roles: list(t.Roles), Decide: list(t.Approvers()), Input: object(t.Input.Text),
	}
}

type toolsOutput struct {
	Body struct {
		Items []ToolInfo `json:"items"`
	}
}

func (s *Server) tools(ctx context.Context, in *struct {
	App string `query:"app" doc:"Only this app's"`
}) (*toolsOutput, error) {
	p := s.Principal(ctx)
	apps := s.within(p, in.App)
	out := &toolsOutput{}
	out.Body.Items = []ToolInfo{}
	for _, inst := range s.Apps {
		if apps != nil && !slices.Contains(apps, inst.App.ID) {
			continue
		}
		for _, t := range tool.For(p, toolsOf(inst.Kit)) {
			out.Body.Items = append(out.Body.Items, toolInfo(inst.App.ID, t))
		}
	}
	return out, nil
}
