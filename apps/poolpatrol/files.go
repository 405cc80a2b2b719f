package poolpatrol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/apps/poolpatrol/roster"
	"dossier/internal/app"
)

// An imported says what came of reading files.
type imported struct {
	Employees int              `json:"employees"`
	Shifts    int              `json:"shifts"`
	Vanpools  int              `json:"vanpools"`
	Riders    int              `json:"riders"`
	PTO       int              `json:"pto"`
	ZIPs      int              `json:"zips"`
	Problems  []roster.Problem `json:"problems"`
	Saved     bool             `json:"saved"`
}

func importCommand(c app.CLI) *cobra.Command {
	var kind string
	var keep, dry bool
	cmd := &cobra.Command{
		Use: "import FILE...", Short: "Take employees, shifts, vanpools, riders, days off and ZIP codes from CSV or JSON", Args: cobra.MinimumNArgs(1),
		Long: "Reads CSV files with a header line, and JSON files with a list or an object of lists. What a file holds is\n" +
			"told by its name (employees.csv) or by --kind. Every row that cannot be taken is reported with its line.\n" +
			"A rider whose employee or vanpool is neither in the files nor known is such a row. If there is one, nothing\n" +
			"is saved, unless --keep-good asks for the others.",
		RunE: func(cmd *cobra.Command, args []string) error {
			var all roster.Book
			var problems []roster.Problem
			for _, name := range args {
				b, bad, err := readFile(name, roster.Kind(kind))
				if err != nil {
					return err
				}
				all.Add(b)
				problems = append(problems, bad...)
			}
			s, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			out, err := s.take(cmd.Context(), all, problems, keep, dry)
			if err != nil {
				return err
			}
			if err := c.Print(out, out.print); err != nil {
				return err
			}
			if len(out.Problems) > 0 && !keep {
				return dossier.Errorf(dossier.Invalid, "%d rows cannot be taken; nothing was saved. Mend them, or keep the others with --keep-good.", len(out.Problems))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "what the files hold: shifts, zips, employees, pto, vanpools or riders")
	cmd.Flags().BoolVar(&keep, "keep-good", false, "save the good rows even if others are bad")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "read and report, save nothing")
	return cmd
}

func readFile(name string, kind roster.Kind) (roster.Book, []roster.Problem, error) {
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return roster.Book{}, nil, dossier.Errorf(dossier.Invalid, "There is no file %s. Check the path.", name).Because(err)
	case err != nil:
		return roster.Book{}, nil, dossier.Errorf(dossier.Invalid, "%s cannot be opened. Check that you may read it.", name).Because(err)
	}
	defer func() { _ = f.Close() }()
	return roster.Read(name, kind, f)
}

// take saves records, unless some are bad: then only if the others are to be kept.
func (s *server) take(ctx context.Context, b roster.Book, problems []roster.Problem, keep, dry bool) (imported, error) {
	b, lacking, err := s.patrol.Roster.Lacking(ctx, b)
	if err != nil {
		return imported{}, err
	}
	out := imported{Problems: slices.Concat([]roster.Problem{}, problems, lacking)}
	out.count(b)
	if dry || len(out.Problems) > 0 && !keep {
		return out, nil
	}
	if err := s.patrol.Roster.Save(ctx, b); err != nil {
		return out, err
	}
	out.Saved = true
	return out, nil
}

func (i *imported) count(b roster.Book) {
	i.Employees, i.Shifts, i.Vanpools = len(b.Employees), len(b.Shifts), len(b.Vanpools)
	i.Riders, i.PTO, i.ZIPs = len(b.Riders), len(b.PTO), len(b.ZIPs)
}

func (i *imported) print(w io.Writer) error {
	for _, p := range i.Problems {
		fmt.Fprintln(w, p)
	}
	word := "Read"
	if i.Saved {
		word = "Saved"
	}
	_, err := fmt.Fprintf(w, "%s %d employees, %d shifts, %d vanpools, %d riders, %d stretches off, %d ZIP codes.\n",
		word, i.Employees, i.Shifts, i.Vanpools, i.Riders, i.PTO, i.ZIPs)
	return err
}

func exportCommand(c app.CLI) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "export", Short: "Write every record as JSON, or as CSV files with --csv DIR", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := open(cmd.Context(), c)
			if err != nil {
				return err
			}
			b, err := s.patrol.Roster.All(cmd.Context())
			if err != nil {
				return err
			}
			if dir != "" {
				return writeCSVs(b, dir)
			}
			enc := json.NewEncoder(c.Out())
			enc.SetIndent("", "  ")
			return enc.Encode(b)
		},
	}
	cmd.Flags().StringVar(&dir, "csv", "", "folder for one CSV file per kind")
	return cmd
}

func writeCSVs(b roster.Book, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return dossier.Errorf(dossier.Invalid, "The folder %s cannot be made. Name one that you may write to.", dir).Because(err)
	}
	for _, k := range roster.Kinds {
		f, err := os.OpenFile(filepath.Join(dir, string(k)+".csv"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return dossier.Errorf(dossier.Invalid, "The folder %s cannot be written to. Name one that you may write to.", dir).Because(err)
		}
		err = b.WriteCSV(f, k)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	return nil
}
