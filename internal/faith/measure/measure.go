// Package measure knows the units that prose and evidence write: which spellings mean
// the same thing, how many of one are another, and which promise no more than the
// evidence holds. It is a table with two functions; it reads no text and no numbers.
// A unit that the table lacks is a dimension of its own and converts to nothing else.
package measure

import (
	"math/big"
	"strings"
)

// A Unit is what a unit's text means: the dimension it counts in and how many of
// that dimension's base one of it is.
type Unit struct {
	Dim   string
	Scale *big.Rat
}

// None is the unit of a plain count or ratio. It differs from "", which says that
// nobody knows the unit and any may be written.
const None = "1"

// unitFamilies lists, for each dimension, the spellings and their scale against the
// base. Case matters: MW is not mW.
var unitFamilies = map[string]map[string]string{
	"percent": {"%": "1", "per cent": "1", "percent": "1", "pct": "1"},
	"points":  {"percentage points": "1", "percentage point": "1", "pp": "1", "p.p.": "1"},
	"co2e": family("t", []string{"CO₂-e", "CO2-e", "CO₂e", "CO2e", "CO₂", "CO2"},
		"g", "kg", "t", "kt", "Mt", "Gt"),
	"mass": {
		"µg": "0.000000000001", "mg": "0.000000001", "g": "0.000001", "kg": "0.001",
		"t": "1", "kt": "1e3", "Mt": "1e6", "Gt": "1e9",
		"tonne": "1", "tonnes": "1", "kilograms": "0.001", "kilogram": "0.001",
	},
	"energy": {
		"J": "1", "kJ": "1e3", "MJ": "1e6", "GJ": "1e9", "TJ": "1e12", "PJ": "1e15", "EJ": "1e18",
		"Wh": "3.6e3", "kWh": "3.6e6", "MWh": "3.6e9", "GWh": "3.6e12", "TWh": "3.6e15",
	},
	"power": {"W": "1", "kW": "1e3", "MW": "1e6", "GW": "1e9", "TW": "1e12"},
	"length": {
		"mm": "0.001", "cm": "0.01", "m": "1", "km": "1000", "metres": "1", "metre": "1",
		"kilometres": "1000", "kilometre": "1000", "kilometers": "1000", "kilometer": "1000",
		"mi": "1609.344", "mile": "1609.344", "miles": "1609.344",
	},
	"area": {"m²": "1", "m2": "1", "km²": "1e6", "km2": "1e6", "ha": "1e4", "hectares": "1e4", "hectare": "1e4"},
	"time": {
		"ms": "0.001", "s": "1", "sec": "1", "second": "1", "seconds": "1", "min": "60", "mins": "60",
		"minute": "60", "minutes": "60", "h": "3600", "hr": "3600", "hrs": "3600", "hour": "3600", "hours": "3600",
		"day": "86400", "days": "86400", "week": "604800", "weeks": "604800",
	},
	"months":      {"month": "1", "months": "1"},
	"years":       {"year": "1", "years": "1"},
	"temperature": {"°C": "1", "℃": "1"},
	"density":     {"µg/m³": "1", "μg/m³": "1", "µg/m3": "1", "ug/m3": "1", "mg/m³": "1000"},
	"speed":       {"m/s": "3.6", "km/h": "1", "kmh": "1"},
	"radiant":     {"GW/h": "1"},
	"INR":         {"₹": "1", "INR": "1", "Rs": "1", "rupees": "1"},
	"USD":         {"US$": "1", "USD": "1"},
	"AUD":         {"A$": "1", "AUD": "1"},
	"dollar":      {"$": "1", "dollars": "1"},
	"EUR":         {"€": "1", "EUR": "1"},
	"GBP":         {"£": "1", "GBP": "1"},
}

// family combines SI masses with the substances they are of.
func family(base string, of []string, masses ...string) map[string]string {
	scales := map[string]string{"g": "0.000001", "kg": "0.001", base: "1", "kt": "1e3", "Mt": "1e6", "Gt": "1e9"}
	m := map[string]string{}
	for _, mass := range masses {
		for _, o := range of {
			m[mass+" "+o], m[mass+o] = scales[mass], scales[mass]
		}
	}
	return m
}

// Known holds the units of the table by spelling.
var Known = build()

func build() map[string]Unit {
	all := map[string]Unit{}
	for dim, spellings := range unitFamilies {
		for text, scale := range spellings {
			r, _ := new(big.Rat).SetString(scale)
			all[text] = Unit{dim, r}
		}
	}
	all[None] = Unit{None, big.NewRat(1, 1)}
	return all
}

// Of returns what a unit means. A unit the table lacks is its own dimension.
func Of(unit string) Unit {
	if m, ok := Known[unit]; ok {
		return m
	}
	if m, ok := Known[strings.Join(strings.Fields(strings.ReplaceAll(unit, "\u00a0", " ")), " ")]; ok {
		return m
	}
	return Unit{strings.ToLower(unit), big.NewRat(1, 1)}
}

// Conversion returns the factor that turns a value in unit from into unit to, and
// whether the two measure the same thing. Mass may be written for mass of CO₂-e,
// its usual short form; the reverse claims more than the evidence holds.
func Conversion(from, to string) (*big.Rat, bool) {
	if from == to {
		return big.NewRat(1, 1), true
	}
	f, t := Of(from), Of(to)
	same := f.Dim == t.Dim || f.Dim == "co2e" && t.Dim == "mass" ||
		t.Dim == "dollar" && (f.Dim == "USD" || f.Dim == "AUD")
	switch {
	case same:
		return new(big.Rat).Quo(f.Scale, t.Scale), true
	case f.Dim == None && t.Dim == "percent":
		return big.NewRat(100, 1), true
	default:
		return nil, false
	}
}

// suffixUnits maps the last part of a JSON key to the unit it promises.
var suffixUnits = map[string]string{
	"km": "km", "kms": "km", "m": "m", "metres": "m", "meters": "m", "minutes": "min", "min": "min", "mins": "min", "hours": "h",
	"seconds": "s", "days": "days", "pct": "%", "percent": "%", "kwh": "kWh", "mwh": "MWh", "mw": "MW",
	"pj": "PJ", "mt": "Mt", "celsius": "°C", "ha": "ha", "weeks": "weeks", "months": "months",
}

// OfKey reads a unit from a key such as "distance_km", and "" if it names none.
func OfKey(key string) string {
	i := strings.LastIndexByte(key, '_')
	if i < 0 {
		return ""
	}
	return suffixUnits[strings.ToLower(key[i+1:])]
}
