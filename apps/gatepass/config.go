package gatepass

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"dossier"
	"dossier/apps/gatepass/client"
	"dossier/apps/gatepass/photo"
)

// A Config is the app's settings.
type Config struct {
	// Environment picks one of Environments: development, staging or production, or
	// whatever they are called. "" takes APIURL.
	Environment string `toml:"environment"`
	// Environments are the addresses of the API by environment.
	Environments map[string]string `toml:"environments"`
	// APIURL is the address of the Gate Pass API that the agents speak to. "" is this
	// product's own.
	APIURL string `toml:"api_url"`
	// APIToken says where the token for a remote API is: env:NAME or file:PATH.
	APIToken string        `toml:"api_token"`
	Timeout  time.Duration `toml:"timeout"` // of one try

	Photos     string `toml:"photos"`      // a bucket: file:///path, s3://name; "": a folder of the app's own
	PhotoLimit int    `toml:"photo_limit"` // bytes

	Timezone string        `toml:"timezone"` // of the site
	Validity time.Duration `toml:"validity"` // how long a QR code holds after the approval
	Grace    time.Duration `toml:"grace"`    // how long one may stay out without having named a time
	Escalate time.Duration `toml:"escalate"` // from the reminder about a late return to its escalation
}

var defaults = Config{
	Timeout: client.DefaultTimeout, PhotoLimit: photo.DefaultMaxBytes, Timezone: "Asia/Kolkata",
	Validity: 24 * time.Hour, Grace: 8 * time.Hour, Escalate: time.Hour,
}

// Validate reports the first setting that cannot work.
func (c Config) Validate() error {
	if c.Environment != "" {
		if _, ok := c.Environments[c.Environment]; !ok {
			return dossier.Errorf(dossier.Invalid, "apps.gatepass.environment is %q, but apps.gatepass.environments has only %s.",
				c.Environment, strings.Join(slices.Sorted(maps.Keys(c.Environments)), ", "))
		}
	}
	for name, address := range c.addresses() {
		if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
			return dossier.Errorf(dossier.Invalid, "%s must be an address such as https://gate.example.org, not %q.", name, address)
		}
	}
	if _, err := time.LoadLocation(c.Timezone); err != nil || c.Timezone == "" {
		return dossier.Errorf(dossier.Invalid, "apps.gatepass.timezone must be a name such as Asia/Kolkata, not %q.", c.Timezone)
	}
	switch {
	case c.Timeout <= 0:
		return dossier.Errorf(dossier.Invalid, "apps.gatepass.timeout must be more than nothing, such as 30s.")
	case c.PhotoLimit < 1<<10:
		return dossier.Errorf(dossier.Invalid, "apps.gatepass.photo_limit must be at least 1024 bytes.")
	case c.Validity <= 0 || c.Grace <= 0 || c.Escalate <= 0:
		return dossier.Errorf(dossier.Invalid, "apps.gatepass.validity, grace and escalate must be more than nothing, such as 8h.")
	}
	return nil
}

func (c Config) addresses() map[string]string {
	out := map[string]string{"apps.gatepass.api_url": c.APIURL}
	for name, address := range c.Environments {
		out["apps.gatepass.environments."+name] = address
	}
	return out
}

// address returns the API that the agents speak to; "" is this product's own.
func (c Config) address() string {
	if c.Environment != "" {
		return c.Environments[c.Environment]
	}
	return c.APIURL
}
