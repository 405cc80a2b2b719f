package airshed

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"dossier"
	"dossier/apps/airshed/book"
	"dossier/apps/airshed/filing"
	"dossier/apps/airshed/gate"
	"dossier/internal/agent"
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
		Output: tool.SchemaOf[gate.Answer](),
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
		return gate.Judge(d.Answer, nil, chain...)
	case err != nil:
		return err
	}
	return gate.Judge(d.Answer, &kept)
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
		return model.Answer(gate.Answer{Status: book.SweepFailed, Summary: "The sensor data could not be used: " + oneLine(read.Problem(), data.Details)})
	}
	surge, ok := req.Last("detect_surge_tool")
	if !ok {
		return req.Calling(model.Planned{Tool: "detect_surge_tool", Args: nothing{}}), nil
	}
	var found surgeOut
	if surge.Failed || surge.Decode(&found) != nil {
		return model.Answer(gate.Answer{Status: book.SweepFailed, Summary: "The surge could not be judged: " + oneLine(surge.Problem())})
	}
	if !found.Surge {
		return closing(req, gate.Answer{Status: book.SweepQuiet, Summary: "There is no surge: " + found.Reason})
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
		return model.Answer(gate.Answer{Status: book.SweepFailed, Summary: "The report could not be made: " + oneLine(made.Problem())})
	}
	ans := gate.Answer{ReportID: draft.ReportID, Score: draft.ConfidenceScore, Summary: draft.ExecutiveSummary}
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
func closing(req *model.Request, ans gate.Answer) (*model.Reply, error) {
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
