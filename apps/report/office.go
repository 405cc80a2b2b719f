package report

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dossier"
	"dossier/apps/report/draft"
	"dossier/apps/report/outline"
	"dossier/apps/report/writer"
	"dossier/internal/app"
)

// The roles.
const (
	analyst  dossier.Role = "analyst"
	reviewer dossier.Role = "reviewer"
)

// office is the app at work.
type office struct {
	env  app.Env
	cfg  Config
	book book
}

func newOffice(env app.Env, cfg Config) *office {
	if cfg.Root == "" {
		cfg.Root = filepath.Join(env.Dir, "runs")
	}
	return &office{env: env, cfg: cfg, book: book{env.DB}}
}

// subject names a section's case.
func subject(report, section string) string { return report + "/" + section }

// section returns which report and section a case is about.
func (o *office) section(ctx context.Context, id dossier.CaseID) (report, section string, err error) {
	c, err := o.env.Desk.Case(ctx, id)
	if err != nil {
		return "", "", err
	}
	report, section, ok := strings.Cut(c.Subject, "/")
	if !ok {
		return "", "", dossier.Errorf(dossier.Invalid, "Case %s is about no section of a report.", id)
	}
	return report, section, nil
}

// only returns the id of the one report there is, for a look from outside any report.
func (o *office) only(ctx context.Context) (string, error) {
	all, err := o.book.reports(ctx)
	if err != nil {
		return "", err
	}
	if len(all) != 1 {
		return "", dossier.Errorf(dossier.Invalid, "This look belongs to no report, and there are %d. Ask in the conversation of the report you mean.", len(all))
	}
	return all[0].ID, nil
}

// dataRoot returns where a stored run folder lies. A name that would leave the
// configured root is refused.
func (o *office) dataRoot(name string) (string, error) {
	if !filepath.IsLocal(name) {
		return "", dossier.Errorf(dossier.Invalid, "The data root %q must lie inside the configured folder.", name)
	}
	root, err := os.OpenRoot(o.cfg.Root)
	if err != nil {
		return "", dossier.Errorf(dossier.Unavailable, "The configured folder of run folders cannot be opened.").Because(err)
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil || !info.IsDir() {
		return "", dossier.Errorf(dossier.NotFound, "There is no run folder %q.", name).Because(err)
	}
	return filepath.Join(o.cfg.Root, name), nil
}

// open loads a stored report with its charts. Close what it returns.
func (o *office) open(ctx context.Context, id string) (record, *draft.Report, error) {
	rec, err := o.book.report(ctx, id)
	if err != nil {
		return rec, nil, err
	}
	dir, err := o.dataRoot(rec.DataRoot)
	if err != nil {
		return rec, nil, err
	}
	r, err := draft.LoadStored(ctx, []byte(rec.Outline), []byte(rec.Map), dir)
	if err != nil {
		return rec, nil, fmt.Errorf("open report %s: %w", id, err)
	}
	return rec, r, nil
}

// create stores a new report.
func (o *office) create(ctx context.Context, id, title, dataRoot string, source, chartMap []byte) (record, error) {
	if _, err := outline.Parse(source); err != nil {
		return record{}, err
	}
	dir, err := o.dataRoot(dataRoot)
	if err != nil {
		return record{}, err
	}
	if len(chartMap) == 0 {
		chartMap = []byte("{}")
	}
	r, err := draft.LoadStored(ctx, source, chartMap, dir)
	if err != nil {
		return record{}, err
	}
	if err := r.Close(); err != nil {
		return record{}, fmt.Errorf("close run folder: %w", err)
	}
	rec := record{ID: id, Title: title, DataRoot: dataRoot, Map: string(chartMap), Outline: string(source), Created: o.env.Now()}
	if err := o.book.add(ctx, rec); err != nil {
		return record{}, err
	}
	return o.book.report(ctx, id)
}

// start opens the case of each section and begins a run for it, unless one is writing it
// already; the runs go on beside each other. None named means all that are not final.
func (o *office) start(ctx context.Context, report string, sections []string, by dossier.Principal) ([]dossier.Run, error) {
	rec, err := o.book.report(ctx, report)
	if err != nil {
		return nil, err
	}
	doc, err := outline.Parse([]byte(rec.Outline))
	if err != nil {
		return nil, err
	}
	var runs []dossier.Run
	err = o.env.DB.InTx(ctx, func(ctx context.Context) error {
		if err := o.book.hold(ctx, report); err != nil {
			return err
		}
		if len(sections) == 0 {
			if sections, err = o.unfinished(ctx, report, doc); err != nil {
				return err
			}
		}
		for _, id := range sections {
			s, err := doc.Section(id)
			if err != nil {
				return err
			}
			run, err := o.startOne(ctx, rec, s, by)
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		return nil
	})
	return runs, err
}

// unfinished returns the sections that are not final.
func (o *office) unfinished(ctx context.Context, report string, doc *outline.Outline) ([]string, error) {
	drafts, err := o.book.drafts(ctx, report, "")
	if err != nil {
		return nil, err
	}
	status := map[string]string{}
	for _, d := range drafts {
		status[d.Section] = d.Status
	}
	var out []string
	for _, s := range doc.Sections {
		if status[s.ID] != "final" {
			out = append(out, s.ID)
		}
	}
	if len(out) == 0 {
		return nil, dossier.Errorf(dossier.Conflict, "Every section is final. Name those that are to be written again all the same.")
	}
	return out, nil
}

// writing returns the run that is writing a section's next draft, if there is one. A run
// that wrote its draft waits for a person or ends, and is not meant.
func (o *office) writing(ctx context.Context, id dossier.CaseID) (dossier.Run, bool, error) {
	report, section, err := o.section(ctx, id)
	if err != nil {
		return dossier.Run{}, false, err
	}
	drafts, err := o.book.drafts(ctx, report, section)
	if err != nil {
		return dossier.Run{}, false, err
	}
	runs, err := o.env.Desk.Runs(ctx, id)
	for _, r := range runs {
		wrote := slices.ContainsFunc(drafts, func(d stored) bool { return d.Run == r.ID })
		if !wrote && !r.Status.Ended() {
			return r, true, nil
		}
	}
	return dossier.Run{}, false, err
}

func (o *office) startOne(ctx context.Context, rec record, s *outline.Section, by dossier.Principal) (dossier.Run, error) {
	c, _, err := o.env.Desk.Open(ctx, app.Opening{
		Subject: subject(rec.ID, s.ID), Title: fmt.Sprintf("%s: %s", rec.Title, s.Title), State: dossier.Open, Stage: "drafting", By: by,
	})
	if err != nil {
		return dossier.Run{}, err
	}
	if run, ok, err := o.writing(ctx, c.ID); err != nil || ok {
		return run, err
	}
	if err := o.takeRejection(ctx, rec.ID, s.ID); err != nil {
		return dossier.Run{}, err
	}
	if _, err := o.env.Desk.Move(ctx, c.ID, app.Change{State: dossier.Open, Stage: "drafting", Note: "A draft was asked for.", By: by.ID}); err != nil {
		return dossier.Run{}, err
	}
	return o.env.Desk.Start(ctx, app.Start{Case: c.ID, Agent: writer.Name, For: by, Input: writer.Task{Report: rec.ID, Section: s.ID}})
}
