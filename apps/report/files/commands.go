// Package files holds the commands of the report app, which work on files alone: an
// outline, a run folder and the map between them go in, and a report with each
// section's artefacts comes out. The configured model writes, or the reference policy
// where there is none, through the same loop and checks as in the product. A draft that
// does not hold goes back with its reasons; if none holds, the policy writes, and the
// command says so.
//
// No command here needs a database. Reviewers on a page, and sections that a person
// makes final, are the product's.
package files

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"dossier"
	"dossier/apps/report/catalog"
	"dossier/apps/report/draft"
	"dossier/apps/report/mapping"
	"dossier/apps/report/outline"
	"dossier/apps/report/rating"
	"dossier/apps/report/writer"
	"dossier/internal/app"

	"github.com/spf13/cobra"
)

// A Writer says what the commands are told about the agent that writes.
type Writer struct {
	Version string               // of prompt and tools
	Model   func(app.CLI) string // the alias that the configuration has write; nil: the agent's own
}

// Commands are those below `dossier report`.
func (wr Writer) Commands(c app.CLI) []*cobra.Command {
	return []*cobra.Command{
		wr.generateReport(c), wr.generateSection(c), inspectChartsCommand(c), inspectSectionsCommand(c),
		inspectMappingCommand(c), chartCommand(c), wr.runEval(c), compareCommand(c),
	}
}

// fileFlags declares the flags that name a report's files.
func fileFlags(cmd *cobra.Command, f *draft.Files) {
	cmd.Flags().StringVar(&f.Outline, "outline", "", "the outline, a Markdown file")
	cmd.Flags().StringVar(&f.DataRoot, "data-root", "", "the run folder")
	cmd.Flags().StringVar(&f.Map, "map", "", "section_chart_map.json (default: beside the outline or in the run folder)")
	for _, name := range []string{"outline", "data-root"} {
		_ = cmd.MarkFlagRequired(name)
	}
}

func inspectChartsCommand(c app.CLI) *cobra.Command {
	var root, category string
	cmd := &cobra.Command{
		Use: "inspect-charts", Short: "List the charts of a run folder", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cat, err := catalog.Open(cmd.Context(), root)
			if err != nil {
				return err
			}
			defer cat.Close()
			names := []string{}
			for _, k := range cat.Categories() {
				names = append(names, k.Name)
			}
			if category != "" && !slices.Contains(names, category) {
				return dossier.Errorf(dossier.NotFound, "There is no category %q; the run has %s.", category, strings.Join(names, ", "))
			}
			charts := draft.Charts(cat, category, "")
			return c.Print(charts, func(w io.Writer) error {
				tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
				fmt.Fprintln(tw, "CATEGORY\tCHART\tTITLE\tUNITS\tROWS\tFILES")
				for _, ch := range charts {
					fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%d\t%s\n", ch.Category, ch.ID, ch.Title, ch.Units, ch.RowCount, filesOf(ch))
					for _, warn := range ch.Warnings {
						fmt.Fprintf(tw, "\t  %s\t\t\t\t\n", warn)
					}
				}
				if err := tw.Flush(); err != nil {
					return err
				}
				for _, warn := range cat.Warnings {
					fmt.Fprintln(w, warn)
				}
				_, err := fmt.Fprintf(w, "%d charts in %d categories, scenarios %s\n", len(charts), len(names), strings.Join(cat.Scenarios(), ", "))
				return err
			})
		},
	}
	cmd.Flags().StringVar(&root, "data-root", "", "the run folder")
	cmd.Flags().StringVar(&category, "category", "", "only this category")
	_ = cmd.MarkFlagRequired("data-root")
	return cmd
}

func filesOf(ch catalog.Chart) string {
	var out []string
	for name, path := range map[string]string{"csv": ch.CSV, "json": ch.JSON, "png": ch.PNG} {
		if path != "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func inspectSectionsCommand(c app.CLI) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "inspect-sections", Short: "List the sections of an outline with their reviews and what is malformed", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o, err := readOutline(file)
			if err != nil {
				return err
			}
			return c.Print(struct {
				Sections []outline.Section `json:"sections"`
				Problems []outline.Problem `json:"problems"`
			}{o.Sections, o.Problems}, func(w io.Writer) error {
				for _, s := range o.Sections {
					fmt.Fprintf(w, "%s%s  %s\n", strings.Repeat("  ", s.Level-1), s.ID, s.Title)
					if len(s.Ratings) > 0 || s.Notes != "" {
						fmt.Fprintf(w, "%s  rated %s. %s\n", strings.Repeat("  ", s.Level-1), ratingText(s.Ratings), strings.ReplaceAll(s.Notes, "\n", " "))
					}
				}
				for _, p := range o.Problems {
					fmt.Fprintln(w, p)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&file, "outline", "", "the outline, a Markdown file")
	_ = cmd.MarkFlagRequired("outline")
	return cmd
}

// ratingText writes ratings in the order of the rubric.
func ratingText(ratings map[string]int) string {
	var out []string
	for _, d := range outline.Dimensions {
		if n, ok := ratings[d]; ok {
			out = append(out, fmt.Sprintf("%s=%d", d, n))
		}
	}
	return cmp.Or(strings.Join(out, ", "), "nothing")
}

func readOutline(file string) (*outline.Outline, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, dossier.Errorf(dossier.NotFound, "The outline %q cannot be read.", file).Because(err)
	}
	return outline.Parse(source)
}

func inspectMappingCommand(c app.CLI) *cobra.Command {
	var f draft.Files
	var section string
	cmd := &cobra.Command{
		Use: "inspect-section-mapping", Short: "Show which charts each section draws on, and why", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := draft.Load(cmd.Context(), f)
			if err != nil {
				return err
			}
			defer r.Close()
			for _, p := range r.UnknownSections() {
				fmt.Fprintln(c.Err(), p)
			}
			var out []mapping.Selection
			for _, sel := range r.Selections() {
				if section == "" || sel.Section == section {
					out = append(out, sel)
				}
			}
			if len(out) == 0 {
				_, err := r.Outline.Section(section)
				return err
			}
			return c.Print(out, func(w io.Writer) error {
				for _, sel := range out {
					fmt.Fprintf(w, "%s (by %s)\n", sel.Section, sel.From)
					for _, ch := range sel.Choices {
						fmt.Fprintf(w, "  %s: %s\n", ch.Key, ch.Why)
					}
					for _, p := range sel.Problems {
						fmt.Fprintf(w, "  ! %s\n", p)
					}
				}
				return nil
			})
		},
	}
	fileFlags(cmd, &f)
	cmd.Flags().StringVar(&section, "section", "", "only this section")
	return cmd
}

func chartCommand(c app.CLI) *cobra.Command {
	var root string
	cmd := &cobra.Command{
		Use: "chart ID", Short: "Show a chart's schema, rows and summary", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cat, err := catalog.Open(cmd.Context(), root)
			if err != nil {
				return err
			}
			defer cat.Close()
			backend, err := catalog.NewBackend(cmd.Context(), cat)
			if err != nil {
				return err
			}
			defer backend.Close()
			r := &draft.Report{Catalog: cat, Backend: backend}
			data, err := r.Data(cmd.Context(), args[0], draft.Pick{Most: math.MaxInt})
			if err != nil {
				return err
			}
			return c.Print(data, func(w io.Writer) error {
				fmt.Fprintf(w, "%s (%s), %d rows, %s\n", data.Title, data.Meta.Units, data.RowCount, data.Summary.MeasureType)
				for _, s := range slices.Concat(data.Summary.KeyInsights, data.Summary.Caveats) {
					fmt.Fprintf(w, "  %s\n", s)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&root, "data-root", "", "the run folder")
	_ = cmd.MarkFlagRequired("data-root")
	return cmd
}

func (wr Writer) runEval(c app.CLI) *cobra.Command {
	var file, out string
	var about rating.About
	cmd := &cobra.Command{
		Use: "run-eval", Short: "Record the ratings of a reviewed outline", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o, err := readOutline(file)
			if err != nil {
				return err
			}
			about.At = c.Now()
			about.ToolVersion = writer.RulesVersion
			by, version := wroteBy(file, o)
			about.Model = cmp.Or(about.Model, by, "unknown")
			about.PromptVersion = cmp.Or(about.PromptVersion, version, wr.Version)
			run, err := rating.Of(o, about)
			if err != nil {
				return err
			}
			if out != "" {
				if err := writeJSON(out, run); err != nil {
					return err
				}
			}
			return c.Print(run, func(w io.Writer) error {
				for _, d := range outline.Dimensions {
					if v, ok := run.Aggregate[d]; ok {
						fmt.Fprintf(w, "%-13s %s over %d sections\n", d, v, run.Rated[d])
					}
				}
				if len(run.Aggregate) == 0 {
					fmt.Fprintln(w, "No section is rated yet.")
				}
				for _, p := range run.Problems {
					fmt.Fprintln(w, p)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&file, "outline", "", "the reviewed outline, a Markdown file")
	cmd.Flags().StringVar(&about.RunID, "run-id", "", "a name for this record")
	cmd.Flags().StringVar(&out, "output", "", "file to write the record to")
	cmd.Flags().StringVar(&about.Model, "model", "", "who wrote the drafts (default: as the artefacts beside the outline say)")
	cmd.Flags().StringVar(&about.PromptVersion, "prompt-version", "", "version of the prompt (default: as the artefacts beside the outline say, else the one built in)")
	for _, name := range []string{"outline", "run-id"} {
		_ = cmd.MarkFlagRequired(name)
	}
	return cmd
}

func compareCommand(c app.CLI) *cobra.Command {
	var svg string
	cmd := &cobra.Command{
		Use: "compare FILE FILE...", Short: "Compare evaluation records, oldest first", Args: cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			var runs []*rating.Run
			for _, name := range args {
				data, err := os.ReadFile(name)
				if err != nil {
					return dossier.Errorf(dossier.NotFound, "The record %q cannot be read.", name).Because(err)
				}
				run, err := rating.Parse(data)
				if err != nil {
					return err
				}
				runs = append(runs, run)
			}
			cmpr, err := rating.Compare(runs...)
			if err != nil {
				return err
			}
			if svg != "" {
				if err := os.WriteFile(svg, []byte(cmpr.SVG()), 0o644); err != nil {
					return dossier.Errorf(dossier.Unavailable, "The chart cannot be written to %q.", svg).Because(err)
				}
			}
			return c.Print(cmpr, func(w io.Writer) error {
				for _, d := range cmpr.Dimensions {
					fmt.Fprintf(w, "%-13s", d.Name)
					for _, m := range d.Means {
						if m == nil {
							fmt.Fprint(w, "     –")
						} else {
							fmt.Fprintf(w, " %5s", m)
						}
					}
					if d.Change != nil {
						fmt.Fprintf(w, "   change %s", d.Change)
					}
					fmt.Fprintln(w)
				}
				for _, s := range cmpr.Sections {
					fmt.Fprintf(w, "%s: %s from %d to %d\n", s.Section, s.Dimension, s.From, s.To)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&svg, "svg", "", "also draw the comparison to this file")
	return cmd
}

func writeJSON(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	if err := os.WriteFile(name, append(data, '\n'), 0o644); err != nil {
		return dossier.Errorf(dossier.Unavailable, "%q cannot be written.", name).Because(err)
	}
	return nil
}
