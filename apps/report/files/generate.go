package files

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"dossier"
	"dossier/apps/report/draft"
	"dossier/apps/report/outline"
	"dossier/apps/report/render"
	"dossier/apps/report/writer"
	"dossier/internal/agent"
	"dossier/internal/app"
	"dossier/internal/eval"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
)

// generation is what the generate commands are asked for.
type generation struct {
	Writer
	files    draft.Files
	sections []string
	output   string
	format   string
	dryRun   bool
	artefact string // folder for each section's artefacts; "": beside the output
	parallel int
	alias    string // of the model that writes; "": the configured one
	stage    eval.Stage
	player   eval.Player
}

// A result is one section as written by a generate command.
type result struct {
	Section string        `json:"section"`
	Text    string        `json:"text"`
	Verdict draft.Verdict `json:"checks"`
	Usage   usage         `json:"usage"`
	Refused []string      `json:"refused,omitempty"` // why earlier drafts were not kept
	failure string
	prompt  string
	calls   []eval.Call
}

// usage is what writing a section cost. The reference policy costs nothing.
type usage struct {
	Model     string  `json:"model"`           // who wrote the text that is kept
	Prompt    string  `json:"prompt_version"`  // of prompt and tools
	Asked     string  `json:"asked,omitempty"` // the model that was asked to write
	Fallback  string  `json:"fallback,omitempty"`
	Turns     int     `json:"turns"`
	TokensIn  int     `json:"tokens_in"`
	TokensOut int     `json:"tokens_out"`
	Cost      float64 `json:"cost"`
}

func (g *generation) flags(cmd *cobra.Command) {
	fileFlags(cmd, &g.files)
	cmd.Flags().StringVar(&g.output, "output", "", "file to write the report to (default: standard output)")
	cmd.Flags().StringVar(&g.format, "format", "", "md, html, pdf or docx (default: from the output's name, else md)")
	cmd.Flags().BoolVar(&g.dryRun, "dry-run", false, "show what the writer would be asked, and write nothing")
	cmd.Flags().StringVar(&g.artefact, "artefacts", "", "folder for each section's prompt, calls, draft, checks and usage (default: beside the output)")
	cmd.Flags().StringVar(&g.alias, "model", "", "alias of the model that writes, or \"reference\" (default: the configured one, else the reference policy)")
	cmd.Flags().IntVar(&g.parallel, "parallel", 4, "how many sections are written at once")
}

func (wr Writer) generateReport(c app.CLI) *cobra.Command {
	g := generation{Writer: wr}
	cmd := &cobra.Command{
		Use: "generate-report", Short: "Write every section of a report", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.run(cmd.Context(), c) },
	}
	g.flags(cmd)
	return cmd
}

func (wr Writer) generateSection(c app.CLI) *cobra.Command {
	g := generation{Writer: wr}
	var section string
	cmd := &cobra.Command{
		Use: "generate-section", Short: "Write one section of a report and leave the others as they are", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			g.sections = []string{section}
			return g.run(cmd.Context(), c)
		},
	}
	g.flags(cmd)
	cmd.Flags().StringVar(&section, "section", "", "the section's id")
	_ = cmd.MarkFlagRequired("section")
	return cmd
}

func (g *generation) run(ctx context.Context, c app.CLI) error {
	if g.format == "" {
		g.format = strings.TrimPrefix(filepath.Ext(g.output), ".")
		if g.format == "" || g.format == "markdown" {
			g.format = "md"
		}
	}
	if err := render.Known(g.format); err != nil {
		return err
	}
	r, err := draft.Load(ctx, g.files)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, p := range r.Outline.Problems {
		fmt.Fprintf(c.Err(), "%s: %s\n", g.files.Outline, p)
	}
	for _, p := range r.MapProblems() {
		fmt.Fprintln(c.Err(), p)
	}
	sections := g.sections
	if len(sections) == 0 {
		for _, s := range r.Outline.Sections {
			sections = append(sections, s.ID)
		}
	}
	for _, id := range sections {
		if _, err := r.Outline.Section(id); err != nil {
			return err
		}
	}
	if g.stage, g.player, err = c.Stage(ctx, g.agent(c, r), g.alias); err != nil {
		return err
	}
	if g.dryRun {
		return g.show(ctx, c, r, sections)
	}
	results, err := g.writeAll(ctx, c, r, sections)
	if err != nil {
		return err
	}
	return g.finish(ctx, c, r, results)
}

// show prints what the writer would be asked for each section.
func (g *generation) show(ctx context.Context, c app.CLI, r *draft.Report, sections []string) error {
	type ask struct {
		Section string   `json:"section"`
		Writer  string   `json:"writer"`
		Charts  []string `json:"charts"`
		Tools   []string `json:"tools"`
		Prompt  string   `json:"prompt"`
	}
	var tools []string
	for _, t := range g.agent(c, r).Tools {
		tools = append(tools, t.Name)
	}
	var asks []ask
	for _, id := range sections {
		x, err := r.Context(ctx, id)
		if err != nil {
			return err
		}
		a := ask{Section: id, Writer: g.player.Name(), Tools: tools, Prompt: promptFor(x)}
		for _, choice := range x.Selection.Choices {
			a.Charts = append(a.Charts, choice.Key)
		}
		asks = append(asks, a)
	}
	return c.Print(asks, func(w io.Writer) error {
		for _, a := range asks {
			fmt.Fprintf(w, "── %s\nwriter: %s\ncharts: %s\ntools: %s\n%s\n", a.Section, a.Writer, strings.Join(a.Charts, ", "), strings.Join(a.Tools, ", "), a.Prompt)
		}
		return nil
	})
}

// promptFor is what a writer is told about a section: the prompt, and what the first
// looks at the section and its charts bring.
func promptFor(c *draft.Context) string {
	var b strings.Builder
	b.WriteString(writer.Prompt)
	fmt.Fprintf(&b, "\nSection: %s (%s)\nInstructions: %s\n", c.Section.Title, c.Section.ID, c.Section.Instructions)
	if c.Section.Content != "" {
		fmt.Fprintf(&b, "Current draft:\n%s\n", c.Section.Content)
	}
	for _, n := range c.Notes {
		fmt.Fprintf(&b, "Review note %s, to be answered: %s\n", n.ID, n.Text)
	}
	for _, ch := range c.Charts {
		raw, err := json.Marshal(ch.Summary)
		if err != nil {
			panic(fmt.Sprintf("summary of %s: %v", ch.Chart.ID, err))
		}
		fmt.Fprintf(&b, "Chart %s: %s\n", ch.Chart.ID, raw)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Omitted)) {
		fmt.Fprintf(&b, "Chart %s cannot be used: %s\n", id, c.Omitted[id])
	}
	return b.String()
}

// writeAll writes sections beside each other, with a bar that shows how far it is.
func (g *generation) writeAll(ctx context.Context, c app.CLI, r *draft.Report, sections []string) ([]result, error) {
	bar := progressbar.NewOptions(len(sections), progressbar.OptionSetWriter(c.Err()), progressbar.OptionSetDescription("writing sections"),
		progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionSetVisibility(!c.JSON() && len(sections) > 1))
	results, errs := make([]result, len(sections)), make([]error, len(sections))
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(g.parallel, 1))
	for i, id := range sections {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i], errs[i] = g.writeSection(ctx, r, id)
			_ = bar.Add(1)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// agent returns the writer as the configuration has it.
func (g *generation) agent(c app.CLI, r *draft.Report) *agent.Agent {
	a := (&writer.Sheet{Report: r}).NewDesk().Agent()
	if g.Writer.Model != nil {
		a.Model = g.Writer.Model(c)
	}
	return a
}

// writeSection has one section written by whoever plays the writer.
func (g *generation) writeSection(ctx context.Context, r *draft.Report, id string) (result, error) {
	x, err := r.Context(ctx, id)
	if err != nil {
		return result{}, err
	}
	p, err := (&writer.Sheet{Report: r, Section: id}).Play(ctx, g.stage, g.player)
	if err != nil {
		return result{}, err
	}
	res := result{
		Section: id, Text: p.Text, Verdict: p.Verdict, Refused: p.Refused, failure: p.Failure, calls: p.Path.Calls, prompt: promptFor(x),
		Usage: usage{Model: p.By, Prompt: g.Version, Fallback: p.Fallback, Turns: p.Path.Turns, TokensIn: p.Path.Usage.In, TokensOut: p.Path.Usage.Out, Cost: p.Path.Cost},
	}
	if g.player.Model != nil {
		res.Usage.Asked = g.player.Name()
	}
	return res, nil
}

// finish keeps the artefacts, puts the drafts that passed into the outline and writes
// the report. A draft that did not pass leaves its section as it was.
func (g *generation) finish(ctx context.Context, c app.CLI, r *draft.Report, results []result) error {
	source := r.Outline.Source()
	var refused []string
	for _, res := range results {
		if err := g.keepArtefacts(res); err != nil {
			return err
		}
		if !res.Verdict.OK {
			refused = append(refused, fmt.Sprintf("%s: %s", res.Section, strings.Join(append([]string{res.failure}, res.Verdict.Reasons...), " ")))
			continue
		}
		doc, err := outline.Parse(source)
		if err != nil {
			return err
		}
		if source, err = doc.SetContent(res.Section, res.Text); err != nil {
			return err
		}
	}
	if err := g.deliver(ctx, c, r, source, results); err != nil {
		return err
	}
	g.report(c, results)
	if len(refused) > 0 {
		return dossier.Errorf(dossier.Invalid, "%d sections were not written because their drafts do not hold. %s", len(refused), strings.Join(refused, " "))
	}
	return nil
}

// deliver writes the report, or prints it.
func (g *generation) deliver(ctx context.Context, c app.CLI, r *draft.Report, source []byte, results []result) error {
	if g.output == "" && (g.format == "md" || c.JSON()) {
		return c.Print(results, func(w io.Writer) error {
			if len(g.sections) == 1 {
				_, err := fmt.Fprintln(w, results[0].Text)
				return err
			}
			_, err := w.Write(source)
			return err
		})
	}
	out, err := render.Write(ctx, g.format, r.Outline.Sections[0].Title, source, render.FromCatalog{Catalog: r.Catalog, Backend: r.Backend})
	if err != nil {
		return err
	}
	if g.output == "" {
		_, err := c.Out().Write(out)
		return err
	}
	if err := os.WriteFile(g.output, out, 0o644); err != nil {
		return dossier.Errorf(dossier.Unavailable, "The report cannot be written to %q.", g.output).Because(err)
	}
	return nil
}

// report says on the error stream what was written and what it cost.
func (g *generation) report(c app.CLI, results []result) {
	numerals, words, open := 0, 0, 0
	var total usage
	for _, r := range results {
		for _, why := range r.Refused {
			fmt.Fprintf(c.Err(), "%s: a draft was stopped. %s\n", r.Section, why)
		}
		if r.Usage.Fallback != "" {
			fmt.Fprintf(c.Err(), "%s: the reference policy stepped in. %s\n", r.Section, r.Usage.Fallback)
		}
		numerals += len(r.Verdict.Faith.Numerals)
		words += len(strings.Fields(r.Text))
		total.TokensIn, total.TokensOut, total.Cost = total.TokensIn+r.Usage.TokensIn, total.TokensOut+r.Usage.TokensOut, total.Cost+r.Usage.Cost
		for _, n := range r.Verdict.Notes {
			if !n.Closed {
				open++
				fmt.Fprintf(c.Err(), "%s: note %s stays open: %s %s\n", r.Section, n.ID, n.Text, n.Why)
			}
		}
	}
	fmt.Fprintf(c.Err(), "%d sections, %d words, %d numerals checked, %d notes open, %d tokens, cost %.2f\n",
		len(results), words, numerals, open, total.TokensIn+total.TokensOut, total.Cost)
}
