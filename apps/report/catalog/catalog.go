// Package catalog finds the charts of a model run's folder and reads their data.
// Open looks through the folder once and keeps what each chart is: its title, units,
// dimensions and scenarios, from the plot specifications and from the data itself;
// a [Backend] then reads the rows of one chart at a time.
//
// Everything is read through one os.Root, so no name, link or path that a model or a
// person gives can reach a file outside the folder, and callers name charts by ID,
// never by path. The package changes nothing on disk and computes no results.
package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"dossier"
)

// A Chart is what the catalog knows of one chart without its rows.
type Chart struct {
	ID         string   `json:"id"`       // file name without extension; with its category where two share it
	Category   string   `json:"category"` // folder, "" at the top
	Title      string   `json:"title"`
	CSV        string   `json:"path_csv,omitempty"` // relative to the data root
	PNG        string   `json:"path_png,omitempty"`
	JSON       string   `json:"path_json,omitempty"`
	Shape      Shape    `json:"shape"`
	Columns    []string `json:"columns"`
	Dimensions []string `json:"dimensions"`
	Measures   []string `json:"measures"`
	Scenarios  []string `json:"scenarios"` // sorted, in the run's usual spelling
	Units      string   `json:"units"`     // all of them, joined by "; "
	UnitList   []string `json:"unit_list"`
	RowCount   int      `json:"row_count"` // data rows
	Years      []int    `json:"years,omitempty"`
	BaseYear   int      `json:"base_year,omitempty"`
	FinalYear  int      `json:"final_year,omitempty"`
	Total      string   `json:"total_name,omitempty"` // label of a row that is the total of the others
	Sections   []string `json:"linked_section_ids"`
	Warnings   []string `json:"warnings,omitempty"`

	written []string // scenarios as this chart spells them
}

// Key is the chart's place in the folder: "emissions/emissions_by_sector".
func (c *Chart) Key() string { return path.Join(c.Category, baseName(cmp.Or(c.CSV, c.JSON, c.PNG))) }

// A Catalog is the charts of one run folder.
type Catalog struct {
	Root         string   `json:"-"`
	Charts       []Chart  `json:"charts"` // by category, then ID
	ProjectViews []string `json:"project_views"`
	Warnings     []string `json:"warnings"`

	root     *os.Root
	byName   map[string]int    // by ID and by key
	spelling map[string]string // scenario as written, to the usual spelling
}

// Open reads a run folder. It fails if the folder cannot be read or holds no chart;
// files that cannot be used are left out and said in Warnings.
func Open(ctx context.Context, dir string) (*Catalog, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, dossier.Errorf(dossier.NotFound, "The data root %q cannot be opened as a folder.", dir).Because(err)
	}
	c := &Catalog{Root: dir, root: root, byName: map[string]int{}, spelling: map[string]string{}}
	if err := c.load(ctx); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return c, nil
}

// Close gives the folder back.
func (c *Catalog) Close() error { return c.root.Close() }

func (c *Catalog) load(ctx context.Context) error {
	found, err := c.discover()
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return dossier.Errorf(dossier.Invalid, "The data root %q holds no charts: no folder with .csv, .json or .png files.", c.Root)
	}
	specs, err := c.specs()
	if err != nil {
		return err
	}
	c.Charts = found
	if err := c.describe(ctx, specs); err != nil {
		return err
	}
	c.name()
	c.spell()
	return nil
}

// discover walks the folder and groups files into charts.
func (c *Catalog) discover() ([]Chart, error) {
	byKey := map[string]*Chart{}
	err := fs.WalkDir(c.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("read data root: %w", err)
		}
		if d.IsDir() || strings.HasPrefix(path.Base(name), ".") {
			return nil
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if info, err := c.root.Stat(name); err != nil || info.IsDir() {
				c.Warnings = append(c.Warnings, name+" is a link that is not followed.")
				return nil //nolint:nilerr // a link that leads out is left out, and said
			}
		}
		c.take(name, byKey)
		return nil
	})
	if err != nil {
		return nil, err
	}
	charts := make([]Chart, 0, len(byKey))
	for _, ch := range byKey {
		charts = append(charts, *ch)
	}
	slices.SortFunc(charts, func(a, b Chart) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Key(), b.Key()))
	})
	return charts, nil
}

func (c *Catalog) take(name string, byKey map[string]*Chart) {
	base, ext := baseName(name), strings.ToLower(path.Ext(name))
	dir := path.Dir(name)
	if dir == "." {
		dir = ""
		if ok, _ := path.Match("project_view_*.csv", name); ok {
			c.ProjectViews = append(c.ProjectViews, name)
			return
		}
		if name == "plot_specs.json" || ext == ".json" && base == "section_chart_map" {
			return
		}
	}
	key := path.Join(dir, base)
	ch := byKey[key]
	if ch == nil {
		ch = &Chart{Category: dir}
	}
	switch ext {
	case ".csv":
		ch.CSV = name
	case ".png":
		ch.PNG = name
	case ".json":
		ch.JSON = name
	default:
		return
	}
	byKey[key] = ch
}

func baseName(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// describe fills in every chart, a few at a time.
func (c *Catalog) describe(ctx context.Context, specs []Spec) error {
	byTitle := map[string][]Spec{}
	for _, s := range specs {
		byTitle[normal(s.Title)] = append(byTitle[normal(s.Title)], s)
	}
	var wg sync.WaitGroup
	next := make(chan *Chart)
	for range min(runtime.GOMAXPROCS(0), 8) {
		wg.Go(func() {
			for ch := range next {
				c.describeOne(ch, byTitle)
			}
		})
	}
	var err error
	for i := range c.Charts {
		if err = ctx.Err(); err != nil {
			break
		}
		next <- &c.Charts[i]
	}
	close(next)
	wg.Wait()
	return err
}

func (c *Catalog) describeOne(ch *Chart, byTitle map[string][]Spec) {
	base := baseName(cmp.Or(ch.CSV, ch.JSON, ch.PNG))
	ch.ID, ch.Title, ch.Sections = base, titleOf(base), []string{}
	var spec Spec
	for _, s := range byTitle[normal(base)] {
		if spec.Title == "" || normal(s.Category) == normal(ch.Category) {
			spec = s
		}
	}
	if spec.Title != "" {
		ch.Title, ch.BaseYear, ch.FinalYear, ch.Total = spec.Title, spec.BaseYear, spec.FinalYear, spec.Total
	}
	if err := c.scanCSV(ch); err != nil {
		ch.Warnings = append(ch.Warnings, dossier.Message(err))
	}
	if len(ch.UnitList) == 0 {
		ch.UnitList = spec.Units()
	}
	if len(ch.UnitList) == 0 && ch.JSON != "" {
		if u := c.plotlyUnit(ch); u != "" {
			ch.UnitList = []string{u}
		}
	}
	ch.Units = strings.Join(ch.UnitList, "; ")
	if ch.CSV == "" {
		ch.Warnings = append(ch.Warnings, "There is no data file (.csv) for this chart.")
	}
}

// name settles the IDs: the bare file name where it is unique.
func (c *Catalog) name() {
	count := map[string]int{}
	for _, ch := range c.Charts {
		count[ch.ID]++
	}
	for i := range c.Charts {
		ch := &c.Charts[i]
		key := ch.Key()
		if count[ch.ID] > 1 {
			ch.ID = key
		}
		c.byName[ch.ID], c.byName[key] = i, i
	}
}

// spell gives each scenario the spelling most charts use.
func (c *Catalog) spell() {
	uses := map[string]map[string]int{}
	for _, ch := range c.Charts {
		for _, s := range ch.written {
			n := normal(s)
			if uses[n] == nil {
				uses[n] = map[string]int{}
			}
			uses[n][s]++
		}
	}
	for _, spellings := range uses {
		best := ""
		for s, n := range spellings {
			if best == "" || n > spellings[best] || n == spellings[best] && s > best {
				best = s
			}
		}
		for s := range spellings {
			c.spelling[s] = best
		}
	}
	for i := range c.Charts {
		ch := &c.Charts[i]
		ch.Scenarios = make([]string, 0, len(ch.written))
		for _, s := range ch.written {
			usual := c.Scenario(s)
			if usual != s {
				ch.Warnings = append(ch.Warnings, fmt.Sprintf("Scenario %q is spelled %q here.", usual, s))
			}
			if !slices.Contains(ch.Scenarios, usual) {
				ch.Scenarios = append(ch.Scenarios, usual)
			}
		}
		slices.Sort(ch.Scenarios)
	}
}

// Scenario returns the usual spelling of a scenario's name.
func (c *Catalog) Scenario(written string) string { return cmp.Or(c.spelling[written], written) }

// Scenarios returns every scenario of the run, sorted.
func (c *Catalog) Scenarios() []string {
	var all []string
	for _, ch := range c.Charts {
		all = append(all, ch.Scenarios...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Chart returns the chart with an ID or a key such as "emissions/by_sector".
func (c *Catalog) Chart(id string) (*Chart, error) {
	i, ok := c.byName[id]
	if !ok {
		return nil, dossier.Errorf(dossier.NotFound, "There is no chart %q in this run; list_charts, or inspect-charts on the command line, shows those there are.", id)
	}
	return &c.Charts[i], nil
}

// Categories returns the category folders in order, with how many charts each has.
func (c *Catalog) Categories() []Category {
	var out []Category
	for _, ch := range c.Charts {
		if k := len(out); k == 0 || out[k-1].Name != ch.Category {
			out = append(out, Category{Name: ch.Category})
		}
		out[len(out)-1].Charts++
	}
	return out
}

// A Category is one folder of charts.
type Category struct {
	Name   string `json:"name"`
	Charts int    `json:"charts"`
}

// maxFile bounds what is read of a picture or a specification.
const maxFile = 64 << 20

// read returns a file of the folder.
func (c *Catalog) read(name string) ([]byte, error) {
	f, err := c.root.Open(name)
	if err != nil {
		return nil, dossier.Errorf(dossier.NotFound, "%q is not a file of this run.", name).Because(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, dossier.Errorf(dossier.Invalid, "%q is larger than %d MB.", name, maxFile>>20)
	}
	return data, nil
}

// Image returns a chart's PNG.
func (c *Catalog) Image(ch *Chart) ([]byte, error) {
	if ch.PNG == "" {
		return nil, dossier.Errorf(dossier.NotFound, "Chart %q has no picture.", ch.ID)
	}
	data, err := c.read(ch.PNG)
	if err == nil && !strings.HasPrefix(string(data), "\x89PNG\r\n\x1a\n") {
		return nil, dossier.Errorf(dossier.Invalid, "The picture of chart %q is not a PNG.", ch.ID)
	}
	return data, err
}
