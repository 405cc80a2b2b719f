package netra

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
)

// A mood is the kind of news a demo district has.
type mood struct {
	place engine.Place
	texts []string
	n     int // reports of the last three days
}

var (
	tense = []string{
		"Gunfight between armed groups leaves several dead near the foothills", "Houses burnt overnight in a buffer zone village",
		"Indefinite bandh called across the district after ambush", "Economic blockade on the national highway enters another day",
		"Curfew imposed after clashes in the main market", "Hate speech video stirs communal tension", "IED blast on NH-2 injures six",
		"Rumours of an attack spread fear in relief camps", "Mob attack on a convoy leaves vehicles torched", "Internet shutdown extended after violence",
	}
	uneasy = []string{
		"Student bodies call 12-hour bandh over land survey", "Protest rally demands probe into killing of a youth", "Arms cache recovered near border area",
		"Narcotics seized at a border crossing", "Coordinated road blockade on the highway by vendors", "Threat letter to traders in the bazaar",
		"Agitation over boundary dispute intensifies", "Explosives and detonators recovered from a village",
	}
	calm = []string{
		"Peace dialogue meeting held at the district office", "Curfew relaxed as calm returns", "Weather warning: heavy rain expected in the hills",
		"Flag march conducted in the town", "Memorandum submitted over road repairs", "Bandh called off after talks with the administration",
		"Peace committee formed by village elders", "Protest over water supply at the market", "Heavy rainfall triggers landslide on the highway",
	}
)

// moods are the districts of the demo. Everything in it is made up.
var moods = []mood{
	{engine.Place{State: "Manipur", District: "Imphal West"}, tense, 14}, {engine.Place{State: "Manipur", District: "Churachandpur"}, tense, 12},
	{engine.Place{State: "Manipur", District: "Tengnoupal"}, uneasy, 9}, {engine.Place{State: "Manipur", District: "Jiribam"}, uneasy, 8},
	{engine.Place{State: "Nagaland", District: "Mon"}, uneasy, 7}, {engine.Place{State: "Nagaland", District: "Dimapur"}, uneasy, 6},
	{engine.Place{State: "Assam", District: "Cachar"}, uneasy, 8}, {engine.Place{State: "Assam", District: "Kokrajhar"}, uneasy, 6},
	{engine.Place{State: "Assam", District: "Dibrugarh"}, calm, 6}, {engine.Place{State: "Assam", District: "Kamrup Metropolitan"}, calm, 8},
	{engine.Place{State: "Meghalaya", District: "East Khasi Hills"}, calm, 7}, {engine.Place{State: "Mizoram", District: "Champhai"}, uneasy, 6},
	{engine.Place{State: "Mizoram", District: "Aizawl"}, calm, 4}, {engine.Place{State: "Tripura", District: "Dhalai"}, uneasy, 5},
	{engine.Place{State: "Tripura", District: "West Tripura"}, calm, 5}, {engine.Place{State: "Sikkim", District: "Gangtok"}, calm, 4},
	{engine.Place{State: "Arunachal Pradesh", District: "Tirap"}, uneasy, 6}, {engine.Place{State: "Arunachal Pradesh", District: "Tawang"}, calm, 3},
	{engine.Place{State: "Arunachal Pradesh", District: "Changlang"}, uneasy, 5}, {engine.Place{State: "Manipur", District: "Ukhrul"}, calm, 4},
}

// arrivals is how many reports come in live after the demo is loaded, one every beat.
const (
	arrivals = 90
	beat     = 10 * time.Second
)

// demo loads made-up reports of the last days, stores a short history and queues
// reports that arrive while someone looks.
func (o *office) demo(ctx context.Context) error {
	m, err := o.book.Mark(ctx)
	if err != nil || m.Seq > 0 {
		return err
	}
	now := o.env.Now()
	r := rand.New(rand.NewPCG(20260203, 1))
	var rows []ingest.Row
	for _, d := range moods {
		for i := range d.n {
			age := time.Duration(r.Int64N(int64(70 * time.Hour)))
			if i%2 == 0 {
				age = time.Duration(r.Int64N(int64(20 * time.Hour)))
			}
			rows = append(rows, d.row(r, i, now.Add(-age)))
		}
	}
	if _, err := o.ingestRows(ctx, rows, nil); err != nil {
		return err
	}
	if err := o.demoHistory(ctx, rows, now); err != nil {
		return err
	}
	for i := range arrivals {
		if err := o.env.Desk.Later(ctx, jobDemo, demoArgs{i}, now.Add(time.Duration(i+1)*beat), fmt.Sprintf("demo/%d", i)); err != nil {
			return err
		}
	}
	return nil
}

func (d mood) row(r *rand.Rand, i int, at time.Time) ingest.Row {
	return ingest.Row{Line: i + 1, Report: ingest.Report{State: d.place.State, District: d.place.District, Text: d.texts[(i+r.IntN(2))%len(d.texts)],
		Timestamp: at.UTC().Format(time.RFC3339), SourceURL: fmt.Sprintf("https://news%d.example.org/%d", 1+r.IntN(4), r.IntN(1e6))}}
}

// demoHistory stores the scores that the reports would have had every three hours of
// the last two days, so that the charts have a line.
func (o *office) demoHistory(ctx context.Context, rows []ingest.Row, now time.Time) error {
	accepted, _ := ingest.AcceptAll(rows, nil, now)
	byPlace := map[engine.Place][]engine.Signal{}
	for _, a := range accepted {
		byPlace[a.Signal.Place()] = append(byPlace[a.Signal.Place()], a.Signal)
	}
	e, err := engine.New(o.cfg.params())
	if err != nil {
		return err
	}
	for p, signals := range byPlace {
		for hours := 48; hours > 0; hours -= 3 {
			for _, w := range engine.Windows {
				s, err := e.Compute(p, signals, w, now.Add(-time.Duration(hours)*time.Hour))
				if err != nil {
					return err
				}
				if err := o.book.SaveScore(ctx, &s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

type demoArgs struct {
	N int `json:"n"`
}

// demoArrival takes in one made-up report, now.
func (o *office) demoArrival(ctx context.Context, raw json.RawMessage) error {
	var in demoArgs
	if err := json.Unmarshal(raw, &in); err != nil {
		return fmt.Errorf("decode demo: %w", err)
	}
	r := rand.New(rand.NewPCG(7, uint64(in.N)))
	d := moods[r.IntN(len(moods))]
	if in.N%3 == 0 {
		d.texts = tense
	}
	row := d.row(r, in.N, o.env.Now())
	row.Report.Text += fmt.Sprintf(" in ward %d", 1+r.IntN(30))
	_, err := o.ingestRows(ctx, []ingest.Row{row}, nil)
	return err
}
