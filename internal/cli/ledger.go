package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/ledger"
)

func (l *line) ledger() *cobra.Command {
	cmd := group("ledger", "Seal, export and verify evidence")
	cmd.AddCommand(l.ledgerSeal(), l.ledgerList(), l.ledgerExport(), l.ledgerVerify(), l.ledgerKey())
	return cmd
}

func (l *line) ledgerSeal() *cobra.Command {
	return &cobra.Command{
		Use: "seal", Short: "Make a signed checkpoint over every chain that grew", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			c, made, err := p.ledger.Seal(cmd.Context())
			if err != nil {
				return err
			}
			return l.print(struct {
				Made       bool              `json:"made"`
				Checkpoint ledger.Checkpoint `json:"checkpoint"`
			}{made, c}, func(w io.Writer) error {
				if !made {
					fmt.Fprintln(w, "Nothing grew since the last checkpoint.")
					return nil
				}
				fmt.Fprintf(w, "Checkpoint %d covers %d chains, root %s\n", c.Number, c.Heads, c.Root)
				return nil
			})
		},
	}
}

func (l *line) ledgerList() *cobra.Command {
	return &cobra.Command{
		Use: "checkpoints", Short: "List the newest checkpoints", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			all, err := p.store.Checkpoints(cmd.Context(), 50)
			if err != nil {
				return err
			}
			return l.print(orNone(all), func(w io.Writer) error {
				for _, c := range all {
					fmt.Fprintf(w, "%4d  %s  %5d chains  %s\n", c.Number, c.At.Format(time.DateTime), c.Heads, c.Root)
				}
				return nil
			})
		},
	}
}

func (l *line) ledgerExport() *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "export CASE", Short: "Write a case with its proof to a file that anyone can verify", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			b, err := p.ledger.Export(cmd.Context(), dossier.CaseID(args[0]))
			if err != nil {
				return err
			}
			raw, err := json.MarshalIndent(b, "", "  ")
			if err != nil {
				return fmt.Errorf("encode bundle: %w", err)
			}
			raw = append(raw, '\n')
			if file == "" {
				_, err = l.Out.Write(raw)
				return err
			}
			if err := os.WriteFile(file, raw, 0o644); err != nil {
				return dossier.Errorf(dossier.Invalid, "The file %s cannot be written.", file).Because(err)
			}
			fmt.Fprintf(l.Err, "Wrote %s: %d entries. Check it anywhere with: dossier ledger verify %s --key %s\n", file, len(b.Evidence), file, p.ledger.PublicKey())
			return nil
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write (default standard output)")
	return cmd
}

func (l *line) ledgerVerify() *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use: "verify FILE", Short: "Check an exported case, with no database", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := os.Open(args[0])
			if err != nil {
				return dossier.Errorf(dossier.Invalid, "The file %s cannot be read.", args[0]).Because(err)
			}
			defer f.Close()
			b, err := ledger.Read(f)
			if err != nil {
				return err
			}
			r := ledger.Verify(b, key, l.rules(b.Case.App))
			if err := l.print(r, func(w io.Writer) error { return writeReport(w, r) }); err != nil {
				return err
			}
			if !r.OK {
				return errSilent
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&key, "key", "", "the public key that the checkpoint must be signed with")
	return cmd
}

// rules returns an app's rules, or nil for an app that this binary does not have.
func (l *line) rules(id string) []ledger.Rule {
	for _, a := range l.apps {
		if a.ID == id {
			return append([]ledger.Rule{}, a.Rules...)
		}
	}
	return nil
}

func writeReport(w io.Writer, r ledger.Report) error {
	fmt.Fprintf(w, "Case %s: %d entries", r.Case, r.Entries)
	if r.Covered > 0 {
		fmt.Fprintf(w, ", %d sealed on %s with key %s", r.Covered, r.SealedAt.Format(time.DateTime), r.Key)
	}
	fmt.Fprintln(w)
	for _, c := range r.Checks {
		fmt.Fprintf(w, "  %-12s %s by %s", c.Agreement, c.Finding.Check, c.Finding.By)
		if c.Newer != "" {
			fmt.Fprintf(w, " (the rule is now in version %s", c.Newer)
			if c.NewerSays != nil {
				fmt.Fprintf(w, " and says %s: %s", c.NewerSays.Verdict, c.NewerSays.Reason)
			}
			fmt.Fprint(w, ")")
		}
		fmt.Fprintln(w)
	}
	for _, p := range r.Problems {
		fmt.Fprintln(w, "  BAD: "+p)
	}
	if r.OK {
		fmt.Fprintln(w, "Everything holds.")
	}
	return nil
}

func (l *line) ledgerKey() *cobra.Command {
	return &cobra.Command{
		Use: "key", Short: "Print the public key that checkpoints are signed with", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			return l.print(struct {
				Key string `json:"key"`
			}{p.ledger.PublicKey()}, func(w io.Writer) error {
				fmt.Fprintln(w, p.ledger.PublicKey())
				return nil
			})
		},
	}
}

func (l *line) verify() *cobra.Command {
	return &cobra.Command{
		Use: "verify CASE", Short: "Recompute every finding of a case from its stored evidence", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			b, err := p.ledger.Export(cmd.Context(), dossier.CaseID(args[0]))
			if err != nil {
				return err
			}
			r := ledger.Verify(b, p.ledger.PublicKey(), l.rules(b.Case.App))
			if err := l.print(r, func(w io.Writer) error { return writeReport(w, r) }); err != nil {
				return err
			}
			if !r.OK {
				return errSilent
			}
			return nil
		},
	}
}
