package cli

import (
	"fmt"
	"maps"
	"net/mail"
	"net/url"
	"slices"
	"strings"

	"dossier"
	"dossier/internal/app"
)

// validate reports the first setting that the product could not work with.
func (s *settings) validate(apps []app.App) error {
	for _, check := range []func() error{s.checkWords, s.checkAddress, s.checkStore, s.checkMail, s.checkSecrets, func() error { return s.checkOIDC(apps) }} {
		if err := check(); err != nil {
			return err
		}
	}
	if s.Work.Workers < 1 {
		return dossier.Errorf(dossier.Invalid, "work.workers is %d; it must be at least 1.", s.Work.Workers)
	}
	if s.Ledger.Every <= 0 {
		return dossier.Errorf(dossier.Invalid, "ledger.every must be longer than nothing.")
	}
	for _, a := range apps {
		if err := s.apps[a.ID].Validate(); err != nil {
			return fmt.Errorf("apps.%s: %w", a.ID, err)
		}
	}
	return nil
}

// checkWords checks the settings that know a few words only.
func (s *settings) checkWords() error {
	for _, w := range []struct {
		key, value string
		known      []string
	}{
		{"mail.via", s.Mail.Via, []string{"outbox", "smtp", "resend"}},
		{"mail.tls", s.Mail.TLS, []string{"starttls", "implicit", "none"}},
		{"log.level", strings.ToLower(s.Log.Level), []string{"debug", "info", "warn", "error"}},
		{"log.format", s.Log.Format, []string{"text", "json"}},
	} {
		if !slices.Contains(w.known, w.value) {
			last := len(w.known) - 1
			return dossier.Errorf(dossier.Invalid, "%s is %q; it must be %s or %s.", w.key, w.value, strings.Join(w.known[:last], ", "), w.known[last])
		}
	}
	return nil
}

// checkAddress checks the address that people use: links, cookies and the guard against
// other sites rest on it.
func (s *settings) checkAddress() error {
	if s.HTTP.URL == "" {
		return nil
	}
	u, err := url.Parse(s.HTTP.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return dossier.Errorf(dossier.Invalid, "http.url is %q; it must be an address such as https://dossier.example.org, with nothing after the host.", withoutPassword(s.HTTP.URL))
	}
	return nil
}

func (s *settings) checkStore() error {
	scheme, _, _ := strings.Cut(s.Store.URL, ":")
	if s.Store.URL != "" && !slices.Contains([]string{"sqlite", "postgres", "postgresql"}, scheme) {
		return dossier.Errorf(dossier.Invalid, "store.url must be sqlite:FILE or postgres://…, not %s:….", scheme)
	}
	return nil
}

func (s *settings) checkMail() error {
	if _, err := mail.ParseAddress(s.Mail.From); err != nil {
		return dossier.Errorf(dossier.Invalid, "mail.from is %q; it must be a mail address.", s.Mail.From)
	}
	if s.Mail.Via == "smtp" && s.Mail.Host == "" {
		return dossier.Errorf(dossier.Invalid, "Mail goes out by SMTP, so mail.host must name the server.")
	}
	if s.Mail.Port < 1 || s.Mail.Port > 65535 {
		return dossier.Errorf(dossier.Invalid, "mail.port is %d; it must be from 1 to 65535.", s.Mail.Port)
	}
	return nil
}

// checkSecrets checks that secrets are named and not written out, and models complete.
func (s *settings) checkSecrets() error {
	all := map[string]Secret{"mail.password": s.Mail.Password, "mail.key": s.Mail.Key, "oidc.secret": s.OIDC.Secret}
	for alias, m := range s.Models {
		if m.Provider == "" || m.Model == "" {
			return dossier.Errorf(dossier.Invalid, "models.%s needs a provider and a model.", alias)
		}
		all["models."+alias+".key"] = m.Key
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if all[key] != "" && !all[key].named() {
			return dossier.Errorf(dossier.Invalid, "%s must be given as env:NAME or file:PATH, never in the configuration itself.", key)
		}
	}
	return nil
}

// checkOIDC checks that whoever comes from the identity provider can get in.
func (s *settings) checkOIDC(apps []app.App) error {
	if s.OIDC.Issuer == "" {
		return nil
	}
	if u, err := url.Parse(s.OIDC.Issuer); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return dossier.Errorf(dossier.Invalid, "oidc.issuer is %q; it must be an address such as https://login.example.org.", s.OIDC.Issuer)
	}
	if s.OIDC.Client == "" {
		return dossier.Errorf(dossier.Invalid, "oidc.issuer is set, so oidc.client must say what the product is called there.")
	}
	known, err := app.Roles(apps)
	if err != nil {
		return err
	}
	names := []string{string(dossier.Admin), string(dossier.Auditor)}
	for r := range known {
		names = append(names, string(r))
	}
	for _, group := range slices.Sorted(maps.Keys(s.OIDC.Roles)) {
		for _, r := range s.OIDC.Roles[group] {
			if !slices.Contains(names, string(r)) {
				return dossier.Errorf(dossier.Invalid, "oidc.roles.%s: there is no role %q.%s", group, r, nearest(string(r), names))
			}
		}
	}
	return nil
}
