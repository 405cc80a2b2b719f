package airshed

import (
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"dossier"
	"dossier/apps/airshed/correlate"
	"dossier/apps/airshed/lake"
	"dossier/apps/airshed/observe"
	"dossier/internal/geo"
)

// Config is the app's part of the configuration, under [apps.airshed]. The names of
// the thresholds are the design's.
type Config struct {
	SurgeAQIThreshold         float64 `toml:"surge_aqi_threshold"`
	FireCorrelationRadiusKm   float64 `toml:"fire_correlation_radius_km"`
	HighContributionFireCount int     `toml:"high_contribution_fire_count"`
	MinConfidenceScore        float64 `toml:"min_confidence_score"`
	NASADataMissingPenalty    float64 `toml:"nasa_data_missing_penalty"`
	DSSDataMissingPenalty     float64 `toml:"dss_data_missing_penalty"`
	LowFireCountPenalty       float64 `toml:"low_fire_count_penalty"`
	LowFireCount              int     `toml:"low_fire_count"` // fewer fires cost the penalty
	HighDistancePenalty       float64 `toml:"high_distance_penalty"`
	HighDistanceKm            float64 `toml:"high_distance_km"` // a mean beyond it costs the penalty
	CorrelationWindowHours    float64 `toml:"correlation_window_hours"`
	MaxDataAgeHours           float64 `toml:"max_data_age_hours"`
	ExecutionTimeoutMinutes   float64 `toml:"execution_timeout_minutes"`
	S3ReadRetries             int     `toml:"s3_read_retries"` // after the first call
	CAQMSubmissionRetries     int     `toml:"caqm_submission_retries"`
	RetryBackoffBaseSeconds   float64 `toml:"retry_backoff_base_seconds"`

	BorderStations []BorderStation `toml:"border_stations"`
	HomeState      string          `toml:"home_state"` // fires in it are no neighbour's
	StationMatchKm float64         `toml:"station_match_km"`
	SameSurgeHours float64         `toml:"same_surge_hours"`
	RunGapHours    float64         `toml:"run_gap_hours"`

	TransportHours int     `toml:"transport_hours"`
	SectorDegrees  float64 `toml:"sector_degrees"`
	SupportShare   float64 `toml:"support_share"`
	ContraryShare  float64 `toml:"contrary_share"`
	CalmKmh        float64 `toml:"calm_kmh"`
	HistoryDays    int     `toml:"history_days"`

	Bucket        string   `toml:"bucket"` // "": a folder of the app's own; or file:///…, s3://name?region=…
	Prefix        string   `toml:"prefix"`
	ReportsPrefix string   `toml:"reports_prefix"`
	Boundaries    []string `toml:"boundaries"` // GeoJSON files of states and districts
	Schedule      string   `toml:"schedule"`   // of the sweep; "": only on events and by hand
	Watch         string   `toml:"watch"`      // how often the bucket is looked at for something new; "": never

	CAQMEndpoint       string              `toml:"caqm_endpoint"`        // "": simulated, kept in the app's folder
	CAQMToken          string              `toml:"caqm_token"`           // name of the secret that holds the bearer token
	CAQMHMACKey        string              `toml:"caqm_hmac_key"`        // name of the secret that signs the body
	AutoFileConfidence float64             `toml:"auto_file_confidence"` // file without asking from this confidence on; 0: always ask
	StateMail          map[string][]string `toml:"state_mail"`           // state to the addresses that get its notices
}

// A BorderStation is a station to watch.
type BorderStation struct {
	Name      string  `toml:"name"`
	Latitude  float64 `toml:"latitude"`
	Longitude float64 `toml:"longitude"`
	Border    string  `toml:"border"` // the state across the border
}

func defaults() Config {
	r := correlate.Defaults()
	c := Config{
		SurgeAQIThreshold: r.SurgeAQI, FireCorrelationRadiusKm: r.RadiusKm, HighContributionFireCount: r.HighFires,
		MinConfidenceScore: r.MinConfidence, NASADataMissingPenalty: r.NASAMissing, DSSDataMissingPenalty: r.DSSMissing,
		LowFireCountPenalty: r.LowFires, LowFireCount: r.LowFireCount, HighDistancePenalty: r.FarFires, HighDistanceKm: r.FarKm,
		CorrelationWindowHours: r.Window.Hours(), MaxDataAgeHours: r.MaxAge.Hours(), ExecutionTimeoutMinutes: 10,
		S3ReadRetries: 3, CAQMSubmissionRetries: 2, RetryBackoffBaseSeconds: 1,
		HomeState: r.HomeState, StationMatchKm: r.MatchKm, SameSurgeHours: r.SameSurge.Hours(), RunGapHours: r.RunGap.Hours(),
		TransportHours: r.TransportHours, SectorDegrees: r.SectorDegrees, SupportShare: r.SupportShare, ContraryShare: r.ContraryShare,
		CalmKmh: r.CalmKmh, HistoryDays: r.HistoryDays,
		Prefix: "data/", ReportsPrefix: "reports/", Schedule: "0 */6 * * *",
	}
	for _, s := range correlate.Stations() {
		c.BorderStations = append(c.BorderStations, BorderStation{s.Name, s.Lat, s.Lon, s.Border})
	}
	return c
}

// Validate reports the first setting that cannot be meant.
func (c Config) Validate() error {
	if err := c.rules().Validate(); err != nil {
		return dossier.Errorf(dossier.Invalid, "apps.airshed: %s", dossier.Message(err)).Because(err)
	}
	if c.Bucket != "" {
		if err := lake.CheckURL(c.Bucket); err != nil {
			return dossier.Errorf(dossier.Invalid, "apps.airshed.bucket: %s", dossier.Message(err)).Because(err)
		}
	}
	switch {
	case len(c.BorderStations) == 0:
		return dossier.Errorf(dossier.Invalid, "apps.airshed.border_stations: at least one station must be watched.")
	case c.S3ReadRetries < 0 || c.CAQMSubmissionRetries < 0 || c.S3ReadRetries > 10 || c.CAQMSubmissionRetries > 10:
		return dossier.Errorf(dossier.Invalid, "apps.airshed: retries must be from 0 to 10.")
	case !(c.RetryBackoffBaseSeconds >= 0 && c.RetryBackoffBaseSeconds <= 60):
		return dossier.Errorf(dossier.Invalid, "apps.airshed.retry_backoff_base_seconds must be from 0 to 60.")
	case !(c.ExecutionTimeoutMinutes > 0 && c.ExecutionTimeoutMinutes <= 24*60):
		return dossier.Errorf(dossier.Invalid, "apps.airshed.execution_timeout_minutes must be above 0 and at most a day.")
	case !(c.AutoFileConfidence >= 0 && c.AutoFileConfidence <= 100):
		return dossier.Errorf(dossier.Invalid, "apps.airshed.auto_file_confidence must be from 0 (always ask) to 100.")
	}
	if err := c.checkPlaces(); err != nil {
		return err
	}
	for i, s := range c.BorderStations {
		if slices.ContainsFunc(c.BorderStations[:i], func(o BorderStation) bool { return strings.EqualFold(o.Name, s.Name) }) {
			return dossier.Errorf(dossier.Invalid, "apps.airshed.border_stations: %q is there twice.", s.Name)
		}
		if s.Name == "" || !(geo.Point{Lat: s.Latitude, Lon: s.Longitude}).Valid() {
			return dossier.Errorf(dossier.Invalid, "apps.airshed.border_stations: %q needs a name, a latitude and a longitude.", s.Name)
		}
	}
	for name, spec := range map[string]string{"schedule": c.Schedule, "watch": c.Watch} {
		if spec == "" {
			continue
		}
		if _, err := cron.ParseStandard(spec); err != nil {
			return dossier.Errorf(dossier.Invalid, "apps.airshed.%s: %q is not a schedule such as \"0 */6 * * *\".", name, spec).Because(err)
		}
	}
	if u, err := url.Parse(c.CAQMEndpoint); c.CAQMEndpoint != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		return dossier.Errorf(dossier.Invalid, "apps.airshed.caqm_endpoint: %q is not an address.", c.CAQMEndpoint)
	}
	spelled := map[string]string{}
	for state, addresses := range c.StateMail {
		if other, twice := spelled[observe.StateKey(state)]; twice {
			return dossier.Errorf(dossier.Invalid, "apps.airshed.state_mail: %q and %q are one state. Put its addresses under one name.", state, other)
		}
		spelled[observe.StateKey(state)] = state
		for _, to := range addresses {
			if _, err := mail.ParseAddress(to); err != nil {
				return dossier.Errorf(dossier.Invalid, "apps.airshed.state_mail: %q (%s) is not a mail address.", to, state)
			}
		}
	}
	return nil
}

// checkPlaces refuses places in the bucket that are none, and reports that would be
// read as the newest sensor data.
func (c Config) checkPlaces() error {
	for name, prefix := range map[string]string{"prefix": c.Prefix, "reports_prefix": c.ReportsPrefix} {
		if err := lake.CheckKey(strings.TrimSuffix(prefix, "/")); err != nil {
			return dossier.Errorf(dossier.Invalid, "apps.airshed.%s: %s", name, dossier.Message(err)).Because(err)
		}
	}
	if strings.HasPrefix(c.ReportsPrefix, c.Prefix) {
		return dossier.Errorf(dossier.Invalid, "apps.airshed.reports_prefix: reports under %q would be read as sensor data, which is looked for under %q. Keep them apart.", c.ReportsPrefix, c.Prefix)
	}
	return nil
}

func (c Config) rules() correlate.Rules {
	return correlate.Rules{
		SurgeAQI: c.SurgeAQIThreshold, RadiusKm: c.FireCorrelationRadiusKm, Window: hours(c.CorrelationWindowHours), HighFires: c.HighContributionFireCount,
		MinConfidence: c.MinConfidenceScore, NASAMissing: c.NASADataMissingPenalty, DSSMissing: c.DSSDataMissingPenalty,
		LowFires: c.LowFireCountPenalty, LowFireCount: c.LowFireCount, FarFires: c.HighDistancePenalty, FarKm: c.HighDistanceKm,
		SameSurge: hours(c.SameSurgeHours), RunGap: hours(c.RunGapHours), MatchKm: c.StationMatchKm, MaxAge: hours(c.MaxDataAgeHours), HomeState: c.HomeState,
		TransportHours: c.TransportHours, SectorDegrees: c.SectorDegrees, SupportShare: c.SupportShare, ContraryShare: c.ContraryShare,
		CalmKmh: c.CalmKmh, HistoryDays: c.HistoryDays,
	}
}

// filesAlone reports whether a report of a confidence is filed without asking.
func (c Config) filesAlone(confidence float64) bool {
	return c.AutoFileConfidence > 0 && confidence >= c.AutoFileConfidence
}

func (c Config) stations() []correlate.Station {
	var out []correlate.Station
	for _, s := range c.BorderStations {
		out = append(out, correlate.Station{Name: s.Name, Point: geo.Point{Lat: s.Latitude, Lon: s.Longitude}, Border: s.Border})
	}
	return out
}

func hours(h float64) time.Duration { return time.Duration(h * float64(time.Hour)) }
