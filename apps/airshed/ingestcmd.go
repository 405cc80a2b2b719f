package airshed

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"dossier/apps/airshed/ingest"
	"dossier/apps/airshed/lake"
)

func (l line) ingest() *cobra.Command {
	var at, out string
	var boundaries []string
	var keepStatic bool
	cmd := &cobra.Command{
		Use:   "ingest FILE…",
		Short: "Turn FIRMS, CPCB, DSS, Open-Meteo and METAR files into one harmonised object in the lake",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			when, cfg, err := l.settings(at)
			if err != nil {
				return err
			}
			cfg.Boundaries = append(cfg.Boundaries, boundaries...)
			return l.doIngest(cmd.Context(), cfg, args, ingest.Options{At: when, KeepStatic: keepStatic}, out)
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "time of the snapshot (default: that of the newest reading, fire or share)")
	cmd.Flags().StringVarP(&out, "out", "o", "", "write to this file, - for standard output, instead of the lake")
	cmd.Flags().StringSliceVar(&boundaries, "boundaries", nil, "GeoJSON of states and districts, added to the configured ones")
	cmd.Flags().BoolVar(&keepStatic, "keep-static", false, "keep what FIRMS marks as no vegetation fire")
	return cmd
}

func (l line) doIngest(ctx context.Context, cfg Config, names []string, opt ingest.Options, out string) error {
	var err error
	if opt.Boundaries, err = cfg.boundaries(); err != nil {
		return err
	}
	var list []ingest.File
	for _, n := range names {
		raw, err := l.read(n)
		if err != nil {
			return err
		}
		list = append(list, ingest.File{Name: n, Data: raw})
	}
	snap, summary, err := ingest.Build(list, opt)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(snap)
	if err != nil {
		return fmt.Errorf("encode snapshot: %w", err)
	}
	where := out
	switch out {
	case "-":
		_, err = l.Out().Write(append(raw, '\n'))
		for _, text := range summary.Lines() {
			fmt.Fprintln(l.Err(), text)
		}
		return err
	case "":
		a, err := l.open(ctx)
		if err != nil {
			return err
		}
		if where, err = a.lake.Put(ctx, a.cfg.Prefix+"sensor_"+snap.Time.Format("20060102_150405")+".json", "application/json", raw); err != nil {
			return err
		}
	default:
		if err := lake.WriteFile(out, raw); err != nil {
			return err
		}
	}
	return l.Print(struct {
		Object string `json:"object"`
		ingest.Summary
	}{where, summary}, func(w io.Writer) error {
		for _, text := range summary.Lines() {
			fmt.Fprintln(w, text)
		}
		_, err := fmt.Fprintf(w, "written to %s\n", where)
		return err
	})
}
