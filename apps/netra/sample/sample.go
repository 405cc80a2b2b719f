// Package sample makes up reports for the demonstration of the district risk app.
//
// Nothing in it happened: districts are real names, news and sources are not. The
// demonstration draws from it with a fixed seed, so that it shows the same every time.
// It knows nothing of records or scores.
package sample

import (
	"fmt"
	"math/rand/v2"
	"time"

	"dossier/apps/netra/engine"
	"dossier/apps/netra/ingest"
)

// A District is one with the kind of news it has.
type District struct {
	engine.Place
	Texts   []string
	Reports int // of the last three days
}

var (
	// Tense is the news of a district where things happen.
	Tense = []string{
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

// Districts are those of the demonstration.
var Districts = []District{
	{engine.Place{State: "Manipur", District: "Imphal West"}, Tense, 14}, {engine.Place{State: "Manipur", District: "Churachandpur"}, Tense, 12},
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

// Row makes the i-th report of a district, at a time, from a source of its own.
func (d District) Row(r *rand.Rand, i int, at time.Time) ingest.Row {
	return ingest.Row{Line: i + 1, Report: ingest.Report{State: d.State, District: d.Place.District, Text: d.Texts[(i+r.IntN(2))%len(d.Texts)],
		Timestamp: at.UTC().Format(time.RFC3339), SourceURL: fmt.Sprintf("https://news%d.example.org/%d", 1+r.IntN(4), r.IntN(1e6))}}
}
