// Package webhook tells addresses outside about events, in order, signed, and again
// until they answer.
//
// Each webhook remembers the last event it has dealt with, so a restart loses
// nothing and an address that was down gets everything it missed. A delivery that
// was answered but not noted down is repeated: receivers tell repeats by their
// Webhook-Id. Headers and signature are those of the Standard Webhooks
// specification. The package reads events and sends them; who may add an address
// is the API's business.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"dossier"
	"dossier/internal/records"
)

// A Store keeps webhooks and the events they are told about.
type Store interface {
	// ClaimWebhook returns an enabled webhook that has events after Sent and whose Next
	// is not after now, having set its Next to until so that no other process claims
	// it meanwhile. It returns dossier.NotFound if there is none.
	ClaimWebhook(ctx context.Context, now, until time.Time) (records.Webhook, error)
	SaveDelivery(ctx context.Context, w records.Webhook) error
	// Webhook returns a webhook as it is now.
	Webhook(ctx context.Context, id string) (records.Webhook, error)
	// Events returns up to limit events after seq, oldest first.
	Events(ctx context.Context, after int64, limit int) ([]records.Event, error)
}

// A Sender delivers events.
type Sender struct {
	Store Store
	HTTP  *http.Client
	Now   func() time.Time
	Log   *slog.Logger
	// Sign signs with the product's key. Each webhook's secret derives from it.
	Sign func(message []byte) []byte
}

const (
	timeout = 10 * time.Second
	atOnce  = 10              // events per claim
	lease   = 2 * time.Minute // longer than atOnce deliveries can take
)

// waits are the times between tries of one event. After the last, the webhook is
// switched off; switching it on again goes on where it stopped.
var waits = []time.Duration{
	10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

// Secret returns what deliveries to the webhook with this id are signed with.
func (s *Sender) Secret(id string) string {
	sum := sha256.Sum256(s.Sign([]byte("dossier-webhook-1\n" + id)))
	return "whsec_" + base64.StdEncoding.EncodeToString(sum[:])
}

// Run delivers what is due, looking again after each pause, until ctx ends.
func (s *Sender) Run(ctx context.Context, pause time.Duration) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		more, err := s.Once(ctx)
		if err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "deliver webhooks", "err", err)
		}
		if more && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Once serves one webhook that has something due, and reports whether there was one.
func (s *Sender) Once(ctx context.Context) (bool, error) {
	now := s.Now()
	w, err := s.Store.ClaimWebhook(ctx, now, now.Add(lease))
	if errors.Is(err, dossier.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	events, err := s.Store.Events(ctx, w.Sent, atOnce)
	if err != nil {
		return false, err
	}
	for _, e := range events {
		if !Wants(w, e) {
			w.Sent = e.Seq
			continue
		}
		ok := s.try(ctx, &w, e)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err := s.Store.SaveDelivery(ctx, w); err != nil || !ok {
			return true, err
		}
		// Somebody may have switched it off meanwhile, or changed where and what it is told.
		if now, err := s.Store.Webhook(ctx, w.ID); err != nil || now.Version != w.Version {
			break
		}
	}
	// Those that have waited longer than this one come first.
	w.Next = s.Now()
	return true, s.Store.SaveDelivery(ctx, w)
}

// try delivers one event and notes in w what became of it. While it succeeds, Next
// stays as the claim set it, so that nobody else delivers the events that follow.
func (s *Sender) try(ctx context.Context, w *records.Webhook, e records.Event) bool {
	note, gone, err := s.Deliver(ctx, *w, e)
	now := s.Now()
	w.LastAt, w.LastNote = now, note
	if err == nil {
		w.Sent, w.Failures = e.Seq, 0
		return true
	}
	w.Failures++
	w.Next = time.Time{}
	switch {
	case gone:
		w.Enabled, w.LastNote = false, "The address is gone (410), so the webhook was switched off."
	case w.Failures > len(waits):
		w.Enabled, w.LastNote = false, fmt.Sprintf("Switched off after %d failed tries. The last: %s", w.Failures, note)
	default:
		w.Next = now.Add(waits[w.Failures-1])
	}
	return false
}

// Deliver sends one event once. The note says in a sentence what became of it; gone
// means that the address wants no more.
func (s *Sender) Deliver(ctx context.Context, w records.Webhook, e records.Event) (note string, gone bool, err error) {
	body, err := json.Marshal(e)
	if err != nil {
		return "The event could not be written down.", false, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return "The address cannot be used.", false, err
	}
	id, at := "evt_"+strconv.FormatInt(e.Seq, 10), strconv.FormatInt(s.Now().Unix(), 10)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Dossier-Webhook/1")
	req.Header.Set("Webhook-Id", id)
	req.Header.Set("Webhook-Timestamp", at)
	req.Header.Set("Webhook-Signature", "v1,"+Signature(s.Secret(w.ID), id, at, body))
	client := *s.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	if err != nil {
		return "The address did not answer.", false, err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection can be used again
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Sprintf("The address answered %d.", res.StatusCode), res.StatusCode == http.StatusGone,
			fmt.Errorf("webhook %s answered %d", w.ID, res.StatusCode)
	}
	return fmt.Sprintf("The address answered %d.", res.StatusCode), false, nil
}

// Signature returns what a receiver computes from the secret it was shown and the
// request it got, to compare with the part of Webhook-Signature after "v1,".
func Signature(secret, id, timestamp string, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		key = []byte(secret)
	}
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(id + "." + timestamp + ".")) // a hash takes everything
	_, _ = mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Wants reports whether w is told about e.
func Wants(w records.Webhook, e records.Event) bool {
	if len(w.Apps) > 0 && !slices.Contains(w.Apps, e.App) {
		return false
	}
	return len(w.Kinds) == 0 || slices.ContainsFunc(w.Kinds, func(k string) bool { return records.KindMatches(k, e.Kind) })
}

// CheckURL reports why an address cannot be a webhook's.
func CheckURL(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return dossier.Errorf(dossier.Invalid, "A webhook needs an address such as https://example.org/hook.")
	case u.User != nil:
		return dossier.Errorf(dossier.Invalid, "Leave the password out of the address: deliveries are signed.")
	}
	return nil
}
