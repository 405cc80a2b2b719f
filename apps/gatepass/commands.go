package gatepass

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dossier"
	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/office"
	"dossier/apps/gatepass/operation"
	"dossier/apps/gatepass/qr"
	"dossier/internal/app"
)

// commands are those below `dossier gatepass`.
func commands(c app.CLI) []*cobra.Command {
	return []*cobra.Command{chatCommand(c), verifyCommand(c), kitCommand(c), listCommand(c), outCommand(c), toolsCommand(c)}
}

// openHouse builds the app's parts over the opened product.
func openHouse(cmd *cobra.Command, c app.CLI) (*house, error) {
	_, env, err := c.Open(cmd.Context())
	if err != nil {
		return nil, err
	}
	cfg, err := c.Config()
	if err != nil {
		return nil, err
	}
	return newHouse(env, *cfg.(*Config))
}

// verifyCommand checks a QR code with files alone.
func verifyCommand(c app.CLI) *cobra.Command {
	var kitFile, key, at string
	cmd := &cobra.Command{
		Use:   "verify-qr [TEXT]",
		Short: "Check what a pass's QR code says, without the server",
		Long: "Checks the signature, validity and revocation of the text of a QR code, given as the argument or on standard input.\n" +
			"--kit is the file that `dossier gatepass kit` wrote while the server was in reach; --key gives a public key instead.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := argument(c, args)
			if err != nil {
				return err
			}
			keys, revoked, err := trusted(kitFile, key)
			if err != nil {
				return err
			}
			now := c.Now()
			if at != "" {
				if now, err = time.Parse(time.RFC3339, at); err != nil {
					return dossier.Errorf(dossier.Invalid, "--at must be a time such as 2026-11-16T10:00:00Z.").Because(err)
				}
			}
			v := qr.Verify(text, keys, revoked, now)
			err = c.Print(v, func(w io.Writer) error {
				_, err := fmt.Fprintln(w, v.Reason)
				return err
			})
			if err == nil && !v.Valid {
				return dossier.Errorf(dossier.Forbidden, "The code does not hold (%s).", v.Code)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&kitFile, "kit", "", "file with the gate's keys and revocations")
	cmd.Flags().StringVar(&key, "key", "", "public key, in base64")
	cmd.Flags().StringVar(&at, "at", "", "the time to check for, as 2026-11-16T10:00:00Z; now if absent")
	return cmd
}

func argument(c app.CLI, args []string) (string, error) {
	if len(args) == 1 {
		return args[0], nil
	}
	raw, err := io.ReadAll(io.LimitReader(c.In(), 4096))
	if err != nil {
		return "", dossier.Errorf(dossier.Invalid, "Standard input cannot be read.").Because(err)
	}
	return strings.TrimSpace(string(raw)), nil
}

// trusted reads the keys to trust and the signed revocation list.
func trusted(kitFile, key string) ([]ed25519.PublicKey, []string, error) {
	kit := office.GateKit{Keys: []string{key}}
	if kitFile != "" {
		raw, err := os.ReadFile(kitFile)
		if err != nil || json.Unmarshal(raw, &kit) != nil {
			return nil, nil, dossier.Errorf(dossier.Invalid, "The kit %s cannot be read.", kitFile).Because(err)
		}
	} else if key == "" {
		return nil, nil, dossier.Errorf(dossier.Invalid, "Give --kit FILE or --key KEY: without a key no signature can be checked.")
	}
	var keys []ed25519.PublicKey
	for _, k := range kit.Keys {
		raw, err := base64.StdEncoding.DecodeString(k)
		if err != nil || len(raw) != ed25519.PublicKeySize {
			return nil, nil, dossier.Errorf(dossier.Invalid, "%q is not an ed25519 public key in base64.", k)
		}
		keys = append(keys, raw)
	}
	if kitFile != "" {
		if err := kit.Revocations.Check(keys); err != nil {
			return nil, nil, err
		}
	}
	return keys, kit.Revocations.Numbers, nil
}

func kitCommand(c app.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "kit", Short: "Write what a gate needs to check codes offline: keys and revocations, as JSON", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := openHouse(cmd, c)
			if err != nil {
				return err
			}
			kit, err := h.office.GateKit(cmd.Context())
			if err != nil {
				return err
			}
			raw, err := json.MarshalIndent(kit, "", "  ")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(c.Out(), string(raw))
			return err
		},
	}
}

func listCommand(c app.CLI) *cobra.Command {
	var q office.Query
	cmd := &cobra.Command{
		Use: "list", Short: "List passes, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printPasses(cmd, c, q) },
	}
	cmd.Flags().StringVar(&q.Status, "status", "", "only passes with this status")
	cmd.Flags().StringVar(&q.Search, "search", "", "words of name or purpose")
	cmd.Flags().StringVar(&q.Date, "date", "", "only passes made on this day, as 2026-11-16")
	cmd.Flags().IntVar(&q.Page, "page", 1, "page")
	return cmd
}

func outCommand(c app.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "out", Short: "Who is out now and expected back", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printPasses(cmd, c, office.Query{Status: "pending_return", Limit: 200})
		},
	}
}

func printPasses(cmd *cobra.Command, c app.CLI, q office.Query) error {
	h, err := openHouse(cmd, c)
	if err != nil {
		return err
	}
	page, err := h.office.List(cmd.Context(), q)
	if err != nil {
		if p, ok := err.(*office.Problem); ok { //nolint:errorlint // made by List itself
			return dossier.Errorf(dossier.Invalid, "%s", p.Detail)
		}
		return err
	}
	return c.Print(page, func(w io.Writer) error {
		if len(page.Items) == 0 {
			_, err := fmt.Fprintln(w, "There are none.")
			return err
		}
		for _, p := range page.Items {
			if _, err := fmt.Fprintf(w, "%-14s %-9s %-24s %s\n", p.Number, p.Status, p.Person, p.Purpose); err != nil {
				return err
			}
		}
		return nil
	})
}

func toolsCommand(c app.CLI) *cobra.Command {
	var desk string
	cmd := &cobra.Command{
		Use: "tools", Short: "The operations people can ask for, with an example of each", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ops := operation.All
			if desk != "" {
				ops = operation.For(desk)
			}
			if len(ops) == 0 {
				return dossier.Errorf(dossier.Invalid, "%s", client.UnknownRole(desk, operation.Desks).Guidance)
			}
			return c.Print(ops, func(w io.Writer) error {
				for _, o := range ops {
					if _, err := fmt.Fprintf(w, "%-30s %-24s %-4s %s\n  %s\n", o.Name, operation.RequiredRole(o.Desks), o.Method, o.Endpoint, o.Example); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&desk, "role", "", "only those of hr, admin or gate")
	return cmd
}
