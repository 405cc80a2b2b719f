package airshed

import (
	"errors"
	"math"
	"testing"

	"dossier"
	"dossier/apps/airshed/correlate"
)

func TestConfigDefaultsOfTheDesign(t *testing.T) {
	t.Parallel()
	c := defaults()
	got := []float64{
		c.SurgeAQIThreshold, c.FireCorrelationRadiusKm, float64(c.HighContributionFireCount), c.MinConfidenceScore, c.NASADataMissingPenalty, c.DSSDataMissingPenalty,
		c.LowFireCountPenalty, c.HighDistancePenalty, c.CorrelationWindowHours, c.MaxDataAgeHours, c.ExecutionTimeoutMinutes, float64(c.S3ReadRetries), float64(c.CAQMSubmissionRetries), c.RetryBackoffBaseSeconds,
	}
	want := []float64{300, 200, 100, 30, 40, 20, 10, 10, 48, 24, 10, 3, 2, 1}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("constant A-%03d = %v, want %v", 97+i, got[i], want[i])
		}
	}
	if len(c.BorderStations) != 4 || c.BorderStations[1] != (BorderStation{"Anand Vihar", 28.65, 77.32, "UP"}) || c.Prefix != "data/" {
		t.Errorf("%+v", c.BorderStations)
	}
	if c.rules() != correlate.Defaults() {
		t.Errorf("%+v", c.rules())
	}
	for name, spoil := range map[string]func(*Config){
		"stations": func(c *Config) { c.BorderStations = nil }, "schedule": func(c *Config) { c.Schedule = "often" }, "retries": func(c *Config) { c.S3ReadRetries = -1 },
		"mail": func(c *Config) { c.StateMail = map[string][]string{"Haryana": {"nobody"}} }, "endpoint": func(c *Config) { c.CAQMEndpoint = "caqm" },
		"timeout": func(c *Config) { c.ExecutionTimeoutMinutes = 0 }, "auto": func(c *Config) { c.AutoFileConfidence = 101 }, "radius": func(c *Config) { c.FireCorrelationRadiusKm = -1 },
		"not a number": func(c *Config) { c.SurgeAQIThreshold = math.NaN() }, "endless": func(c *Config) { c.CorrelationWindowHours = math.Inf(1) },
		"no timeout": func(c *Config) { c.ExecutionTimeoutMinutes = math.NaN() }, "no pause": func(c *Config) { c.RetryBackoffBaseSeconds = math.NaN() }, "no confidence": func(c *Config) { c.AutoFileConfidence = math.NaN() },
		"penalty": func(c *Config) { c.NASADataMissingPenalty = math.Inf(1) }, "calm": func(c *Config) { c.CalmKmh = math.NaN() },
		"station twice": func(c *Config) {
			c.BorderStations = append(c.BorderStations, BorderStation{"ALIPUR", 28.8, 77.1, "Haryana"})
		},
		"state twice": func(c *Config) {
			c.StateMail = map[string][]string{"UP": {"a@x.example"}, "Uttar Pradesh": {"b@x.example"}}
		},
		"reports as data":    func(c *Config) { c.ReportsPrefix = "data/reports/" },
		"everything is data": func(c *Config) { c.Prefix = "" },
		"out of the bucket":  func(c *Config) { c.ReportsPrefix = "../x/" },
		"bucket":             func(c *Config) { c.Bucket = "ftp://x" }, "credentials": func(c *Config) { c.Bucket = "s3://key:word@name" }, "address": func(c *Config) { c.Bucket = "lake" },
	} {
		x := defaults()
		spoil(&x)
		if err := x.Validate(); !errors.Is(err, dossier.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nothing is filed without a person unless the operator said from which confidence on.
func TestFilesAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, confidence float64
		want             bool
	}{{0, 100, false}, {0, 0, false}, {90, 89.9, false}, {90, 90, true}, {90, 100, true}} {
		if got := (Config{AutoFileConfidence: c.from}).filesAlone(c.confidence); got != c.want {
			t.Errorf("from %v, confidence %v: %v", c.from, c.confidence, got)
		}
	}
}
