package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"dossier"
	"dossier/internal/app"
	"dossier/internal/auth"
	"dossier/internal/store"
)

// Version is set by the build; without it the module's own version counts.
var Version = ""

func buildVersion() string {
	if Version != "" {
		return Version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "devel"
}

func (l *line) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return l.print(struct {
				Version string `json:"version"`
			}{buildVersion()}, func(w io.Writer) error {
				fmt.Fprintln(w, "dossier "+buildVersion())
				return nil
			})
		},
	}
}

func (l *line) configCmd() *cobra.Command {
	cmd := group("config", "Check and show the configuration")
	cmd.AddCommand(&cobra.Command{
		Use: "check", Short: "Say whether the configuration holds", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := l.settings()
			if err != nil {
				return err
			}
			return l.print(struct {
				OK   bool   `json:"ok"`
				File string `json:"file"`
			}{true, s.file}, func(w io.Writer) error {
				fmt.Fprintln(w, "The configuration holds.")
				return nil
			})
		},
	}, &cobra.Command{
		Use: "show", Short: "Print the configuration in force; secrets are shown as where they come from", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			s, err := l.settings()
			if err != nil {
				return err
			}
			return l.print(s.shown(), func(w io.Writer) error { return toml.NewEncoder(w).Encode(s.shown()) })
		},
	})
	return cmd
}

// A shownConfig is the configuration with the apps' own parts as they are in force.
type shownConfig struct {
	Config
	Apps map[string]app.Config `toml:"apps"`
}

func (s *settings) shown() shownConfig {
	c := shownConfig{Config: s.Config, Apps: s.apps}
	c.Store.URL = withoutPassword(c.Store.URL)
	c.Trace.Headers = map[string]Secret{}
	for name, v := range s.Trace.Headers {
		if !v.named() {
			v = "[secret]"
		}
		c.Trace.Headers[name] = v
	}
	return c
}

// withoutPassword hides the password of a database URL.
func withoutPassword(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	at := strings.LastIndex(rest, "@")
	if !ok || at < 0 {
		return url
	}
	user, _, has := strings.Cut(rest[:at], ":")
	if !has {
		return url
	}
	return scheme + "://" + user + ":[secret]" + rest[at:]
}

func (l *line) users() *cobra.Command {
	cmd := &cobra.Command{
		Use: "users", Short: "List, add and change who may sign in", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			all, err := p.auth.Users(cmd.Context())
			if err != nil {
				return err
			}
			return l.print(orNone(all), func(w io.Writer) error {
				tw := tabwriter.NewWriter(w, 2, 0, 2, ' ', 0)
				fmt.Fprintln(tw, "NAME\tROLES\tSINCE\t")
				for _, u := range all {
					state := ""
					if u.Disabled {
						state = "may not sign in"
					}
					fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", u.Name, join(u.Roles), u.Created.Format(time.DateOnly), state)
				}
				return tw.Flush()
			})
		},
	}
	cmd.AddCommand(l.userAdd(), l.userRoles(), l.userToken())
	return cmd
}

func roleSlice(names []string) []dossier.Role {
	var out []dossier.Role
	for _, n := range names {
		out = append(out, dossier.Role(n))
	}
	return out
}

func (l *line) userAdd() *cobra.Command {
	var roles []string
	cmd := &cobra.Command{
		Use: "invite", Short: "Print a one-time link that makes a user with these roles", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			s, err := p.auth.NewLink(cmd.Context(), "", roleSlice(roles), 7*24*time.Hour)
			if err != nil {
				return err
			}
			return l.print(struct {
				Link string `json:"link"`
			}{p.auth.LinkURL(s)}, func(w io.Writer) error {
				fmt.Fprintf(w, "Give this link to them; it works once, for a week:\n%s\n", p.auth.LinkURL(s))
				return nil
			})
		},
	}
	cmd.Flags().StringSliceVar(&roles, "role", nil, "roles of the new user")
	return cmd
}

func (l *line) userRoles() *cobra.Command {
	return &cobra.Command{
		Use: "roles NAME ROLE...", Short: "Give a user exactly these roles", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			u, err := p.store.UserByName(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			roles := roleSlice(args[1:])
			u, err = p.auth.ChangeUser(cmd.Context(), l.operator(), u.ID, u.Version, auth.UserChange{Roles: &roles})
			if err != nil {
				return err
			}
			return l.print(u, func(w io.Writer) error {
				fmt.Fprintf(w, "%s now has: %s\n", u.Name, join(u.Roles))
				return nil
			})
		},
	}
}

func (l *line) userToken() *cobra.Command {
	var roles []string
	var name string
	cmd := &cobra.Command{
		Use: "token USER", Short: "Make an API token for a user; it is shown once", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			u, err := p.store.UserByName(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			own := roleSlice(roles)
			if len(own) == 0 {
				own = u.Roles
			}
			t, secret, err := p.auth.AddToken(cmd.Context(), dossier.Principal{ID: u.ID, Name: u.Label(), Roles: u.Roles}, name, own, time.Time{})
			if err != nil {
				return err
			}
			return l.print(struct {
				ID    string `json:"id"`
				Token string `json:"token"`
			}{t.ID, string(secret)}, func(w io.Writer) error {
				fmt.Fprintf(w, "%s\nKeep it: it is not shown again.\n", string(secret))
				return nil
			})
		},
	}
	cmd.Flags().StringSliceVar(&roles, "role", nil, "only these of the user's roles (default all)")
	cmd.Flags().StringVar(&name, "name", "command line", "what the token is for")
	return cmd
}

func (l *line) backup() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Write a consistent copy of all records while the product runs", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := l.product(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Fprintln(l.Err, "Backing up…")
			if err := p.store.Backup(cmd.Context(), args[0]); err != nil {
				return err
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return dossier.Errorf(dossier.Unavailable, "The backup %s is not there.", args[0]).Because(err)
			}
			return l.print(struct {
				File  string `json:"file"`
				Bytes int64  `json:"bytes"`
			}{args[0], info.Size()}, func(w io.Writer) error {
				fmt.Fprintf(w, "Wrote %s, %d bytes. Keep %s/ledger.key with it: it signs the checkpoints.\n", args[0], info.Size(), p.Data)
				return nil
			})
		},
	}
}

func (l *line) restore() *cobra.Command {
	return &cobra.Command{
		Use: "restore FILE", Short: "Read a backup into an empty data folder or database", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := os.Stat(args[0]); err != nil {
				return dossier.Errorf(dossier.Invalid, "The backup %s cannot be read.", args[0]).Because(err)
			}
			s, err := l.settings()
			if err != nil {
				return err
			}
			fmt.Fprintln(l.Err, "Restoring…")
			if err := l.restoreInto(cmd.Context(), s, args[0]); err != nil {
				return err
			}
			return l.print(struct {
				Restored string `json:"restored"`
			}{args[0]}, func(w io.Writer) error {
				fmt.Fprintf(w, "Restored %s. Put the ledger.key of then into %s if checkpoints should go on with the same key.\n", args[0], s.Data)
				return nil
			})
		},
	}
}

// restoreInto reads a backup into an empty database. It makes the apps' tables and
// builds no app: an app may write rows of its own as soon as it starts.
func (l *line) restoreInto(ctx context.Context, s *settings, file string) error {
	if err := os.MkdirAll(s.Data, 0o700); err != nil {
		return dossier.Errorf(dossier.Invalid, "The folder %s cannot be made. Choose another with --data.", s.Data).Because(err)
	}
	url, err := s.storeURL(l.Env)
	if err != nil {
		return err
	}
	st, err := store.Open(ctx, store.Options{URL: url, Now: l.now, Dir: s.Data, Log: l.logger(s)})
	if err != nil {
		return err
	}
	defer st.Close()
	for _, a := range l.apps {
		if a.Files == nil {
			continue
		}
		if err := st.Migrate(ctx, a.ID, a.Files); err != nil {
			return err
		}
	}
	return st.Restore(ctx, file)
}
