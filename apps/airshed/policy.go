package airshed

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/gate"
	"dossier/internal/agent"
	"dossier/internal/faith"
	"dossier/internal/model"
	"dossier/internal/tool"
)

const agentName = "accountability"

// agentInput is what the agent is started with.
type agentInput struct {
	Station    string `json:"station"`
	Surge      string `json:"surge" jsonschema:"time of the surge"`
	BucketName string `json:"bucket_name"`
	Prefix     string `json:"prefix"`
	SweepID    string `json:"sweep_id"`
}

// agentAnswer is what the agent must answer.
type agentAnswer struct {
	Status   string  `json:"status" jsonschema:"filed, partially_filed, not_filed, no_surge or error"`
	ReportID string  `json:"report_id,omitempty"`
	Score    float64 `json:"confidence_score,omitempty"`
	Summary  string  `json:"summary" jsonschema:"what was found and done, in a sentence or two"`
}

func (a *airshed) agent() (*agent.Agent, error) {
	prompt, err := fs.ReadFile(files, "prompts/accountability.md")
	if err != nil {
		return nil, fmt.Errorf("read prompt: %w", err)
	}
	return &agent.Agent{
		Name: agentName, Doc: "Legal Analyst and Evidence Correlator: correlates a surge with cross-border fires and files the report.",
		Prompt: string(prompt), Model: "strong", Policy: policy,
		Tools:  []tool.Tool{a.readTool(), a.detectTool(), a.correlateTool(), a.draftTool(), a.sendTool(), a.noticeTool(), a.closeTool()},
		Input:  tool.SchemaOf[agentInput](),
		Output: tool.SchemaOf[agentAnswer](),
		Limits: agent.Limits{Wall: time.Duration(a.cfg.ExecutionTimeoutMinutes * float64(time.Minute))},
		Check:  a.checkAnswer,
	}, nil
}

// checkAnswer refuses an answer whose numbers are not the report's.
func (a *airshed) checkAnswer(ctx context.Context, d agent.Draft) error {
	kept, err := a.book.ReportOf(ctx, d.Run.Case)
	switch {
	case dossier.KindOf(err) == dossier.NotFound:
		chain, _, err := d.Facts(ctx)
		if err != nil {
			return err
		}
		return judgeAnswer(d, nil, chain...)
	case err != nil:
		return err
	}
	return judgeAnswer(d, &kept)
}

// judgeAnswer compares an answer with the report of its case or, where that is nil,
// with the evidence.
func judgeAnswer(d agent.Draft, kept *book.Draft, chain ...dossier.Evidence) error {
	var ans agentAnswer
	if err := json.Unmarshal(d.Answer, &ans); err != nil {
		return dossier.Errorf(dossier.Invalid, "The answer does not fit.").Because(err)
	}
	if err := gate.NoBlame(ans.Summary); err != nil {
		return err
	}
	if kept == nil {
		if ans.Status == book.Filed || ans.Status == book.PartFiled {
			return dossier.Errorf(dossier.Invalid, "There is no report in this case, and so none was filed.")
		}
		facts := &faith.Facts{}
		if err := facts.AddEvidence(chain...); err != nil {
			return err
		}
		return faith.Check(ans.Summary, facts).Err()
	}
	report := kept.Report
	if err := fits(ans.Status, *kept); err != nil {
		return err
	}
	if ans.ReportID != "" && ans.ReportID != report.ReportID || ans.Score != 0 && ans.Score != report.ConfidenceScore {
		return dossier.Errorf(dossier.Invalid, "The report of this case is %s with confidence %v.", report.ReportID, report.ConfidenceScore)
	}
	if err := gate.NoVerdict(ans.Summary, report.Conclusion); err != nil {
		return err
	}
	return faith.Check(ans.Summary, gate.Facts(report)).Err()
}

// fits refuses a status that the report does not have. A report that was taken when it
// was sent again, while the agent waited, was partly filed as far as the agent saw.
func fits(status string, kept book.Draft) error {
	is := map[string][]string{
		book.Drafted: {"not_filed"}, book.Withdrawn: {"not_filed"}, book.PartFiled: {book.PartFiled}, book.Filed: {book.Filed, book.PartFiled},
	}[kept.Status]
	if status == book.SweepFailed || slices.Contains(is, status) {
		return nil
	}
	return dossier.Errorf(dossier.Invalid, "The report %s is %s; the status %q is not true of it. Say %s.", kept.Report.ReportID, strings.ReplaceAll(kept.Status, "_", " "), status, is[0])
}

// policy plays the agent: read, detect, correlate, draft, file, notify, close, each
// once and in this order.
func policy(_ context.Context, req *model.Request) (*model.Reply, error) {
	var in agentInput
	if err := req.Brief(&in, nil); err != nil {
		return nil, err
	}
	read, ok := req.Last("read_correlated_data_tool")
	if !ok {
		return req.Calling(model.Planned{Tool: "read_correlated_data_tool", Args: readIn{BucketName: in.BucketName, Prefix: in.Prefix}}), nil
	}
	var data readOut
	if read.Failed || read.Decode(&data) != nil || data.Error != "" {
		return model.Answer(agentAnswer{Status: book.SweepFailed, Summary: "The sensor data could not be used: " + oneLine(read.Problem(), data.Details)})
	}
	surge, ok := req.Last("detect_surge_tool")
	if !ok {
		return req.Calling(model.Planned{Tool: "detect_surge_tool", Args: nothing{}}), nil
	}
	var found surgeOut
	if surge.Failed || surge.Decode(&found) != nil {
		return model.Answer(agentAnswer{Status: book.SweepFailed, Summary: "The surge could not be judged: " + oneLine(surge.Problem())})
	}
	if !found.Surge {
		return closing(req, agentAnswer{Status: book.SweepQuiet, Summary: "There is no surge: " + found.Reason})
	}
	if _, ok := req.Last("correlate_fires_tool"); !ok {
		return req.Calling(model.Planned{Tool: "correlate_fires_tool", Args: nothing{}}), nil
	}
	return fileIt(req)
}

// fileIt plays the second half: the draft, the filing and the notices.
func fileIt(req *model.Request) (*model.Reply, error) {
	made, ok := req.Last("generate_report_tool")
	if !ok {
		return req.Calling(model.Planned{Tool: "generate_report_tool", Args: gate.Texts{}}), nil
	}
	var draft draftOut
	if made.Failed || made.Decode(&draft) != nil {
		return model.Answer(agentAnswer{Status: book.SweepFailed, Summary: "The report could not be made: " + oneLine(made.Problem())})
	}
	ans := agentAnswer{ReportID: draft.ReportID, Score: draft.ConfidenceScore, Summary: draft.ExecutiveSummary}
	sent, ok := req.Last(sendName)
	if !ok {
		if !req.Offers(sendName) {
			ans.Status = "not_filed"
			return model.Answer(ans)
		}
		return req.Calling(model.Planned{Tool: sendName, Args: sendIn{Report: book.Ref{ReportID: draft.ReportID, SHA256: draft.SHA256, ConfidenceScore: draft.ConfidenceScore}}}), nil
	}
	var res filing.Result
	if sent.Failed || sent.Decode(&res) != nil {
		ans.Status = "not_filed"
		return closing(req, ans)
	}
	ans.Status = "filed"
	if res.Receipt == nil {
		ans.Status = "partially_filed"
	}
	if n := len(req.Returns("notify_state_tool")); n < len(draft.Notices) && req.Offers("notify_state_tool") {
		return req.Calling(model.Planned{Tool: "notify_state_tool", Args: draft.Notices[n]}), nil
	}
	return closing(req, ans)
}

// closing closes the case and then gives the answer.
func closing(req *model.Request, ans agentAnswer) (*model.Reply, error) {
	if _, ok := req.Last("close_case_tool"); ok {
		return model.Answer(ans)
	}
	note := ""
	if sent, ok := req.Last(sendName); ok && sent.Failed {
		note = oneLine(sent.Problem())
	}
	return req.Calling(model.Planned{Tool: "close_case_tool", Args: closeIn{Outcome: outcome(ans.Status), Note: note}}), nil
}

func oneLine(parts ...string) string { return strings.TrimSpace(strings.Join(parts, " ")) }
