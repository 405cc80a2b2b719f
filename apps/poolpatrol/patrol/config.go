package patrol

import (
	"time"

	"dossier"
	"dossier/apps/poolpatrol/engine"
)

// Config is the [apps.poolpatrol] section of the configuration.
type Config struct {
	Window     time.Duration `toml:"commute_window"`    // how long a way to or from work takes at most
	MinOverlap time.Duration `toml:"min_overlap"`       // of both ways, between two riders
	MinShare   int           `toml:"min_share_percent"` // of a rider's working days that must be shared
	Period     int           `toml:"period_days"`       // how many days an audit looks at, from the Monday of the week

	MaxMiles float64 `toml:"max_miles"` // from home to the pickup point
	Routing  string  `toml:"routing"`   // "": great circle × 1.2; "osrm" or "google"
	RouteURL string  `toml:"route_url"` // base address of the routing service
	RouteKey string  `toml:"route_key"` // of the routing service, as env:NAME or file:PATH

	MaxReaudits  int           `toml:"max_reaudits"`  // failed re-audits before a cancellation is proposed
	Silence      time.Duration `toml:"silence"`       // without a reply to the last mail before the records are looked at again
	ReminderDays int           `toml:"reminder_days"` // the business day on which a reminder goes out; the day of the mail is the first
	Schedule     string        `toml:"schedule"`      // when every van is audited, as cron; "": never by the clock

	From       string `toml:"from"`        // sender of mail; "": the product's
	MailDomain string `toml:"mail_domain"` // right-hand side of message ids
	Portal     string `toml:"portal"`      // address of the Employee Portal, for letters
	Webhook    string `toml:"webhook"`     // secret that inbound mail must carry, as env:NAME or file:PATH; "": no webhook
	IMAP       IMAP   `toml:"imap"`

	MinutesPerAudit int     `toml:"minutes_per_audit"` // what one audit takes by hand, for the metrics
	HourlyCost      float64 `toml:"hourly_cost"`       // of an auditor, for the metrics
}

// IMAP says where replies are fetched from. An empty host means nowhere.
type IMAP struct {
	Host     string `toml:"host"`
	Port     int    `toml:"port"`
	User     string `toml:"user"`
	Password string `toml:"password"` // as env:NAME or file:PATH
	Mailbox  string `toml:"mailbox"`
	TLS      string `toml:"tls"`   // implicit, starttls or none
	Every    string `toml:"every"` // as cron
}

// Defaults are the settings the source design names, and ours where it names none.
var Defaults = Config{
	Window:     time.Hour,
	MinOverlap: 30 * time.Minute,
	MinShare:   50,
	Period:     28,

	MaxMiles: 50,
	RouteKey: "env:GOOGLE_ROUTES_API_KEY",

	MaxReaudits:  3,
	Silence:      7 * 24 * time.Hour,
	ReminderDays: 5,
	Schedule:     "0 6 * * 1",

	MailDomain: "poolpatrol.invalid",
	Portal:     "the Employee Portal",
	IMAP:       IMAP{Port: 993, Mailbox: "INBOX", TLS: "implicit", Every: "*/5 * * * *"},

	MinutesPerAudit: 35,
	HourlyCost:      48,
}

// Validate reports the first setting that makes no sense.
func (c Config) Validate() error {
	switch {
	case c.Window < time.Minute || c.MinOverlap < time.Minute || c.MinOverlap > c.Window:
		return dossier.Errorf(dossier.Invalid, "min_overlap must be between one minute and commute_window.")
	case c.MinShare < 1 || c.MinShare > 100:
		return dossier.Errorf(dossier.Invalid, "min_share_percent must be 1 to 100.")
	case c.Period < 7 || c.Period > 366:
		return dossier.Errorf(dossier.Invalid, "period_days must be 7 to 366.")
	case c.MaxMiles <= 0:
		return dossier.Errorf(dossier.Invalid, "max_miles must be more than 0.")
	case c.Routing != "" && c.Routing != "osrm" && c.Routing != "google":
		return dossier.Errorf(dossier.Invalid, "routing must be empty, osrm or google.")
	case c.Routing == "osrm" && c.RouteURL == "":
		return dossier.Errorf(dossier.Invalid, "routing is osrm, so route_url must say where it is.")
	case c.MaxReaudits < 1:
		return dossier.Errorf(dossier.Invalid, "max_reaudits must be at least 1.")
	case c.Silence < time.Hour:
		return dossier.Errorf(dossier.Invalid, "silence must be at least one hour.")
	case c.ReminderDays < 1:
		return dossier.Errorf(dossier.Invalid, "reminder_days must be at least 1.")
	case c.MinutesPerAudit < 0 || c.HourlyCost < 0:
		return dossier.Errorf(dossier.Invalid, "minutes_per_audit and hourly_cost must not be negative.")
	}
	return nil
}

// ShiftParams returns the numbers of the shift rule.
func (c Config) ShiftParams() engine.ShiftParams {
	return engine.ShiftParams{
		Window: int(c.Window / time.Minute), MinOverlap: int(c.MinOverlap / time.Minute), MinShare: c.MinShare, Days: c.Period,
	}
}
